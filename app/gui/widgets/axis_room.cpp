#include "app/gui/widgets/axis_room.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace slipway::gui {

std::vector<AxisPlace> placeAxes(const std::vector<AxisNeed>& axes, double width) {
    std::vector<AxisPlace> places(axes.size());
    std::vector<std::size_t> order(axes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto rank = [&](std::size_t i) {
        return std::tuple(!axes[i].isFigure, !axes[i].wanted.value_or(false), -axes[i].weight);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    double left = width;
    int shown = 0;
    for (const std::size_t i : order) {
        const AxisNeed& axis = axes[i];
        AxisFate& fate = places[i].fate;
        if (axis.wanted == false)
            fate = AxisFate::Hidden;
        else if (axis.isConstant && !axis.isFigure)
            fate = AxisFate::Constant;
        else if (!axis.isFigure && axis.width > left)
            fate = AxisFate::NoRoom;
        if (fate != AxisFate::Shown) continue;
        left -= axis.width;
        ++shown;
    }
    const double spare = shown > 0 ? std::max(left, 0.0) / shown : 0;
    double x = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (places[i].fate != AxisFate::Shown) continue;
        places[i].left = x;
        places[i].width = axes[i].width + spare;
        x += places[i].width;
    }
    return places;
}

}  // namespace slipway::gui
