#include "trainer/parallel/vocab_parallel.h"

#include "trainer/kernels/embedding.h"
#include "trainer/kernels/linear.h"
#include "trainer/parallel/tp_region.h"

#include <ATen/TensorOperators.h>

namespace slipway::trainer {

VocabParallelEmbedding::VocabParallelEmbedding(const ShardContext& context, const std::string& name,
                                               std::int64_t vocabSize, std::int64_t hiddenSize, double deviation)
    : m_context(context) {
    const ShardSlice slice = evenSlice(0, vocabSize, *context.tp);
    m_firstId = slice.offset;
    m_table = makeParameter(context, name, {vocabSize, hiddenSize}, slice, {deviation});
    m_table->isTable = true;
}

at::Tensor VocabParallelEmbedding::forward(const at::Tensor& tokens) const {
    return sumPartials(embeddingRows(tokens, m_table->weight, m_firstId), m_context);
}

void VocabParallelEmbedding::backwardWeight(const at::Tensor& dy, const at::Tensor& tokens, bool last) {
    addEmbeddingGrad(m_table->mainGrad, gatherSequence(dy, m_context), tokens, m_firstId);
    userDone(last);
}

void VocabParallelEmbedding::userDone(bool last) {
    if (!last || ++m_numDone < m_numUsers) return;
    m_numDone = 0;
    gradReady(*m_table, true);
}

at::Tensor VocabParallelEmbedding::logits(const at::Tensor& hidden) const {
    return linearForward(hidden, m_table->weight, at::Tensor());
}

at::Tensor VocabParallelEmbedding::logitsBackwardInput(const at::Tensor& dLogits) const {
    return linearInputGrad(dLogits, m_table->weight);
}

void VocabParallelEmbedding::logitsBackwardWeight(const at::Tensor& dLogits, const at::Tensor& hidden, bool last) {
    addLinearWeightGrad(m_table->mainGrad, dLogits, hidden);
    userDone(last);
}

at::Tensor crossEntropySum(const at::Tensor& logits, const at::Tensor& targets, std::int64_t firstId,
                           const ShardContext& context, CrossEntropySaved& saved) {
    at::Tensor maxima = rowMaxima(logits);  // [S, B]
    if (context.tp->size() > 1) context.tp->allReduce(maxima, ReduceOp::Max)->wait();
    at::Tensor sums = crossEntropySums(logits, targets, maxima, firstId);  // [2, S, B]
    if (context.tp->size() > 1) context.tp->allReduce(sums, ReduceOp::Sum)->wait();
    const at::Tensor logSum = sums.select(0, 0).log();
    saved = {logits, targets, logSum + maxima};
    const at::Tensor loss = (logSum - sums.select(0, 1)).masked_fill_(targets.eq(kIgnoredTarget), 0);
    return loss.sum(at::kDouble);
}

at::Tensor crossEntropySumGrad(double scale, std::int64_t firstId, const CrossEntropySaved& saved) {
    return crossEntropyGrad(saved.logits, saved.targets, saved.logSumExp, firstId, scale);
}

}  // namespace slipway::trainer
