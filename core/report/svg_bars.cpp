#include "core/report/svg.h"
#include "core/report/svg_canvas.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr double kWidth = 560;
constexpr double kRowHeight = 24;
constexpr double kTop = 8;
constexpr double kAxisHeight = 24;
constexpr double kValueGap = 6;

/// Where rows, labels and the value axis lie.
struct Frame {
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
    frame.left = std::min(labelWidth + 10, kWidth * 0.4);
    frame.right = kWidth - valueWidth - kValueGap - 4;
    frame.bottom = kTop + kRowHeight * static_cast<double>(rows);
    frame.maximum = maximum > 0 ? maximum : 1;
    return frame;
}

void drawAxis(SvgCanvas& canvas, const Frame& frame, NumberFormat format, double unit) {
    for (const double multiple : roundTicks(0, frame.maximum / unit)) {
        const double tick = multiple * unit;
        const double x = frame.x(tick);
        canvas.line(x, kTop - 4, x, frame.bottom, tick == 0 ? "axis" : "grid");
        canvas.text(x, frame.bottom + 15, tick == 0 ? "0" : tickText(tick, format), "tick", "middle");
    }
}

std::string fitted(const std::string& label, double width) {
    if (textWidth(label) <= width) return label;
    std::string cut = label;
    while (!cut.empty() && textWidth(cut) > width - 8) {
        while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0) == 0x80) cut.pop_back();
        if (!cut.empty()) cut.pop_back();
    }
    return cut + "…";
}

template <class Rows>
double widestLabel(const Rows& rows) {
    double width = 0;
    for (const auto& row : rows) width = std::max(width, textWidth(row.label));
    return width;
}

}  // namespace

std::string toSvg(const BarFigure& figure) {
    double maximum = 0;
    double valueWidth = 20;
    for (const auto& row : figure.rows) {
        maximum = std::max({maximum, usable(row.bar), usable(row.high)});
        for (const auto& mark : row.marks) maximum = std::max(maximum, usable(mark));
        valueWidth = std::max(valueWidth, textWidth(row.bar ? tickText(*row.bar, figure.format) : row.missing));
    }
    const Frame frame = makeFrame(figure.rows.size(), widestLabel(figure.rows), valueWidth, maximum);
    SvgCanvas canvas(kWidth, frame.bottom + kAxisHeight, figure.title);
    drawAxis(canvas, frame, figure.format, figure.tickUnit);
    double y = kTop;
    for (const auto& row : figure.rows) {
        const double middle = y + kRowHeight / 2;
        canvas.text(frame.left - 8, middle + 4, fitted(row.label, frame.left - 10), "label", "end");
        double end = frame.left;
        if (row.bar && std::isfinite(*row.bar)) {
            end = frame.x(*row.bar);
            canvas.rect(frame.left, middle - 6, end - frame.left, 12, "bar");
        }
        if (row.low && row.high && std::isfinite(*row.low) && std::isfinite(*row.high))
            canvas.line(frame.x(*row.low), middle, frame.x(*row.high), middle, "interval");
        for (std::size_t i = 0; i < row.marks.size(); ++i) {
            if (!row.marks[i] || !std::isfinite(*row.marks[i])) continue;
            const double x = frame.x(*row.marks[i]);
            canvas.line(x, middle - 9, x, middle + 9, "mark m" + std::to_string(i));
            end = std::max(end, x);
        }
        if (row.high) end = std::max(end, frame.x(usable(row.high)));
        const bool isBad = row.bar && !std::isfinite(*row.bar);
        canvas.text(end + kValueGap, middle + 4, row.bar ? tickText(*row.bar, figure.format) : row.missing,
                    isBad     ? "value bad"
                    : row.bar ? "value"
                              : "value quiet");
        y += kRowHeight;
    }
    return canvas.finish();
}

std::string toSvg(const StackFigure& figure) {
    double maximum = 0;
    double valueWidth = 20;
    for (const auto& row : figure.rows) {
        double total = 0;
        for (const double part : row.parts) total += std::isfinite(part) ? part : 0;
        maximum = std::max({maximum, total, usable(row.mark)});
        valueWidth = std::max(valueWidth, textWidth(tickText(row.mark.value_or(total), figure.format)));
    }
    const Frame frame = makeFrame(figure.rows.size(), widestLabel(figure.rows), valueWidth, maximum);
    SvgCanvas canvas(kWidth, frame.bottom + kAxisHeight, figure.title);
    drawAxis(canvas, frame, figure.format, figure.tickUnit);
    double y = kTop;
    for (const auto& row : figure.rows) {
        const double middle = y + kRowHeight / 2;
        canvas.text(frame.left - 8, middle + 4, fitted(row.label, frame.left - 10), "label", "end");
        double total = 0;
        for (std::size_t i = 0; i < row.parts.size(); ++i) {
            const double part = std::isfinite(row.parts[i]) ? row.parts[i] : 0;
            const int colour = i < figure.partColours.size() ? figure.partColours[i] : static_cast<int>(i % 8);
            if (part > 0)
                canvas.rect(frame.x(total), middle - 7, frame.x(total + part) - frame.x(total), 14,
                            "c" + std::to_string(colour));
            total += part;
        }
        double end = frame.x(total);
        if (row.mark && std::isfinite(*row.mark)) {
            const double x = frame.x(*row.mark);
            canvas.line(x, middle - 10, x, middle + 10, "tickmark");
            end = std::max(end, x);
        }
        canvas.text(end + kValueGap, middle + 4, tickText(row.mark.value_or(total), figure.format),
                    row.mark ? "value" : "value quiet");
        y += kRowHeight;
    }
    return canvas.finish();
}

}  // namespace slipway
