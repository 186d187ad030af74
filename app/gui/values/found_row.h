// One row of the Search tab's results.
#pragma once

#include "core/planner/search/layout_search.h"

#include <QString>

namespace slipway::gui {

struct FoundRow {
    FoundLayout layout;
    int rank = 0;  ///< by the objective, from 1; 0: on the front, but not among the listed best
    bool onFront = false;
    bool isCurrent = false;  ///< the plan's own layout
    /// The layout in one line, in the language of the window.
    [[nodiscard]] QString text() const;
};

}  // namespace slipway::gui
