// Times of a software stack: efficiencies, the host's time to launch a layer, waits.
#pragma once

#include "core/planner/time/step.h"

namespace slipway {

/// Efficiencies of products, attention and elementwise work. The host's time is not per operation but per layer, below.
void applyStack(const SoftwareStack& stack, TimeConstants& constants);

/// A layer takes its device's time or its host's, whichever is longer (a smooth maximum); a slot of a pipeline takes a
/// message, announced and waited for. Waits are addWaits()'s (time/step.h).
void applyStack(const RunConfig& config, const ClusterSpec& cluster, TimeTable& table);

/// Adds the spread of a stack's forecasts of this config, and their label.
void addSpread(const RunConfig& config, const ClusterSpec& cluster, TimeTable& table);

/// What a run that waits loses in a step: a wait per message of the busiest rank, to and from each neighbour for each
/// micro-batch, and the passes that fill the pipeline.
double waitSeconds(const SoftwareStack& stack, const PipelineShape& shape);

}  // namespace slipway
