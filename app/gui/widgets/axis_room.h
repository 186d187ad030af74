// Selection of axes in a picture with many: the informative ones, as many as are readable side by side.
//   placeAxes({{60, 1, false, true}, {40, 0.7}, {40, 0.2}}, 110)  // the figure and the first choice; the last does not fit
#pragma once

#include <optional>
#include <vector>

namespace slipway::gui {

struct AxisNeed {
    double width = 0;            ///< for its name and its labels, in logical pixels
    double weight = 0;           ///< larger ones are placed first
    bool isConstant = false;     ///< all lines have the same value
    bool isFigure = false;       ///< placed before all others, for any width
    std::optional<bool> wanted;  ///< chosen or hidden by the person; empty: if it fits
};

enum class AxisFate { Shown, Constant, NoRoom, Hidden };

struct AxisPlace {
    AxisFate fate = AxisFate::Shown;
    double left = 0, width = 0;  ///< of its slot; 0 where not shown
};

/// Figures first, then chosen axes, then by weight; the remaining width is divided evenly. Order is kept.
std::vector<AxisPlace> placeAxes(const std::vector<AxisNeed>& axes, double width);

}  // namespace slipway::gui
