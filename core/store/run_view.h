// A saved view of the run list: which runs, in which order, which columns. One plain file each, views/<name>.json in the
// home, so that the window and `slipway runs --view` share them and a team can copy them. Keys: filter, columns,
// sort ["mfu:desc", ...], scope (active, archived, trash, all), group_by, baseline, charts; missing ones keep their defaults.
//   auto view = readView(home, "layout benchmark");   query.filter = view->filter;
#pragma once

#include "core/store/run_record.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// The field with values drawn as bars.
constexpr const char* kKeyField = "tokens_per_second_per_device";

/// The default columns of a list; the first is the name.
const std::vector<std::string>& usualColumns();

/// A range of a parallel axis: of a field with few values those inside, else its ends.
struct ViewRange {
    std::string field;                ///< or the figure
    std::vector<std::string> values;  ///< as a filter has them
    std::optional<double> low, high;  ///< of a scale
    bool failed = false;              ///< failed runs are inside
    bool operator==(const ViewRange&) const = default;
};

/// What the charts over these runs show. Fields are those of RunField; an empty one keeps what the window has anyway.
struct ViewCharts {
    std::string x, colour, divideBy;  ///< fields of the charts; an empty colour or division: none
    std::string values;               ///< measured, forecast, difference
    std::string kind;                 ///< points, boxes
    std::string mfuRule;              ///< convention that every MFU counts by (FlopsRule); empty: as recorded
    bool logX = false, logY = false;
    std::string figure, rows, columns;  ///< of the heat map
    std::string picture;                ///< axes, front, forecasts
    std::vector<std::string> axes;      ///< fields of the parallel axes
    std::vector<ViewRange> ranges{};    ///< of the parallel axes
    bool operator==(const ViewCharts&) const = default;
};

struct RunView {
    std::string name;
    std::string filter;
    std::vector<std::string> columns;  ///< fields; empty: the list's defaults
    std::vector<SortKey> sort;
    RunScope scope = RunScope::Active;
    std::string groupBy;  ///< field; empty: not grouped
    RunId baseline;       ///< that the others are compared with; empty: none
    std::optional<ViewCharts> charts;
};

/// Conversion between "mfu:desc" and a sort key.
SortKey sortKeyFrom(const std::string& text);
std::string sortText(const SortKey& key);

/// Names of the views in the home, sorted; foreign files are skipped.
std::vector<std::string> viewNames(const Home& home);
/// "view_missing" with the existing names; "bad_view" where the file has unknown keys or fields, or an invalid filter.
Result<RunView> readView(const Home& home, const std::string& name);
/// Writes or replaces it: "bad_name", "bad_view" as above, "file_unwritable".
Result<void> saveView(const Home& home, const RunView& view);
/// "view_missing".
Result<void> removeView(const Home& home, const std::string& name);

}  // namespace slipway
