// The table below the charts of a board: each run's values at the pointer.
#pragma once

#include "app/gui/pages/board_data.h"

#include <QString>
#include <optional>
#include <string>
#include <vector>

class QTableWidget;

namespace slipway::gui {

/// A formatted value of a metric.
QString metricText(const std::string& metric, double value);

/// A row per run with its values at x (without x the last ones), and their differences from the first run. Returns the
/// number of shown runs: at most 100.
int fillReadOut(QTableWidget& table, const BoardData& data, const std::vector<BoardChart>& charts,
                std::optional<double> x);

}  // namespace slipway::gui
