// The table below the charts of a board: what each run has at the pointer.
#pragma once

#include "app/gui/pages/board_data.h"

#include <QString>
#include <optional>
#include <string>

class QTableWidget;

namespace slipway::gui {

/// A value of a metric as people read it.
QString metricText(const std::string& metric, double value);

/// A row per run with its values at x (the last ones without), and their differences from the first run. Returns how many runs
/// are shown: at most 100.
int fillReadOut(QTableWidget& table, const BoardData& data, std::optional<double> x);

}  // namespace slipway::gui
