#include "app/gui/widgets/drawing_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/report/drawing.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <optional>

namespace slipway::gui {
namespace {

constexpr double kLargest = 1.35;  // scale of a drawing, for texts of about the usual size
constexpr double kLegendLine = 19, kSampleGap = 5, kEntryGap = 16;
constexpr double kWideFont = 1.1;   // width of the widest system fonts relative to textWidth()
constexpr double kTextPixels = 12;  // drawings reserve room for texts of this size

/// The names of a look in this theme; html_style.cpp has the same for pages.
struct Look {
    std::optional<QColor> fill, stroke;
    double lineWidth = 1, textSize = kTextPixels;
    QVector<qreal> dash;
    bool isBold = false;
};

Look lookOf(const std::string& names) {
    const Theme& t = theme();
    Look look;
    look.fill = t.text;
    const auto filled = [&](const QColor& colour) {
        look.fill = colour;
        look.stroke.reset();
    };
    const auto stroked = [&](const QColor& colour, double width, const QVector<qreal>& dash = {}) {
        look.fill.reset();
        look.stroke = colour;
        look.lineWidth = width;
        look.dash = dash;
    };
    for (const QString& name : qs(names).split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const int index = name.size() == 2 && name[1].isDigit() ? name[1].digitValue() : -1;
        if (name == QLatin1String("second") || name == QLatin1String("tick")) filled(t.text2);
        if (name == QLatin1String("tick")) look.textSize = 11.5;
        if (name == QLatin1String("quiet")) filled(t.text3);
        if (name == QLatin1String("letter")) look.isBold = true;
        if (name == QLatin1String("small")) look.textSize = 10.5;
        if (name == QLatin1String("on")) filled(t.dark ? QColor(0x14, 0x18, 0x1D) : QColor(Qt::white));
        if (name == QLatin1String("ink")) filled(QColor(0x1A, 0x1E, 0x24));
        if (name == QLatin1String("sunken")) filled(t.sunken);
        if (name == QLatin1String("good-mark")) filled(t.ok);
        if (name == QLatin1String("bad-mark")) filled(t.bad);
        if (name == QLatin1String("area")) {
            QColor area = t.series(0);
            area.setAlphaF(0.12f);
            filled(area);
        }
        if (name == QLatin1String("grid")) stroked(t.grid, 1);
        if (name == QLatin1String("axis") || name == QLatin1String("edge")) stroked(t.line2, 1);
        if (name == QLatin1String("reference")) stroked(t.text2, 1.2, {5, 3});
        if (name == QLatin1String("curve")) stroked(t.text, 1.7);
        if (index >= 0 && name[0] == QLatin1Char('c')) filled(t.series(index));
        if (index >= 0 && name[0] == QLatin1Char('s')) look.stroke = t.series(index);
    }
    return look;
}

struct Painter {
    QPainter& painter;

    void operator()(const Drawing::Rect& rect) const {
        const Look look = lookOf(rect.look);
        const QRectF place(rect.x, rect.y, rect.width, rect.height);
        if (look.fill) painter.fillRect(place, *look.fill);
        if (!look.stroke) return;
        use(look);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(place);
    }
    void operator()(const Drawing::Path& path) const {
        QPainterPath out;
        for (const auto& line : path.lines) {
            for (std::size_t i = 0; i < line.size(); ++i) {
                const QPointF point(line[i].x, line[i].y);
                i == 0 ? out.moveTo(point) : out.lineTo(point);
            }
            if (path.isClosed) out.closeSubpath();
        }
        const Look look = lookOf(path.look);
        if (path.isClosed && look.fill) painter.fillPath(out, *look.fill);
        if (!look.stroke) return;
        use(look);
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(out);
    }
    void operator()(const Drawing::Text& text) const {
        const Look look = lookOf(text.look);
        QFont font = fontOf(1.0, look.isBold);
        font.setPixelSize(std::max(1, static_cast<int>(std::lround(look.textSize))));
        painter.setFont(font);
        painter.setPen(look.fill.value_or(theme().text));
        const QString said = qs(text.text);
        const double width = painter.fontMetrics().horizontalAdvance(said);
        const std::string_view anchor = text.anchor;
        const double shift = anchor == "end" ? width : anchor == "middle" ? width / 2 : 0;
        painter.drawText(QPointF(text.x - shift, text.y), said);
    }

private:
    void use(const Look& look) const {
        QPen pen(*look.stroke, look.lineWidth);
        if (!look.dash.isEmpty()) pen.setDashPattern(look.dash);
        painter.setPen(pen);
    }
};

}  // namespace

DrawingView::DrawingView(PictureFigure figure, QWidget* parent) : PaintedWidget(parent), m_figure(std::move(figure)) {
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);  // Fixed would cut it at the height of its hint
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    LegendPlace next;
    for (const LegendEntry& entry : m_figure.legend) {
        const double width = kSampleWidth + kSampleGap + textWidth(entry.name) * kWideFont + kEntryGap;
        if (next.x > 0 && next.x + width > m_figure.drawing.width()) next = {0, next.y + kLegendLine};
        m_legend.push_back(next);
        next.x += width;
    }
}

double DrawingView::legendHeight() const {
    return m_legend.empty() ? 0 : m_legend.back().y + kLegendLine + kSampleGap;
}

QString DrawingView::summary() const {
    return qs(m_figure.drawing.label());
}

DataTable DrawingView::dataTable() const {
    DataTable table;
    for (const Column& column : m_figure.numbers.columns) table.headers.append(qs(column.title));
    for (const auto& row : m_figure.numbers.rows) {
        QStringList cells;
        for (const Cell& cell : row) cells.append(qs(cell.text));
        table.rows.append(cells);
    }
    return table;
}

double DrawingView::scaleFor(double width) const {
    return std::min(width / std::max(m_figure.drawing.width(), 1.0), px(100) / 100.0 * kLargest);
}

int DrawingView::heightForWidth(int width) const {
    return static_cast<int>(std::ceil((legendHeight() + m_figure.drawing.height()) * scaleFor(width))) + px(2);
}

QSize DrawingView::sizeHint() const {
    const int width = px(m_figure.drawing.width());
    return {width, heightForWidth(width)};
}

QSize DrawingView::minimumSizeHint() const {
    const int width = px(m_figure.drawing.width() / 2);
    return {width, heightForWidth(width)};
}

void DrawingView::paintStill(QPainter& painter) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scaleFor(width()), scaleFor(width()));
    for (std::size_t i = 0; i < m_legend.size(); ++i) {
        const LegendEntry& entry = m_figure.legend[i];
        painter.save();
        painter.translate(m_legend[i].x, m_legend[i].y);
        for (const Drawing::Shape& shape : entry.sample.shapes()) std::visit(Painter{painter}, shape);
        Painter{painter}(Drawing::Text{kSampleWidth + kSampleGap, kSampleHeight - 1, entry.name, "tick", "start"});
        painter.restore();
    }
    painter.translate(0, legendHeight());
    for (const Drawing::Shape& shape : m_figure.drawing.shapes()) std::visit(Painter{painter}, shape);
}

}  // namespace slipway::gui
