// Memory of a software stack: its facts and its six memory constants in the planner's table.
#pragma once

#include "core/planner/memory/memory.h"

namespace slipway {

/// Bytes by the stack's facts and its six memory constants.
/// @param keepGathers gathered inputs are saved; false: they are gathered again in the backward pass
void applyStack(const RunConfig& config, const SoftwareStack& stack, bool keepGathers, MemoryTable& table);

/// Bytes of the fullest rank.
struct PeakBytes {
    double kept = 0;  ///< with gathered inputs saved
    double live = 0;  ///< without them
};
/// For a layout; two tables and two passes over its ranks where the stack saves gathered inputs.
PeakBytes stackPeakBytes(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline);

/// True when gathered inputs are kept: by a stack that does, in a run that more likely does not wait, where they fit.
/// A host that waits frees its inputs before it fetches more.
bool keepsGathers(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline);

/// Largest forecast bytes at which a run of the stack still succeeds.
double capacityBytes(const ClusterSpec& cluster);

}  // namespace slipway
