#include "core/planner/memory/memory_timeline.h"

namespace slipway {

StateAllocation allocationOf(const ClusterSpec& cluster) {
    return cluster.stack ? StateAllocation::DuringFirstStep : StateAllocation::BeforeFirstStep;
}

std::vector<MemoryMoment> memoryTimeline(const MemoryBreakdown& peak, StateAllocation allocation) {
    const bool early = allocation == StateAllocation::BeforeFirstStep;
    MemoryBreakdown start;
    start.weightBytes = peak.weightBytes;
    start.reserveBytes = peak.reserveBytes;
    if (early) {
        start.gradientBytes = peak.gradientBytes;
        start.optimizerBytes = peak.optimizerBytes;
    }
    MemoryBreakdown forward = start;
    forward.activationBytes = peak.activationBytes;
    forward.logitsBytes = peak.logitsBytes;
    forward.bufferBytes = peak.bufferBytes;
    MemoryBreakdown backward = forward;
    backward.gradientBytes = peak.gradientBytes;
    MemoryBreakdown update = start;
    update.gradientBytes = peak.gradientBytes;
    update.optimizerBytes = peak.optimizerBytes;
    return {{MemoryPhase::Start, start},
            {MemoryPhase::FirstForward, forward},
            {MemoryPhase::FirstBackward, backward},
            {MemoryPhase::FirstUpdate, update},
            {MemoryPhase::SecondStep, peak}};
}

}  // namespace slipway
