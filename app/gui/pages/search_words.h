// The words of the Search tab: the state shown in place of results, and the line above them.
#pragma once

#include "app/gui/pages/search_controller.h"

namespace slipway::gui {

class StatePanel;

/// Why there are no rows, and what to do about it. @param search outlives the panel's buttons
void showSearchState(StatePanel& panel, SearchController& search);

/// How far a search is or what it found: "1,204,224 layouts judged in 3.1 s".
QString searchStatusText(const SearchController& search);

}  // namespace slipway::gui
