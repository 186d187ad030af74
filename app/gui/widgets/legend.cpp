#include "app/gui/widgets/legend.h"

#include "app/gui/widgets/painted_widget.h"

#include <QPainter>

namespace slipway::gui {

Legend::Legend(std::vector<Entry> entries, QWidget* parent) : QWidget(parent), m_entries(std::move(entries)) {
    QStringList names;
    for (const Entry& entry : m_entries) names << entry.name;
    setAccessibleName(names.join(QStringLiteral(", ")));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QSize Legend::sizeHint() const {
    const QFontMetrics metrics(fontOf(kSideSize));
    int width = 0;
    for (const Entry& entry : m_entries) width += px(14) + metrics.horizontalAdvance(entry.name) + px(12);
    return {width, px(18)};
}

void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(fontOf(kSideSize));
    const QFontMetricsF metrics(painter.font());
    double x = std::max(0.0, width() - double(sizeHint().width()));
    for (const Entry& entry : m_entries) {
        const QRectF box(x, height() / 2.0 - px(4.5), px(9), px(9));
        if (entry.hue)
            painter.fillRect(box, theme().hue(*entry.hue));
        else
            fillHatch(painter, box);
        painter.setPen(theme().text2);
        painter.drawText(QRectF(x + px(14), 0, width(), height()), Qt::AlignLeft | Qt::AlignVCenter, entry.name);
        x += px(14) + metrics.horizontalAdvance(entry.name) + px(12);
    }
}

}  // namespace slipway::gui
