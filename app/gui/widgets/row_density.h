// Height of the rows of all tables: comfortable (25 units) or compact (20), a choice of the person's.
#pragma once

class QTableView;

namespace slipway::gui {

/// The setting that keeps the choice: true for compact.
constexpr const char* kCompactRowsSetting = "general/compactRows";

int tableRowHeight();
/// Sets the rows of the view, now and whenever the choice changes.
void followRowDensity(QTableView* view);
/// Changes every table that is open.
void setCompactRows(bool on);

}  // namespace slipway::gui
