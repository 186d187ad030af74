// Curves of runs by their metrics, recorded and derived, over steps, tokens, time or FLOPs. No widgets here.
//   ThinSeries mfu = metricOf(store, source, "mfu", 1000);
#pragma once

#include "core/metrics/metric_series.h"
#include "core/spec/stored_config.h"
#include "core/store/run_store.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway::gui {

enum class CurveX { Step, Tokens, Time, Flops };

struct CurveSource {
    RunRecord record;
    StoredConfig config;
    std::int64_t numDevices = 0;  ///< 0: unknown
};

/// The config of a run as it is kept; empty where it cannot be read.
std::optional<StoredConfig> configOf(const RunRecord& record);
/// The devices that a run has: by its config, else by its last attempt; 0 where both lack it.
std::int64_t numDevicesOf(RunStore& store, const RunId& run, const StoredConfig& config);
/// What the derived figures of a run are measured against.
DeriveBasis basisOf(const CurveSource& run);
bool isDerived(const std::string& metric);

/// A metric in at most `buckets` buckets; empty where the run has none.
ThinSeries metricOf(RunStore& store, const CurveSource& run, const std::string& metric, std::size_t buckets);
/// All points in force of a metric.
MetricSeries pointsOf(RunStore& store, const CurveSource& run, const std::string& metric);
/// The points of earlier attempts that a later one superseded; none of derived metrics.
std::vector<MetricSeries> supersededOf(RunStore& store, const CurveSource& run, const std::string& metric);
/// x coordinates of ascending steps; NaN where they are not known.
std::vector<double> abscissa(RunStore& store, const CurveSource& run, const std::vector<std::int64_t>& steps, CurveX x);

}  // namespace slipway::gui
