#include "core/base/units.h"
#include "core/report/drawing.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr double kRowHeight = 24;
constexpr double kTop = 8;
constexpr double kValueWidth = 48;

/// A negative rest extends beyond 100 %, an overlap below 0 %.
std::pair<double, double> rangeOf(const WaterfallFigure& figure) {
    double low = 0, high = 100;
    for (const auto& row : figure.rows)
        for (const auto& bar : {row.measured, row.forecast})
            if (bar) {
                low = std::min({low, bar->first, bar->second});
                high = std::max({high, bar->first, bar->second});
            }
    return {low, high};
}

}  // namespace

Drawing draw(const WaterfallFigure& figure) {
    const auto [low, high] = rangeOf(figure);
    double label = 0;
    for (const auto& row : figure.rows) label = std::max(label, textWidth(row.label));
    const double left = std::min(label + 10, kFigureWidth * 0.45), right = kFigureWidth - kValueWidth;
    const double bottom = kTop + kRowHeight * static_cast<double>(figure.rows.size());
    const auto x = [&, from = low, width = high - low](double percent) {
        return left + (right - left) * (percent - from) / width;
    };
    Drawing drawing(kFigureWidth, bottom + 24, figure.title);
    for (const double tick : {0.0, 25.0, 50.0, 75.0, 100.0}) {
        drawing.line(x(tick), kTop - 4, x(tick), bottom, tick == 0 ? "axis" : "grid");
        drawing.text(x(tick), bottom + 15, formatFixed(tick, 0), "tick", "middle");
    }
    double y = kTop;
    for (const auto& row : figure.rows) {
        drawing.text(left - 8, y + 16, fitted(row.label, left - 10), row.isWhole ? "letter" : "", "end");
        if (row.measured) {
            const auto [from, to] = *row.measured;
            const char* look = row.isUnexplained ? "nonfinite" : row.isWhole ? "c0" : to > from ? "c2" : "c1";
            drawing.rect(x(std::min(from, to)), y + 4, std::max(0.5, x(std::max(from, to)) - x(std::min(from, to))), 11,
                         look);
            const std::string digits = formatFixed(std::fabs(to - from), 1);
            drawing.text(kFigureWidth - 2, y + 14, (to < from && digits != "0.0" ? "−" : "") + digits, "", "end");
        }
        if (row.forecast) {
            const double from = x(row.forecast->first), to = x(row.forecast->second);
            drawing.line(from, y + 19, to, y + 19, "reference");
            drawing.line(from, y + 16, from, y + 22, "reference");
            drawing.line(to, y + 16, to, y + 22, "reference");
        }
        y += kRowHeight;
    }
    return drawing;
}

std::vector<LegendEntry> legendOf(const WaterfallFigure& figure) {
    Drawing measured(kSampleWidth, kSampleHeight), forecast(kSampleWidth, kSampleHeight);
    measured.rect(0, 1, kSampleWidth, 10, "c1");
    forecast.line(0, 6, kSampleWidth, 6, "reference");
    std::vector<LegendEntry> legend{{measured, figure.measuredName}};
    if (std::any_of(figure.rows.begin(), figure.rows.end(), [](const auto& row) { return row.forecast.has_value(); }))
        legend.push_back({forecast, figure.forecastName});
    return legend;
}

}  // namespace slipway
