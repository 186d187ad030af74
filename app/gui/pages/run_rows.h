// The rows of the Run page's tables: forecast beside measurement, and events.
#pragma once

#include "app/gui/models/rows_model.h"
#include "app/gui/pages/run_data.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway::gui {

/// One line of "Forecast and measurement".
struct PromiseRow {
    std::string figure;  ///< key
    QString name;
    QString forecast;
    QString measured;
    std::optional<double> difference;  ///< relative; empty: unknown
    QString differenceShown;
    QString forecastTip;  ///< where the forecast's formula yields a different number from the stored one
    QString measuredTip;  ///< method of measurement
};

std::vector<RowColumn<PromiseRow>> promiseColumns();
std::vector<PromiseRow> promiseRows(const RunView& view);
std::vector<RowColumn<EventRecord>> eventColumns();
/// "Update skipped: weights and moments stay as they were", in the window's language.
QString eventText(const std::string& name, const std::string& detail);

}  // namespace slipway::gui
