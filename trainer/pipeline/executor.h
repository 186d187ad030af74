// PipelineExecutor: runs the actions of a PipelineSchedule on one rank, the same list as timed by the planner.
//   PipelineExecutor executor(model, mesh, schedule);  StepOutcome o = executor.step(microBatches, {.recordSpans =
//   true});
//   Communication: activations and their gradients between neighbouring stages (pp group, one message per micro-batch
//   and chunk in each direction; none between stages of one rank); two all-reduces of a few numbers over dp and pp per
//   step for valid tokens and loss.
//   Waits for the device: the sum of valid tokens over dp > 1, before the first pass is queued; the loss, after the
//   last, unless it stays there;
//   with experts, the counts of every dispatch (parallel/expert_dispatch.h). Nothing else of a step does.
#pragma once

#include "core/spec/pipeline_schedule.h"
#include "trainer/kernels/device_clock.h"
#include "trainer/model/model.h"
#include "trainer/pipeline/micro_batch_graph.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace slipway::trainer {

/// One pass or wait of this rank (or both passes at once of a micro-batch replayed from a graph, as a backward pass),
/// in seconds of the steady clock since the start of the step.
struct Span {
    ActionKind kind = ActionKind::Forward;
    std::int64_t microBatch = 0;
    std::int64_t chunk = 0;
    double startSeconds = 0;
    double endSeconds = 0;
};

struct StepOptions {
    bool recordSpans = false;
    double lossScale = 1;      ///< factor in the gradients (fp16)
    bool forwardOnly = false;  ///< evaluation: only the loss, without saved tensors for a backward pass
    bool leaveLoss = false;    ///< on the device: StepOutcome::loss is NaN, lossOnDevice has it
    std::int64_t numSequences =
        0;  ///< only this many first of the step count in balance and z-losses (the others have no targets); 0: all
};

struct StepOutcome {
    double loss = 0;                  ///< mean over all valid tokens of the step, the same on every rank
    at::Tensor lossOnDevice;          ///< the same, [1] fp64
    std::int64_t validTokens = 0;     ///< over all replicas
    double busySeconds = 0;           ///< inside forward and backward passes
    double waitSeconds = 0;           ///< waiting for activations and gradients of neighbours
    double seconds = 0;               ///< from the first action to the last
    std::int64_t savedPeakBytes = 0;  ///< peak bytes of saved tensors for backward passes
    std::vector<Span> spans;          ///< only with recordSpans; by the host's clock until settleSpans()
    struct Marks {
        DeviceClock::Mark start, end;
    };
    DeviceClock::Mark begin;   ///< of the step, like the next: null and empty on a CPU
    std::vector<Marks> marks;  ///< of the spans
};

/// On a GPU: replaces the spans by the device's, where work is queued long before it runs, and busySeconds by the sum
/// of their passes. It waits for the passes: call it once the step has read something back. A no-op elsewhere.
void settleSpans(StepOutcome& outcome);

class PipelineExecutor {
public:
    /// Model, mesh and schedule's rank count must belong together; model and mesh must outlive the executor. @param
    /// graphs for the micro-batches between the first and the last, where this rank holds the full model; empty:
    /// none
    PipelineExecutor(Model& model, const ProcessMesh& mesh, PipelineSchedule schedule, GraphMaker graphs = {});

    /// Forward and backward passes of all micro-batches (one per entry; each rank of a replica passes the same ones; on
    /// the host or on the model's device, where counting their targets would wait for it). Gradients of the mean loss
    /// over the valid tokens of all replicas are added to every mainGrad; the caller zeroes before and reduces over dp
    /// after (sum). Collective over the mesh. Throws CommError.
    StepOutcome step(const std::vector<MicroBatch>& microBatches, const StepOptions& options = {});

private:
    class Pass;

    Model& m_model;
    const ProcessMesh& m_mesh;
    PipelineSchedule m_schedule;
    std::unique_ptr<MicroBatchGraph> m_graph;  ///< null without graphs
};

}  // namespace slipway::trainer
