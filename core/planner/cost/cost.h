// Device-hours, wall-clock time and money.
//   deviceHours(8.4e22, 312e12, 0.45) == 166192
#pragma once

#include "core/planner/values/forecast.h"

#include <optional>

namespace slipway {

/// Hours of one device: FLOPs / (peak * mfu) / 3600.
double deviceHours(double flops, double peakFlops, double mfu);
/// Wall-clock seconds on this many `devices`.
double trainingSeconds(double flops, double peakFlops, double mfu, double devices);
/// Money for device-hours; empty when the price is unknown (an unknown price is never 0).
std::optional<double> money(double deviceHours, std::optional<double> pricePerHour);
/// Hours of renting after which buying is cheaper; without power and hosting.
double breakEvenHours(double price, double rentPerHour);
/// Devices needed to hold this many bytes.
double devicesToHold(double bytes, double bytesPerDevice);

/// Billed devices of a run: the ranks on a CPU node share it.
double billedDevices(const RunConfig& config, const ClusterSpec& cluster);
/// Cost of a planned run.
CostEstimate estimateCost(const RunConfig& config, const ClusterSpec& cluster, double stepSeconds);

}  // namespace slipway
