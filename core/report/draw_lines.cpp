#include "core/report/drawing.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr double kHeight = 260;
constexpr double kTop = 12;
constexpr double kBottom = kHeight - 40;
constexpr std::size_t kMostPoints = 400;  // one bucket per pixel column is finer than print

struct Range {
    double low = 0;
    double high = 1;
};

Range rangeOf(const LineFigure& figure, bool ofX) {
    Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    const auto take = [&](double value) {
        if (!std::isfinite(value)) return;
        range.low = std::min(range.low, value);
        range.high = std::max(range.high, value);
    };
    for (const auto& series : figure.series)
        for (const double value : ofX ? series.x : series.y) take(value);
    if (!ofX)
        for (const auto& reference : figure.references) take(reference.second);
    if (!(range.low <= range.high)) return {};
    if (differByRounding(range.low, range.high)) return {range.low - 0.5, range.high + 0.5};
    if (!ofX) {
        const double margin = 0.05 * (range.high - range.low);
        range.low -= margin;
        range.high += margin;
    }
    return range;
}

/// Indexes to draw: all, or the lowest and highest of each bucket, so that spikes survive.
std::vector<std::size_t> thinned(const std::vector<double>& y) {
    std::vector<std::size_t> keep;
    if (y.size() <= kMostPoints) {
        for (std::size_t i = 0; i < y.size(); ++i) keep.push_back(i);
        return keep;
    }
    const std::size_t buckets = kMostPoints / 2;
    for (std::size_t b = 0; b < buckets; ++b) {
        const std::size_t begin = b * y.size() / buckets;
        const std::size_t end = (b + 1) * y.size() / buckets;
        std::size_t low = begin;
        std::size_t high = begin;
        for (std::size_t i = begin; i < end; ++i) {
            if (!std::isfinite(y[i])) keep.push_back(i);
            if (y[i] < y[low]) low = i;
            if (y[i] > y[high]) high = i;
        }
        keep.push_back(low);
        keep.push_back(high);
    }
    std::sort(keep.begin(), keep.end());
    keep.erase(std::unique(keep.begin(), keep.end()), keep.end());
    return keep;
}

bool hasLetters(const LineFigure& figure) {
    return figure.series.size() > 1 && figure.series.size() <= 8;
}

std::string curveLook(std::size_t series) {
    return "curve s" + std::to_string(series % 8) + " d" + std::to_string(series % 5);
}

}  // namespace

Drawing draw(const LineFigure& figure) {
    const Range xs = rangeOf(figure, true);
    const Range ys = rangeOf(figure, false);
    const std::vector<double> yTicks = roundTicks(ys.low, ys.high);
    double left = 30;
    for (const double tick : yTicks) left = std::max(left, textWidth(tickText(tick, figure.format)) + 12);
    const bool letters = hasLetters(figure);
    const double right = kFigureWidth - (letters ? 26 : 12);
    const auto px = [&](double x) { return left + (right - left) * (x - xs.low) / (xs.high - xs.low); };
    const auto py = [&](double y) { return kBottom - (kBottom - kTop) * (y - ys.low) / (ys.high - ys.low); };

    Drawing drawing(kFigureWidth, kHeight, figure.title);
    for (const double tick : yTicks) {
        drawing.line(left, py(tick), right, py(tick), "grid");
        drawing.text(left - 6, py(tick) + 4, tickText(tick, figure.format), "tick", "end");
    }
    drawing.line(left, kBottom, right, kBottom, "axis");
    for (const double tick : roundTicks(xs.low, xs.high))
        drawing.text(px(tick), kBottom + 16, tickText(tick, nullptr), "tick", "middle");
    drawing.text((left + right) / 2, kHeight - 6, figure.xName, "tick", "middle");
    for (const auto& [name, value] : figure.references) {
        drawing.line(left, py(value), right, py(value), "reference");
        if (!name.empty()) drawing.text(right - 4, py(value) - 5, name, "tick", "end");
    }

    std::vector<std::pair<double, std::size_t>> ends;
    for (std::size_t s = 0; s < figure.series.size(); ++s) {
        const auto& series = figure.series[s];
        std::vector<std::vector<Drawing::Point>> lines;
        bool pen = false;
        double lastY = kBottom;
        for (const std::size_t i : thinned(series.y)) {
            const double x = px(series.x[i]);
            if (!std::isfinite(series.y[i])) {
                pen = false;
                drawing.path({{{x - 4, kTop}, {x + 4, kTop}, {x, kTop + 7}}}, true, "nonfinite",
                             figure.notFiniteName.empty() ? series.label : series.label + ", " + figure.notFiniteName);
                continue;
            }
            lastY = py(series.y[i]);
            if (!pen) lines.emplace_back();
            lines.back().push_back({x, lastY});
            pen = true;
        }
        if (lines.empty()) continue;
        drawing.path(std::move(lines), false, curveLook(s), series.label);
        if (letters) ends.emplace_back(lastY, s);
    }
    // Letters at the right end, moved apart by 12 (look.md 6), inside the frame.
    std::sort(ends.begin(), ends.end());
    for (std::size_t i = 1; i < ends.size(); ++i) ends[i].first = std::max(ends[i].first, ends[i - 1].first + 12);
    double limit = kBottom;
    for (std::size_t i = ends.size(); i-- > 0; limit = ends[i].first - 12)
        ends[i].first = std::min(ends[i].first, limit);
    for (const auto& [y, s] : ends)
        drawing.text(right + 6, y + 4, std::string(1, static_cast<char>('A' + s)), "letter t" + std::to_string(s % 8));
    return drawing;
}

std::vector<LegendEntry> legendOf(const LineFigure& figure) {
    std::vector<LegendEntry> legend;
    const bool letters = hasLetters(figure);
    for (std::size_t s = 0; s < figure.series.size() && figure.series.size() > 1; ++s) {
        Drawing sample(kSampleWidth, kSampleHeight);
        sample.line(0, 6, kSampleWidth, 6, curveLook(s));
        legend.push_back(
            {sample, (letters ? std::string(1, static_cast<char>('A' + s)) + "  " : "") + figure.series[s].label});
    }
    return legend;
}

}  // namespace slipway
