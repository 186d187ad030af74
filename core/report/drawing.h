// A figure as shapes, independent of the page: HTML writes them as SVG, PDF paints them.
//   Drawing drawing = draw(figure);   toSvg(drawing);
// Colours are names of the page's style (html_style.cpp, pdf_look.cpp), so one drawing serves light, dark and paper.
#pragma once

#include "core/report/report.h"

#include <string>
#include <vector>

namespace slipway {

/// Wider drawings take the full width of a page.
constexpr double kFigureWidth = 560;

Drawing draw(const BarFigure& figure);
Drawing draw(const StackFigure& figure);
Drawing draw(const LineFigure& figure);
Drawing draw(const WaterfallFigure& figure);
Drawing draw(const HeatFigure& figure);
Drawing draw(const PictureFigure& figure);

std::vector<LegendEntry> legendOf(const BarFigure& figure);
std::vector<LegendEntry> legendOf(const StackFigure& figure);
std::vector<LegendEntry> legendOf(const LineFigure& figure);
std::vector<LegendEntry> legendOf(const WaterfallFigure& figure);
std::vector<LegendEntry> legendOf(const HeatFigure& figure);
std::vector<LegendEntry> legendOf(const PictureFigure& figure);

/// A figure with all surrounding text.
struct DrawnFigure {
    std::string title, unit, caption;
    std::vector<LegendEntry> legend;
    Drawing drawing;
};
/// Empty where the block is not a figure.
std::optional<DrawnFigure> drawnFigure(const Block& block);

/// An <svg> element; text is escaped here.
std::string toSvg(const Drawing& drawing);
/// The same as a separate file, on white: each shape has its colours (pdf_look.h) instead of style names.
std::string toSvgFile(const Drawing& drawing);

/// Equal except for rounding in the last digits: no tick between them would be useful.
bool differByRounding(double low, double high);
/// 4 to 6 round ticks that cover [low, high]; one tick if the range is empty.
std::vector<double> roundTicks(double low, double high);

/// Width of a text at 12 px in a system sans font, within a few percent; used to reserve space for labels.
double textWidth(const std::string& text);
/// The text, or its beginning with an ellipsis, within this many pixels.
std::string fitted(const std::string& text, double width);

/// The figure's format, or three significant digits.
std::string tickText(double value, NumberFormat format);

}  // namespace slipway
