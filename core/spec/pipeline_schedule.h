// PipelineSchedule: what each pipeline rank does, in order. Drawn by the window, timed by the planner, executed by the
// trainer; they all read this one type.
//   auto s = makeSchedule(ScheduleKind::OneFOneB, 2, 4, 1);   s->ranks[0] == F0 S F1 S ... B0 ...
#pragma once

#include "core/base/result.h"
#include "core/spec/parallel_layout.h"

#include <cstdint>
#include <vector>

namespace slipway {

enum class ActionKind {
    Forward,
    BackwardInput,
    BackwardWeight,
    BackwardFull,
    OverlapForwardBackward,
    SendForward,   ///< activation to the next stage
    RecvForward,   ///< activation from the previous stage
    SendBackward,  ///< gradient to the previous stage
    RecvBackward,  ///< gradient from the next stage
    Unshard,
    Reshard,
    ReduceGrad,
    Recompute,
    Offload
};
constexpr auto enumNames(ActionKind) {
    return std::array{EnumName<ActionKind>{ActionKind::Forward, "forward"}, EnumName<ActionKind>{ActionKind::BackwardInput, "backward_input"},
                      EnumName<ActionKind>{ActionKind::BackwardWeight, "backward_weight"}, EnumName<ActionKind>{ActionKind::BackwardFull, "backward_full"},
                      EnumName<ActionKind>{ActionKind::OverlapForwardBackward, "overlap_forward_backward"}, EnumName<ActionKind>{ActionKind::SendForward, "send_forward"},
                      EnumName<ActionKind>{ActionKind::RecvForward, "recv_forward"}, EnumName<ActionKind>{ActionKind::SendBackward, "send_backward"},
                      EnumName<ActionKind>{ActionKind::RecvBackward, "recv_backward"}, EnumName<ActionKind>{ActionKind::Unshard, "unshard"},
                      EnumName<ActionKind>{ActionKind::Reshard, "reshard"}, EnumName<ActionKind>{ActionKind::ReduceGrad, "reduce_grad"},
                      EnumName<ActionKind>{ActionKind::Recompute, "recompute"}, EnumName<ActionKind>{ActionKind::Offload, "offload"}};
}

struct ScheduleAction {
    ActionKind kind = ActionKind::Forward;
    std::int64_t microBatch = 0;
    std::int64_t chunk = 0;  ///< model chunk on this rank, 0 .. virtualStages-1
    bool operator==(const ScheduleAction&) const = default;
};

struct PipelineSchedule {
    ScheduleKind kind = ScheduleKind::OneFOneB;
    std::int64_t numStages = 1;  ///< pp * virtualStages, in model order
    std::int64_t numMicroBatches = 1;
    std::int64_t virtualStages = 1;
    std::vector<std::vector<ScheduleAction>> ranks;  ///< per pipeline rank

    /// Model stage of a chunk: loop order, stage = chunk * pp + rank.
    [[nodiscard]] std::int64_t stageOf(std::int64_t rank, std::int64_t chunk) const { return chunk * static_cast<std::int64_t>(ranks.size()) + rank; }
    [[nodiscard]] std::int64_t rankOfStage(std::int64_t stage) const { return stage % static_cast<std::int64_t>(ranks.size()); }
    /// Largest number of micro-batches (times chunks) whose activations a rank holds at once.
    [[nodiscard]] std::int64_t maxInFlight(std::int64_t rank) const;
};

/// Builds AFAB, 1F1B or interleaved 1F1B for pp ranks, m micro-batches and v chunks per rank.
/// Sends never wait for their receiver; receives stand directly before the pass that needs them.
/// Errors: "bad_schedule" when the schedule's demands are not met (interleaved: m % pp == 0, v > 1; others: v == 1),
/// "schedule_not_available" for kinds this version cannot build.
Result<PipelineSchedule> makeSchedule(ScheduleKind kind, std::int64_t pp, std::int64_t numMicroBatches, std::int64_t virtualStages);

/// Everything the schedule demands of a layout that it does not meet.
Issues scheduleIssues(ScheduleKind kind, std::int64_t pp, std::int64_t numMicroBatches, std::int64_t virtualStages);

}  // namespace slipway
