#include "core/planner/memory/memory_timeline.h"

#include "core/planner/stack/known_software.h"

namespace slipway {

StateAllocation allocationOf(const ClusterSpec& cluster) {
    return isOtherSoftware(cluster) ? StateAllocation::DuringFirstStep : StateAllocation::BeforeFirstStep;
}

std::vector<MemoryMoment> memoryTimeline(const StageMemory& stage, StateAllocation allocation) {
    const StepMoments& m = stage.moments;
    MemoryBreakdown start = m.rest, forward = m.forward, backward = m.backward;
    if (allocation == StateAllocation::DuringFirstStep) {
        start.gradientBytes = forward.gradientBytes = 0;
        start.optimizerBytes = forward.optimizerBytes = backward.optimizerBytes = 0;
    }
    return {{MemoryPhase::Start, start},
            {MemoryPhase::FirstForward, forward},
            {MemoryPhase::FirstBackward, backward},
            {MemoryPhase::FirstUpdate, m.update},
            {MemoryPhase::SecondStep, stage.bytes}};
}

}  // namespace slipway
