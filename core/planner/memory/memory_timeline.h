// Contents of a rank's memory from its start to the second step, when the peak is reached.
//   for (const MemoryMoment& m : memoryTimeline(plan.memory[plan.worstStage], allocationOf(plan.cluster))) ...
#pragma once

#include "core/planner/values/forecast.h"

#include <string_view>
#include <vector>

namespace slipway {

/// Time of allocation of gradients and optimizer states. The bundled trainer allocates both before its first step;
/// PyTorch's optimizers allocate their states in the first step(), and gradients in the first backward pass
/// (Ultra-Scale Playbook, "Memory usage in transformers": the first step differs from the others).
enum class StateAllocation { BeforeFirstStep, DuringFirstStep };

/// For a plan on this hardware: a calibrated software stack is a PyTorch one, none means the bundled trainer.
StateAllocation allocationOf(const ClusterSpec& cluster);

enum class MemoryPhase { Start, FirstForward, FirstBackward, FirstUpdate, SecondStep };
constexpr auto enumNames(MemoryPhase) {
    using Name = EnumName<MemoryPhase>;
    return std::array{
        Name{MemoryPhase::Start, "start", "after the model is made"_text},
        Name{MemoryPhase::FirstForward, "first_forward", "most of the first forward passes"_text},
        Name{MemoryPhase::FirstBackward, "first_backward", "most of the first backward passes"_text},
        Name{MemoryPhase::FirstUpdate, "first_update", "the first optimizer step"_text},
        Name{MemoryPhase::SecondStep, "second_step", "most of the second step, as in all later ones"_text}};
}

struct MemoryMoment {
    MemoryPhase phase = MemoryPhase::Start;
    MemoryBreakdown bytes;
};

/// Five moments of a rank: those of the first step with the tensors allocated by then, and the fullest of later
/// steps.
std::vector<MemoryMoment> memoryTimeline(const StageMemory& stage, StateAllocation allocation);

}  // namespace slipway
