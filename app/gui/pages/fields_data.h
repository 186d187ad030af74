// Data of the charts over fields, read off the main thread: the runs that are chosen or match a filter, each with the
// values of some fields. No limit on their number. No widgets here.
//   FieldsRequest request{.filter = "nodes:8", .fields = {"parallel.tp"}};   FieldsData data = loadFields(store, request, token);
#pragma once

#include "app/gui/widgets/field_chooser.h"
#include "app/gui/widgets/field_plot.h"
#include "app/gui/widgets/heat_map.h"
#include "core/planner/count/flops.h"
#include "core/store/run_store.h"

#include <QString>
#include <array>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

namespace slipway::gui {

struct FieldsRequest {
    std::vector<RunId> runs;  ///< empty: all matches of the filter
    std::string filter;
    std::vector<std::string> fields;        ///< of the store; each row has their cells
    std::optional<FlopsRule> mfuRule = {};  ///< FLOP convention of every MFU; empty: each as recorded
};

struct FieldsData {
    std::vector<RunRow> rows;
    std::vector<std::string> repeats;  ///< one per run: equal for runs that differ only in their seed
    bool repeatsAreKnown = true;       ///< false: there are more configs than were examined
    int numRan = 0, numFailed = 0, numOther = 0;
    int numSkipped = 0;      ///< trials of the runs' sweeps that were never started, and so are not runs
    int numNotRescored = 0;  ///< runs with an MFU of unknown convention or model: excluded under the rule
    QString problem;         ///< reason for an empty result: from the filter or the store
};

/// Values of runs in the charts.
enum class FieldValue { Measured, Forecast, Difference };

/// Derived facts of a config.
struct ConfigFacts {
    std::string repeats;  ///< equal for configs that differ only in their seed
    /// FLOPs per token by FlopsRule; NaN where the source of the run lacks its model.
    std::array<double, std::tuple_size_v<decltype(enumNames(FlopsRule{}))>> flopsPerToken{};
};
/// By config hash: facts from one reading, reused by the next.
using RepeatCache = std::map<std::string, ConfigFacts>;

/// Maximum number of configs read to find repeats and FLOPs, one per config hash.
inline constexpr std::size_t kMaxRepeatConfigs = 3000;

FieldsData loadFields(RunStore& store, const FieldsRequest& request, RepeatCache& cache, const std::stop_token& token);

/// Fields for ordering runs, in groups; figures last.
std::vector<ChoiceOfField> choicesOfFields();
/// A formatted cell.
QString textOf(const std::string& field, const CellValue& value);
/// The number in a cell; empty for texts, unknown and non-finite values.
std::optional<double> numberOf(const CellValue& value);
/// Distinct values of a cell in order: numbers, then texts.
std::vector<CellValue> valuesOf(const FieldsData& data, std::size_t cell);

/// A figure of a run: measured, forecast, or the measurement minus the forecast (fractions) or relative to it (all others).
std::optional<double> figureOf(const RunRecord& run, const std::string& measure, FieldValue value);
QString valueText(const std::string& measure, FieldValue value, double figure);
bool hasFailed(RunStatus status);

/// The points of one chart; runs that neither failed nor have the figure are omitted and counted.
struct FieldPoints {
    std::vector<FieldPoint> points;
    int numWithout = 0;
};
struct PointsQuestion {
    std::string measure;
    FieldValue value = FieldValue::Measured;
    std::string xField;
    std::size_t x = 0;                                       ///< cell
    std::optional<std::size_t> colour;                       ///< cell
    std::optional<std::pair<std::size_t, CellValue>> facet;  ///< cell and its value
};
FieldPoints pointsOf(const FieldsData& data, const PointsQuestion& question);

/// The best layout for every pair of two fields; `rows` of each cell are indices into the data.
struct FieldCells {
    HeatGrid grid;
    std::vector<std::vector<std::size_t>> runs;
};
/// @param rowCell, columnCell cells of the data, of the named fields
FieldCells cellsOf(const FieldsData& data, const std::string& measure, const std::string& rowField, std::size_t rowCell,
                   const std::string& columnField, std::size_t columnCell);

/// Verdict on the two best groups from the repeats: "within the spread of repeats" or beyond it; empty without repeats.
QString noiseText(const FieldsData& data, const std::string& measure);

}  // namespace slipway::gui
