// One row of "Better layouts" on the Plan page: a layout with its forecast.
#pragma once

#include "core/planner/plan.h"

#include <memory>

namespace slipway::gui {

struct LayoutRow {
    LayoutChoice choice;
    std::shared_ptr<const Plan> plan;
    bool isCurrent = false;
    int rank = 0;       ///< 1: the fastest; 0: below the ranked ones
    double change = 0;  ///< step time against the current plan, -0.16 = 16 % faster
};

}  // namespace slipway::gui
