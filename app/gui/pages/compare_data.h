// Data of the Compare page, loaded off the main thread: runs grouped over seeds, their curves, the field plot's points
// and the table of differences. No widgets here.
//   CompareRequest request{.runs = ids, .metric = "loss"};   CompareData data = loadCompare(home, request, token);
#pragma once

#include "app/gui/pages/curve_data.h"
#include "app/gui/values/difference_row.h"
#include "app/gui/widgets/metric_chart.h"
#include "core/spec/stored_config.h"
#include "core/store/run_store.h"

#include <QString>
#include <QStringList>
#include <QVector>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::gui {

/// Number of background runs in the summary's plot; the tab "Charts" shows any number.
inline constexpr std::int64_t kMaxOtherRuns = 2000;

struct CompareRequest {
    std::vector<RunId> runs;      ///< in the order of the list; the first is the baseline
    std::string metric = "loss";  ///< of metric_names.h, derived ones included
    CurveX x = CurveX::Step;
    double smoothing = 0;               ///< EMA weight, 0 = none
    std::string plotX = "parallel.tp";  ///< a field of the store
    std::string plotY = "mfu";          ///< figure key
    bool groupSeeds = true;
};

/// Runs that differ only in their seed are adjacent.
struct CompareGroup {
    QString letter;
    std::vector<RunRecord> members;  ///< never empty
    StoredConfig config;             ///< of the first member
    Curve curve;
    QString name;         ///< "dp 2 × tp 2" or the run's name
    bool failed = false;  ///< no member completed

    /// Median of a figure over the members with a value; empty when there is none.
    [[nodiscard]] std::optional<double> middle(std::optional<double> RunFigures::*figure, bool forecast) const;
    /// Interquartile range over the members; empty with fewer than two.
    [[nodiscard]] std::optional<double> spread(std::optional<double> RunFigures::*figure) const;
};

/// A point of the field plot.
struct PlotPoint {
    RunId run;
    QString x;  ///< category or number as text
    std::optional<double> xNumber;
    double y = 0;  ///< NaN: failed or unknown, drawn at the foot
    std::optional<double> forecast;
    QString name;
    QString reason;  ///< reason of its failure
    int group = -1;  ///< index of the compared group; -1: another run of the store
};

struct CompareData {
    std::vector<CompareGroup> groups;
    std::vector<PlotPoint> points;
    std::int64_t numOthers = 0;  ///< runs outside the comparison; the newest kMaxOtherRuns of them are points
    std::vector<DifferenceRow> rows;
    int numFields = 0;  ///< leaves of the configs
    int numDiffering = 0;
    int numUnknown = 0;  ///< fields that not all of the runs record
    std::int64_t numWithoutValue =
        0;                   ///< compared runs that ended well without the plotted figure: not among the points
    QStringList unreadable;  ///< unreadable runs, with the reason
    bool anySpread = false;  ///< at least one group has repeats
    QString plotRule;        ///< MFU rule of the points
};

/// Reads everything in the request. Unreadable runs are listed, not dropped.
CompareData loadCompare(const Home& home, const CompareRequest& request, const std::stop_token& token);

/// "Step", above the values at the pointer.
QString curveXName(CurveX x);
/// Letter of the index-th group: A..Z, then AA.
QString groupLetter(int index);
/// "dp 2 × tp 2 × pp 1, mb 2": the layout in short.
QString layoutText(const RunConfig& config);
/// The same, "?" where the run's source lacks its layout.
QString layoutText(const StoredConfig& config);
/// A formatted figure, by its key ("mfu" -> "39.4 %"); non-finite values as NaN and inf.
QString figureText(std::string_view key, std::optional<double> value);
/// Difference of a figure from another: fractions in points, others relative. Empty where unknown.
QString differenceText(std::string_view key, std::optional<double> value, std::optional<double> against);
/// +1 where more is better for the key, -1 where less is, 0 neither.
int betterDirection(std::string_view key);

}  // namespace slipway::gui
