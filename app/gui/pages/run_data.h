// Data of the Run page, loaded off the main thread: the run's record, its curves, ranks, log tails and measured spans.
// No widgets here.
//   auto view = loadRun(home, id, token);   ...   view = reloadRun(home, *view, token);   // reads only what is new
#pragma once

#include "app/gui/values/log_line.h"
#include "app/gui/widgets/metric_chart.h"
#include "core/planner/plan.h"
#include "core/run/end_file.h"
#include "core/spec/stored_config.h"
#include "core/store/run_store.h"

#include <QString>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::gui {

/// Newest health line of a rank (ranks/rank_N.jsonl); absent figures are not written yet.
struct RankState {
    std::int64_t rank = 0;
    std::optional<std::int64_t> step;
    std::optional<double> tensorBytes, tensorPeakBytes, rssBytes, stepSeconds;
    /// Of the rank's GPU; absent on a CPU and where a device does not report them.
    std::optional<double> deviceClockHertz, devicePowerWatts, deviceTemperatureCelsius, deviceMemoryUsedBytes;
    std::vector<std::string> deviceThrottled;  ///< reasons, such as "hw_thermal"
};

constexpr std::size_t kFineBuckets = 2000;

/// The run's stream in the index, up to `position`. At most 2 kFineBuckets buckets per curve.
struct RunCurves {
    ThinSeries loss, evalLoss, gradNorm, waiting, memory, tokens, stepSeconds;
    ThinSeries tokensPerSecond;       ///< per device
    std::vector<EventRecord> events;  ///< newest first
    std::vector<AttemptRecord> attempts;
    StreamPosition position;
};

/// Contents of the ranks' files; `files` are their sizes and times.
struct RunRanks {
    std::vector<RankState> ranks;
    std::vector<LogLine> log;             ///< tails of all ranks
    std::vector<TimeSpan> measuredSpans;  ///< of the first replica's pipeline ranks, newest recorded step
    std::int64_t spansStep = 0;
    std::vector<std::pair<std::uintmax_t, std::filesystem::file_time_type>> files;
};

struct RunView : RunCurves, RunRanks {
    RunRecord record;
    std::optional<RunEnd> end;         ///< of a failed run
    Message noFigures;                 ///< why a program's run without steps has none, with the remedy; else empty
    std::vector<std::string> nodes;    ///< of its newest attempt, if started over SSH; empty: not over SSH
    StoredConfig stored;               ///< its config
    std::int64_t numDevices = 0;       ///< 0: unknown
    std::shared_ptr<const Plan> plan;  ///< today's forecast on plan.json's hardware; null where unknown
};

/// "run_missing" and the store's errors. Missing files count as empty.
Result<std::shared_ptr<const RunView>> loadRun(const Home& home, const RunId& id, const std::stop_token& token);
/// The same for a run loaded before: points in `before` are not reread. Returns `before` itself if there is no
/// news.
Result<std::shared_ptr<const RunView>> reloadRun(const Home& home, const std::shared_ptr<const RunView>& before,
                                                 const std::stop_token& token);
/// Writes all points of the view's curves as CSV: metric, step, value.
Result<void> exportCurves(const Home& home, const RunView& view, const std::filesystem::path& file);
/// The newest run that is not in the trash; empty id when there is none.
Result<RunId> latestRun(const Home& home);

/// The series in at most 800 buckets: mean line, min-max band, non-finite marks.
Curve curveOf(const ThinSeries& series, int colour, const QString& name);

}  // namespace slipway::gui
