// Distance of a plan from the runs of its stack's calibration.
#pragma once

#include "core/base/message.h"
#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"

#include <optional>

namespace slipway {

/// Widens the range so that it covers this run.
void cover(SoftwareStack& stack, const RunConfig& config, const ClusterSpec& cluster);

/// Standard deviation of the logarithm of a step time: the stack's own residuals, plus kSpreadPerDoubling for each doubling by which an
/// axis (nodes, model size, sequence length, stages, micro-batches) is outside the calibrated range.
double stepSpread(const SoftwareStack& stack, const RunConfig& config, const ClusterSpec& cluster);

/// The first axis on which the run is outside, as a sentence with both figures; empty: it is inside.
std::optional<Message> extrapolation(const SoftwareStack& stack, const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
