// What the Run page shows, loaded off the main thread: the run's record, its curves, ranks, log tails and measured
// spans. No widgets here.
//   Result<RunView> view = loadRun(home, id, token);
#pragma once

#include "app/gui/widgets/metric_chart.h"
#include "core/planner/plan.h"
#include "core/store/run_store.h"

#include <QString>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::gui {

/// Newest health line of a rank (ranks/rank_N.jsonl); absent figures have not been written yet.
struct RankState {
    std::int64_t rank = 0;
    std::optional<std::int64_t> step;
    std::optional<double> tensorBytes, tensorPeakBytes, rssBytes, stepSeconds;
    /// Of the rank's GPU; absent on a CPU and for what a device does not tell.
    std::optional<double> deviceClockHertz, devicePowerWatts, deviceTemperatureCelsius, deviceMemoryUsedBytes;
    std::vector<std::string> deviceThrottled;  ///< reasons, such as "hw_thermal"
};

enum class LogLevel { Info, Warning, Error };

struct LogLine {
    std::int64_t rank = 0;
    QString text;
    LogLevel level = LogLevel::Info;
};

struct RunView {
    RunRecord record;
    RunConfig config;
    std::optional<Plan> plan;  ///< the forecast made anew from plan.json's hardware; for the schedule drawing
    MetricSeries loss, evalLoss, tokensPerSecond, gradNorm, waiting, memory;
    std::vector<EventRecord> events;  ///< newest first
    std::vector<AttemptRecord> attempts;
    std::vector<RankState> ranks;
    std::vector<LogLine> log;             ///< tails of all ranks
    std::vector<TimeSpan> measuredSpans;  ///< of the first replica's pipeline ranks, newest recorded step
    std::int64_t spansStep = 0;
};

/// "run_missing" and the store's errors. Files that do not exist yet are just empty.
Result<RunView> loadRun(const Home& home, const RunId& id, const std::stop_token& token);
/// The newest run that is not in the trash; empty id when there is none.
Result<RunId> latestRun(const Home& home);

/// The series in at most 800 buckets: mean line, min-max band, non-finite marks.
Curve curveOf(const MetricSeries& series, int colour, const QString& name);
/// Colour of a log line by its words.
LogLevel levelOf(const QString& line);

}  // namespace slipway::gui
