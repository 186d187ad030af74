// Extra passes of the training loop: the loss on held-out data, and the gradient of a small batch for the noise scale.
#pragma once

#include "trainer/data/batch_source.h"
#include "trainer/loop/executors.h"
#include "trainer/optim/optimizer.h"

#include <optional>

namespace slipway::trainer {

/// Context of the extra passes.
struct PassContext {
    const RunConfig& config;
    const ProcessMesh& mesh;
    const BatchSource& source;
    Executors& executors;
};

/// This rank's micro-batches of a step, on the host.
Result<std::vector<MicroBatch>> loadBatch(const PassContext& context, std::int64_t step);

struct Evaluation {
    double loss = 0;  ///< mean over the held-out tokens, the same on every rank and, up to rounding, in every layout
    std::int64_t tokens = 0;  ///< with loss
};
/// The loss on all held-out sequences; weights and gradients stay unchanged. Collective over the mesh.
Result<Evaluation> evaluate(const PassContext& context);

/// The micro-batches with targets only in the first `count` sequences of the step.
std::vector<MicroBatch> firstSequences(const std::vector<MicroBatch>& batch, std::int64_t count, std::int64_t dp,
                                       std::int64_t dpRank);

/// Sequences of the small batch whose gradient is compared with the full batch's: a quarter.
std::int64_t smallBatch(std::int64_t batchSize);
/// Squared norm of the mean gradient over the small batch of this step, the
/// same in any layout. Leaves gradients: zero() them. Collective over the
/// mesh.
Result<double> smallBatchSquaredNorm(const PassContext& context, std::int64_t step, Optimizer& optimizer,
                                     double lossScale);

}  // namespace slipway::trainer
