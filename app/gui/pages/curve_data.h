// Curves of runs by their metrics, recorded and derived, over steps, tokens, time or FLOPs. No widgets here.
//   ThinSeries mfu = metricOf(store, source, "mfu", 1000);
#pragma once

#include "core/metrics/metric_series.h"
#include "core/spec/stored_config.h"
#include "core/store/run_store.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slipway::gui {

enum class CurveX { Step, Tokens, Time, Flops };

struct CurveSource {
    RunRecord record;
    StoredConfig config;
    std::int64_t numDevices = 0;  ///< 0: unknown
};

/// The stored config of a run; empty where unreadable.
std::optional<StoredConfig> configOf(const RunRecord& record);
/// Number of devices of a run: from its config, else from its last attempt; 0 if unknown.
std::int64_t numDevicesOf(RunStore& store, const RunId& run, const StoredConfig& config);
/// Reference values of a run's derived figures.
DeriveBasis basisOf(const CurveSource& run);
bool isDerived(const std::string& metric);

struct StepRange {
    std::int64_t from = std::numeric_limits<std::int64_t>::min() + 1, to = std::numeric_limits<std::int64_t>::max();
};

/// The steps of a part of the axis, with the next step on both sides; all if nothing of the run is known to be there.
StepRange stepsOf(RunStore& store, const CurveSource& run, CurveX x, const std::pair<double, double>& part);

/// A metric in at most `buckets` buckets; empty for a run without it.
ThinSeries metricOf(RunStore& store, const CurveSource& run, const std::string& metric, std::size_t buckets,
                    const StepRange& steps = {});
/// All valid points of a metric.
MetricSeries pointsOf(RunStore& store, const CurveSource& run, const std::string& metric);
/// The points of earlier attempts superseded by later ones; none for derived metrics.
std::vector<MetricSeries> supersededOf(RunStore& store, const CurveSource& run, const std::string& metric);
/// x coordinates of ascending steps; NaN where unknown.
std::vector<double> abscissa(RunStore& store, const CurveSource& run, const std::vector<std::int64_t>& steps, CurveX x);

}  // namespace slipway::gui
