// Figures as inline SVG. Colours are classes of the page's style sheet, so one drawing serves light, dark and paper.
#pragma once

#include "core/report/report.h"

namespace slipway {

std::string toSvg(const BarFigure& figure);
std::string toSvg(const StackFigure& figure);
std::string toSvg(const LineFigure& figure);
std::string toSvg(const WaterfallFigure& figure);

/// 4 to 6 round ticks that cover [low, high]; one tick if the range is empty.
std::vector<double> roundTicks(double low, double high);

/// Width of a text at 12 px in a system sans font, within a few percent; used to reserve space for labels.
double textWidth(const std::string& text);

}  // namespace slipway
