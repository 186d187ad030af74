#include "trainer/loop/evaluation.h"

#include <ATen/TensorOperators.h>

#include <algorithm>

namespace slipway::trainer {
Result<std::vector<MicroBatch>> loadBatch(const PassContext& c, std::int64_t step) {
    std::vector<MicroBatch> batch;
    for (std::int64_t i = 0; i < c.source.numMicroBatches(step); ++i) {
        Result<MicroBatch> one = c.source.microBatch(step, c.mesh.at.dp, i);
        if (!one) return fail(one.error());
        batch.push_back(std::move(*one));
    }
    return batch;
}

Result<Evaluation> evaluate(const PassContext& c) {
    const std::int64_t rows = c.config.train.microBatchSize, dp = c.config.parallel.dp;
    const std::int64_t inAll = (c.source.numHeldOut() + rows * dp - 1) / (rows * dp);  // micro-batches per replica
    const std::int64_t atOnce =
        c.executors.allowed(std::min(inAll, c.config.numMicroBatches()), c.config.numMicroBatches());
    StepOptions options;
    options.forwardOnly = true;
    Evaluation result;
    double sum = 0;
    for (std::int64_t first = 0; first < inAll; first += atOnce) {
        std::vector<MicroBatch> batch;
        for (std::int64_t i = 0; i < atOnce; ++i) {
            Result<MicroBatch> one = c.source.heldOut(((first + i) * dp + c.mesh.at.dp) * rows);
            if (!one) return fail(one.error());
            batch.push_back(std::move(*one));
        }
        const StepOutcome outcome = c.executors.of(atOnce).step(batch, options);
        sum += outcome.loss * static_cast<double>(outcome.validTokens);
        result.tokens += outcome.validTokens;
    }
    result.loss = result.tokens > 0 ? sum / static_cast<double>(result.tokens) : 0;
    return result;
}

std::vector<MicroBatch> firstSequences(const std::vector<MicroBatch>& batch, std::int64_t count, std::int64_t dp,
                                       std::int64_t dpRank) {
    std::vector<MicroBatch> some;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::int64_t rows = batch[i].tokens.size(0);
        const std::int64_t first = (static_cast<std::int64_t>(i) * dp + dpRank) * rows;
        const std::int64_t kept = std::clamp<std::int64_t>(count - first, 0, rows);
        some.push_back({batch[i].tokens, batch[i].targets.clone()});
        some.back().targets.narrow(0, kept, rows - kept).fill_(-1);
    }
    return some;
}

std::int64_t smallBatch(std::int64_t batchSize) {
    return std::max<std::int64_t>(1, batchSize / 4);
}

Result<double> smallBatchSquaredNorm(const PassContext& c, std::int64_t step, Optimizer& optimizer, double lossScale) {
    const std::int64_t small = smallBatch(c.source.batchSize(step));
    const std::int64_t chunk = c.config.train.microBatchSize * c.config.parallel.dp;
    const std::int64_t whole = c.source.numMicroBatches(step);
    const std::int64_t number = c.executors.allowed((small + chunk - 1) / chunk, whole);
    Result<std::vector<MicroBatch>> batch = loadBatch(c, step);
    if (!batch) return fail(batch.error());
    batch->resize(static_cast<std::size_t>(number));
    optimizer.gradients().zero();
    StepOptions options;
    options.lossScale = lossScale;
    options.numSequences = small;
    c.executors.of(number).step(firstSequences(*batch, small, c.config.parallel.dp, c.mesh.at.dp), options);
    const double norm = optimizer.gradNorm() / lossScale;
    return norm * norm;
}

}  // namespace slipway::trainer
