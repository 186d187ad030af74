#include "core/report/drawing.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr double kRowHeight = 24;
constexpr double kTop = 8;
constexpr double kAxisHeight = 24;
constexpr double kGap = 8;

/// Positions of rows, labels, values and the value axis.
struct Frame {
    double labels = 0;  ///< right edge of the labels
    double left = 0;
    double right = 0;
    double bottom = 0;
    double maximum = 1;
    [[nodiscard]] double x(double value) const { return left + (right - left) * std::clamp(value / maximum, 0.0, 1.0); }
};

double usable(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? *value : 0;
}

Frame makeFrame(std::size_t rows, double labelWidth, double valueWidth, double maximum) {
    Frame frame;
    frame.labels = std::min(labelWidth + 2, kFigureWidth * 0.4);
    frame.left = frame.labels + kGap + valueWidth + kGap;
    frame.right = kFigureWidth - 24;  // room for half the text of the last tick
    frame.bottom = kTop + kRowHeight * static_cast<double>(rows);
    frame.maximum = maximum > 0 ? maximum : 1;
    return frame;
}

void drawAxis(Drawing& drawing, const Frame& frame, NumberFormat format, double unit) {
    for (const double multiple : roundTicks(0, frame.maximum / unit)) {
        const double tick = multiple * unit;
        const double x = frame.x(tick);
        drawing.line(x, kTop - 4, x, frame.bottom, tick == 0 ? "axis" : "grid");
        drawing.text(x, frame.bottom + 15, tick == 0 ? "0" : tickText(tick, format), "tick", "middle");
    }
}

void drawLabels(Drawing& drawing, const Frame& frame, double middle, const std::string& label, const std::string& value,
                const std::string& look) {
    drawing.text(frame.labels, middle + 4, fitted(label, frame.labels), "label", "end");
    drawing.text(frame.left - kGap, middle + 4, value, look, "end");
}

template <class Rows>
double widestLabel(const Rows& rows) {
    double width = 0;
    for (const auto& row : rows) width = std::max(width, textWidth(row.label));
    return width;
}

Drawing rectSample(double x, double y, double width, double height, const std::string& look) {
    Drawing drawing(kSampleWidth, kSampleHeight);
    drawing.rect(x, y, width, height, look);
    return drawing;
}

Drawing lineSample(double x1, double y1, double x2, double y2, const std::string& look) {
    Drawing drawing(kSampleWidth, kSampleHeight);
    drawing.line(x1, y1, x2, y2, look);
    return drawing;
}

std::string partLook(const StackFigure& figure, std::size_t part) {
    return "c" +
           std::to_string(part < figure.partColours.size() ? figure.partColours[part] : static_cast<int>(part % 8));
}

}  // namespace

// The value is between label and bar, where it cannot be mistaken for another bar's or a mark's.
Drawing draw(const BarFigure& figure) {
    double maximum = 0;
    double valueWidth = 20;
    for (const auto& row : figure.rows) {
        maximum = std::max({maximum, usable(row.bar), usable(row.high)});
        for (const auto& mark : row.marks) maximum = std::max(maximum, usable(mark));
        valueWidth = std::max(valueWidth, textWidth(row.bar ? tickText(*row.bar, figure.format) : row.missing));
    }
    const Frame frame = makeFrame(figure.rows.size(), widestLabel(figure.rows), valueWidth, maximum);
    Drawing drawing(kFigureWidth, frame.bottom + kAxisHeight, figure.title);
    drawAxis(drawing, frame, figure.format, figure.tickUnit);
    double y = kTop;
    for (const auto& row : figure.rows) {
        const double middle = y + kRowHeight / 2;
        const bool isBad = row.bar && !std::isfinite(*row.bar);
        drawLabels(drawing, frame, middle, row.label, row.bar ? tickText(*row.bar, figure.format) : row.missing,
                   isBad     ? "value bad"
                   : row.bar ? "value"
                             : "value quiet");
        if (row.bar && std::isfinite(*row.bar))
            drawing.rect(frame.left, middle - 6, frame.x(*row.bar) - frame.left, 12, "bar");
        if (row.low && row.high && std::isfinite(*row.low) && std::isfinite(*row.high))
            drawing.line(frame.x(*row.low), middle, frame.x(*row.high), middle, "interval");
        for (std::size_t i = 0; i < row.marks.size(); ++i) {
            if (!row.marks[i] || !std::isfinite(*row.marks[i])) continue;
            const double x = frame.x(*row.marks[i]);
            drawing.line(x, middle - 9, x, middle + 9, "mark m" + std::to_string(i));
        }
        y += kRowHeight;
    }
    return drawing;
}

std::vector<LegendEntry> legendOf(const BarFigure& figure) {
    std::vector<LegendEntry> legend{{rectSample(0, 1, 26, 10, "bar"), figure.barName}};
    for (std::size_t i = 0; i < figure.markNames.size(); ++i)
        legend.push_back({lineSample(13, 0, 13, 12, "mark m" + std::to_string(i)), figure.markNames[i]});
    if (std::any_of(figure.rows.begin(), figure.rows.end(), [](const auto& row) { return row.low && row.high; }))
        legend.push_back({lineSample(0, 6, 26, 6, "interval"), figure.intervalName});
    return legend;
}

Drawing draw(const StackFigure& figure) {
    double maximum = 0;
    double valueWidth = 20;
    for (const auto& row : figure.rows) {
        double total = 0;
        for (const double part : row.parts) total += std::isfinite(part) ? part : 0;
        maximum = std::max({maximum, total, usable(row.mark)});
        valueWidth = std::max(valueWidth, textWidth(tickText(row.mark.value_or(total), figure.format)));
    }
    const Frame frame = makeFrame(figure.rows.size(), widestLabel(figure.rows), valueWidth, maximum);
    Drawing drawing(kFigureWidth, frame.bottom + kAxisHeight, figure.title);
    drawAxis(drawing, frame, figure.format, figure.tickUnit);
    double y = kTop;
    for (const auto& row : figure.rows) {
        const double middle = y + kRowHeight / 2;
        double total = 0;
        for (std::size_t i = 0; i < row.parts.size(); ++i) {
            const double part = std::isfinite(row.parts[i]) ? row.parts[i] : 0;
            if (part > 0)
                drawing.rect(frame.x(total), middle - 7, frame.x(total + part) - frame.x(total), 14,
                             partLook(figure, i));
            total += part;
        }
        drawLabels(drawing, frame, middle, row.label, tickText(row.mark.value_or(total), figure.format),
                   row.mark ? "value" : "value quiet");
        if (row.mark && std::isfinite(*row.mark)) {
            const double x = frame.x(*row.mark);
            drawing.line(x, middle - 10, x, middle + 10, "tickmark");
        }
        y += kRowHeight;
    }
    return drawing;
}

std::vector<LegendEntry> legendOf(const StackFigure& figure) {
    std::vector<LegendEntry> legend;
    for (std::size_t i = 0; i < figure.partNames.size(); ++i)
        legend.push_back({rectSample(0, 1, 26, 10, partLook(figure, i)), figure.partNames[i]});
    legend.push_back({lineSample(13, 0, 13, 12, "tickmark"), figure.markName});
    return legend;
}

}  // namespace slipway
