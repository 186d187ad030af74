// Which axes of a picture with many of them are drawn: the informative ones, as many as can be read side by side.
//   placeAxes({{60, 1, false, true}, {40, 0.7}, {40, 0.2}}, 110)  // the figure and the first choice; the last has no room
#pragma once

#include <optional>
#include <vector>

namespace slipway::gui {

struct AxisNeed {
    double width = 0;            ///< its name and its labels need, in logical pixels
    double weight = 0;           ///< the larger, the sooner it gets room
    bool isConstant = false;     ///< all lines have the same value
    bool isFigure = false;       ///< has room before all others, whatever the width
    std::optional<bool> wanted;  ///< chosen or hidden by the person; empty: as there is room
};

enum class AxisFate { Shown, Constant, NoRoom, Hidden };

struct AxisPlace {
    AxisFate fate = AxisFate::Shown;
    double left = 0, width = 0;  ///< of its slot; 0 where it is not shown
};

/// Figures first, then chosen axes, then by weight; the remaining width is divided evenly. Order is kept.
std::vector<AxisPlace> placeAxes(const std::vector<AxisNeed>& axes, double width);

}  // namespace slipway::gui
