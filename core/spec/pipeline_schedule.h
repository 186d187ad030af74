// PipelineSchedule: the actions of each pipeline rank, in order. Drawn by the window, timed by the planner, executed by
// the trainer, all from this type.
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
    return std::array{EnumName<ActionKind>{ActionKind::Forward, "forward"},
                      EnumName<ActionKind>{ActionKind::BackwardInput, "backward_input"},
                      EnumName<ActionKind>{ActionKind::BackwardWeight, "backward_weight"},
                      EnumName<ActionKind>{ActionKind::BackwardFull, "backward_full"},
                      EnumName<ActionKind>{ActionKind::OverlapForwardBackward, "overlap_forward_backward"},
                      EnumName<ActionKind>{ActionKind::SendForward, "send_forward"},
                      EnumName<ActionKind>{ActionKind::RecvForward, "recv_forward"},
                      EnumName<ActionKind>{ActionKind::SendBackward, "send_backward"},
                      EnumName<ActionKind>{ActionKind::RecvBackward, "recv_backward"},
                      EnumName<ActionKind>{ActionKind::Unshard, "unshard"},
                      EnumName<ActionKind>{ActionKind::Reshard, "reshard"},
                      EnumName<ActionKind>{ActionKind::ReduceGrad, "reduce_grad"},
                      EnumName<ActionKind>{ActionKind::Recompute, "recompute"},
                      EnumName<ActionKind>{ActionKind::Offload, "offload"}};
}

struct ScheduleAction {
    ActionKind kind = ActionKind::Forward;
    std::int64_t microBatch = 0;
    std::int64_t chunk = 0;  ///< model chunk on this rank, 0 .. virtualStages-1
    bool operator==(const ScheduleAction&) const = default;
};

/// Chunks of the model on one rank: virtualStages, or 2 with DualPipe, whose ranks hold a stage for each direction.
std::int64_t chunksPerRank(ScheduleKind kind, std::int64_t virtualStages);

/// Model stage of a chunk. Loop order, stage = chunk * pp + rank; ZB-V and DualPipeV go down and up again, rank 0 holding
/// both ends (2401.10241, sec. 6); DualPipe runs both ways: chunk 0 is stage `rank`, chunk 1 stage pp - 1 - rank
/// (DeepSeek-V3, 2412.19437, sec. 3.2.1).
std::int64_t stageOf(ScheduleKind kind, std::int64_t pp, std::int64_t rank, std::int64_t chunk);

/// Model stages of a pipeline rank, by chunk.
std::vector<std::int64_t> stagesOfRank(ScheduleKind kind, std::int64_t pp, std::int64_t virtualStages,
                                       std::int64_t rank);

struct PipelineSchedule {
    ScheduleKind kind = ScheduleKind::OneFOneB;
    std::int64_t numStages = 1;  ///< of the model, in its order: pp * virtualStages
    std::int64_t numMicroBatches = 1;
    std::int64_t virtualStages = 1;
    std::vector<std::vector<ScheduleAction>> ranks;  ///< per pipeline rank

    [[nodiscard]] std::int64_t numChunks() const { return chunksPerRank(kind, virtualStages); }
    /// Model stage of a chunk.
    [[nodiscard]] std::int64_t stageOf(std::int64_t rank, std::int64_t chunk) const {
        return slipway::stageOf(kind, static_cast<std::int64_t>(ranks.size()), rank, chunk);
    }
    /// Rank and chunk where a micro-batch passes a stage. DualPipe sends the second half of them in the other direction.
    [[nodiscard]] std::int64_t rankOfStage(std::int64_t stage, std::int64_t microBatch = 0) const;
    [[nodiscard]] std::int64_t chunkOfStage(std::int64_t stage, std::int64_t microBatch = 0) const;
    /// True when the stage and the one after it are on one rank: no message, the one's output is the other's input.
    [[nodiscard]] bool isHandOver(std::int64_t stage) const { return rankOfStage(stage) == rankOfStage(stage + 1); }
    /// Largest number of micro-batches (times chunks) whose activations a rank saves at once.
    [[nodiscard]] std::int64_t maxInFlight(std::int64_t rank) const;
};

/// Builds the schedule of pp ranks, m micro-batches and v chunks per rank. Sends never wait for their receiver;
/// receives are directly before the passes that need them. Zero-bubble kinds (2401.10241) split the backward pass:
/// BackwardInput, and BackwardWeight of the same micro-batch and chunk somewhere after it. DualPipe's overlapped pairs
/// are two receives, a Forward, a BackwardFull, two sends. With fewer micro-batches than a kind needs to fill, the
/// missing passes are omitted. Errors: "bad_schedule" when the schedule's requirements are not met (scheduleIssues()).
Result<PipelineSchedule> makeSchedule(ScheduleKind kind, std::int64_t pp, std::int64_t numMicroBatches,
                                      std::int64_t virtualStages);

/// All unmet requirements of the schedule on a layout.
Issues scheduleIssues(ScheduleKind kind, std::int64_t pp, std::int64_t numMicroBatches, std::int64_t virtualStages);

}  // namespace slipway
