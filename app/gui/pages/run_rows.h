// The rows of the Run page's tables: forecast beside measurement, and events.
#pragma once

#include "app/gui/models/rows_model.h"
#include "app/gui/pages/run_data.h"

#include <memory>
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
    std::optional<double> promised;    ///< as recorded
    std::shared_ptr<const Plan> plan;  ///< today's forecast, which may differ
    QString measuredTip;               ///< method of measurement

    bool operator==(const PromiseRow&) const = default;
};

std::vector<RowColumn<PromiseRow>> promiseColumns();
std::vector<PromiseRow> promiseRows(const RunView& view);
std::vector<RowColumn<EventRecord>> eventColumns();
/// Beside the title of the events: their order, or that there are none.
QString eventsNote(const RunView& view);
/// "Update skipped: weights and moments stay as they were", in the window's language.
QString eventText(const std::string& name, const std::string& detail);

}  // namespace slipway::gui
