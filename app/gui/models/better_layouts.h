// The table of "Better layouts" on the Plan page: its columns, those hidden first in a narrow window, and the figure of each.
#pragma once

#include "app/gui/models/rows_model.h"
#include "app/gui/values/layout_row.h"

namespace slipway::gui {

std::vector<RowColumn<LayoutRow>> betterLayoutColumns(bool gpu);
/// Throughput repeats the step time, a bubble is part of it, most layouts have no cp: they are hidden where space is short.
QList<int> dispensableLayoutColumns();
/// Name of the figure in a column; empty for degrees.
std::string figureOfLayoutColumn(int column);

}  // namespace slipway::gui
