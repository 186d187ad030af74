// The words of the Search tab: the state shown instead of results, and the line above them.
#pragma once

#include "app/gui/pages/search_controller.h"

namespace slipway::gui {

class StatePanel;

/// Reason for missing rows, with the remedy. @param search outlives the panel's buttons
void showSearchState(StatePanel& panel, SearchController& search);

/// Progress or result of a search: "1,204,224 layouts evaluated in 3.1 s".
QString searchStatusText(const SearchController& search);

}  // namespace slipway::gui
