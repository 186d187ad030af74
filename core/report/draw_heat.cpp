#include "core/report/drawing.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr double kCellHeight = 36;
constexpr double kTop = 40;  // two lines: name and values of the columns
constexpr int kShades = 6;

struct Range {
    double low = 0, high = 0;
};

Range rangeOf(const HeatFigure& figure) {
    Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const HeatFigure::Cell& cell : figure.cells)
        if (cell.state == HeatFigure::State::Value && std::isfinite(cell.value)) {
            range.low = std::min(range.low, cell.value);
            range.high = std::max(range.high, cell.value);
        }
    return range;
}

/// The darkest is the best.
int shadeOf(const HeatFigure& figure, const Range& range, double value) {
    if (!(range.high > range.low) || !std::isfinite(value)) return kShades - 1;
    double share = (value - range.low) / (range.high - range.low);
    if (figure.isLessBetter) share = 1 - share;
    return std::min(kShades - 1, static_cast<int>(share * kShades));
}

double cellWidth(const HeatFigure& figure) {
    double width = 64;
    for (const HeatFigure::Cell& cell : figure.cells)
        width = std::max({width, textWidth(cell.text) + 12, textWidth(cell.below) * 0.9 + 12});
    for (const std::string& column : figure.columns) width = std::max(width, textWidth(column) + 8);
    return std::min(width, 150.0);
}

}  // namespace

Drawing draw(const HeatFigure& figure) {
    double label = textWidth(figure.rowName);
    for (const std::string& row : figure.rows) label = std::max(label, textWidth(row));
    const double left = std::min(label, 180.0) + 10, width = cellWidth(figure);
    const double right = left + width * static_cast<double>(figure.columns.size());
    Drawing drawing(std::max(kFigureWidth, right + 2), kTop + kCellHeight * static_cast<double>(figure.rows.size()) + 4,
                    figure.title);
    drawing.text(left, 12, figure.columnName, "tick");
    drawing.text(left - 8, kTop - 10, fitted(figure.rowName, left - 10), "tick", "end");
    for (std::size_t c = 0; c < figure.columns.size(); ++c)
        drawing.text(left + width * (static_cast<double>(c) + 0.5), kTop - 10, fitted(figure.columns[c], width - 4), "",
                     "middle");
    const Range range = rangeOf(figure);
    for (std::size_t r = 0; r < figure.rows.size(); ++r) {
        const double y = kTop + kCellHeight * static_cast<double>(r);
        drawing.text(left - 8, y + kCellHeight / 2 + 4, fitted(figure.rows[r], left - 10), "", "end");
        for (std::size_t c = 0; c < figure.columns.size(); ++c) {
            const HeatFigure::Cell& cell = figure.cells[r * figure.columns.size() + c];
            if (cell.state == HeatFigure::State::Empty) continue;
            const double x = left + width * static_cast<double>(c), middle = x + width / 2;
            std::string ink = "quiet";
            if (cell.state == HeatFigure::State::Value) {
                const int shade = shadeOf(figure, range, cell.value);
                drawing.rect(x + 1, y + 1, width - 2, kCellHeight - 2, "cell h" + std::to_string(shade));
                ink = shade >= 3 ? "paper" : "ink";
            } else {
                const bool isFailed = cell.state == HeatFigure::State::Failed;
                drawing.rect(x + 2, y + 2, width - 4, kCellHeight - 4, isFailed ? "broken" : "hole");
                if (isFailed) ink = "bad";
            }
            const double line = y + (cell.below.empty() ? kCellHeight / 2 + 4 : 16);
            drawing.text(middle, line, fitted(cell.text, width - 6), ink, "middle");
            if (!cell.below.empty())
                drawing.text(middle, y + 29, fitted(cell.below, (width - 6) / 0.9), ink + " small", "middle");
        }
    }
    return drawing;
}

/// Every cell has its own text.
std::vector<LegendEntry> legendOf(const HeatFigure&) {
    return {};
}

}  // namespace slipway
