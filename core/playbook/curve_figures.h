// Figures that a claim reads from the recorded curve of a run, named by its metric:
//   "loss@40", "noise_scale@150"   the value at that step
//   "mean_3x_alarms", "mean_5x_alarms", "robust_z_alarms"   steps of the loss that a spike rule reports, replayed over the curve
#pragma once

#include "core/metrics/metric_series.h"
#include "core/playbook/experiment_run.h"

#include <functional>

namespace slipway {

/// The series behind a metric; empty for a metric of a run's summary.
std::string seriesOf(const std::string& metric);

/// The figure; empty where the curve has no value at that step, or for a metric of another kind.
std::optional<double> curveFigure(const std::string& metric, const MetricSeries& series);

/// Adds the experiment's figures from curves, for each completed trial. @param read a run's series
Result<void> addCurveFigures(const Experiment& experiment, const SweepResult& result,
                             const std::function<Result<MetricSeries>(const RunId&, const std::string&)>& read,
                             Measurements& measurements);

}  // namespace slipway
