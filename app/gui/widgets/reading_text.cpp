#include "app/gui/widgets/reading_text.h"

#include "app/gui/look/theme.h"

#include <QPainter>
#include <QTextLayout>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr double kLeading = 1.42;  // line height over the font's size in pixels, wide enough for Hangul
constexpr int kHintWidth = 420;

/// Lays the label's text out and returns its height; paints it if there is a painter.
int layOut(const QLabel& label, int width, QPainter* painter) {
    const QFont font = label.font();
    QTextLayout layout(label.text().replace(QLatin1Char('\n'), QChar::LineSeparator), font);
    QTextOption option;
    option.setWrapMode(QTextOption::WordWrap);
    option.setAlignment(label.alignment() & Qt::AlignHorizontal_Mask);
    layout.setTextOption(option);
    const QFontMetricsF metrics(font);
    const double pitch = std::max(metrics.height(), std::ceil(kLeading * QFontInfo(font).pixelSize()));
    layout.beginLayout();
    int numLines = 0;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        line.setPosition(QPointF(0, numLines * pitch + (pitch - metrics.height()) / 2));
        ++numLines;
    }
    layout.endLayout();
    if (painter) layout.draw(painter, QPointF(0, 0));
    return static_cast<int>(std::ceil(numLines * pitch));
}

}  // namespace

ReadingText::ReadingText(const QString& text, QWidget* parent) : QLabel(text, parent) {
    setWordWrap(true);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

int ReadingText::heightForWidth(int width) const {
    return layOut(*this, width, nullptr);
}

QSize ReadingText::sizeHint() const {
    return {px(kHintWidth), heightForWidth(px(kHintWidth))};
}

QSize ReadingText::minimumSizeHint() const {
    return {px(120), QFontMetrics(font()).height()};
}

void ReadingText::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    layOut(*this, width(), &painter);
}

}  // namespace slipway::gui
