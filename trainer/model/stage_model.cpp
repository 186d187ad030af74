#include "trainer/model/stage_model.h"

#include "trainer/parallel/tp_region.h"

#include <ATen/TensorOperators.h>

#include <numeric>

namespace slipway::trainer {

StageModel::StageModel(const ShardContext& context, const RunConfig& config, std::int64_t stage, std::int64_t numStages)
    : m_context(context), m_config(config) {
    const ModelSpec& spec = config.model;
    const ModelNames names = modelNames(spec.family);
    const bool last = stage == numStages - 1;
    const bool tiedAcrossStages = spec.tieEmbeddings && numStages > 1;
    if (stage == 0) {
        m_embedding = std::make_unique<VocabParallelEmbedding>(context, names.embedding, spec.vocabSize,
                                                               spec.hiddenSize, kInitDeviation);
        m_embedding->table().tiedAcrossStages = tiedAcrossStages;
        m_parameters.push_back(&m_embedding->table());
        if (spec.positionKind() == PositionKind::Learned) {
            m_positions = makeParameter(context, names.positions, {spec.maxSeqLen, spec.hiddenSize}, std::nullopt,
                                        {kInitDeviation});
            m_positions->sumOverTp = context.sequenceParallel && context.tp->size() > 1;
            m_parameters.push_back(m_positions.get());
        }
    }
    const std::vector<std::int64_t> layers =
        numStages == 1 ? std::vector{spec.numLayers} : config.parallel.stageLayers(spec.numLayers);
    const std::int64_t firstLayer = std::accumulate(layers.begin(), layers.begin() + stage, std::int64_t{0});
    std::shared_ptr<const RotaryTable> rotary;
    if (spec.positionKind() == PositionKind::Rope)
        rotary = std::make_shared<RotaryTable>(config.train.seqLen, spec.headSize(), spec.ropeTheta,
                                               context.dtype == at::kDouble ? at::kDouble : at::kFloat, context.device);
    const std::int64_t numLayers = layers[static_cast<std::size_t>(stage)];
    m_blocks.reserve(static_cast<std::size_t>(numLayers));
    for (std::int64_t i = 0; i < numLayers; ++i) {
        m_blocks.emplace_back(context, spec, firstLayer + i, config.train.recompute.policy == RecomputePolicy::Full,
                              rotary);
        m_blocks.back().collect(m_parameters);
    }
    if (!last) return;
    m_finalNorm.emplace(context, spec, names.finalNorm);
    m_finalNorm->collect(m_parameters);
    if (spec.tieEmbeddings && stage == 0) return;
    m_head = std::make_unique<VocabParallelEmbedding>(context, spec.tieEmbeddings ? names.embedding : names.head,
                                                      spec.vocabSize, spec.hiddenSize, kInitDeviation);
    m_head->table().tiedAcrossStages = tiedAcrossStages;
    m_parameters.push_back(&m_head->table());
}

std::vector<std::int64_t> StageModel::boundaryShape() const {
    const std::int64_t parts = m_context.sequenceParallel ? m_context.tp->size() : 1;
    return {m_config.train.seqLen / parts, m_config.train.microBatchSize, m_config.model.hiddenSize};
}

at::Tensor StageModel::forward(const MicroBatch& microBatch, const at::Tensor& x, Saved& saved) const {
    at::Tensor hidden = x;
    if (m_embedding) {
        saved.tokens = microBatch.tokens.t();
        hidden = m_embedding->forward(saved.tokens);
        if (m_positions)
            hidden =
                hidden + sequencePart(m_positions->weight.narrow(0, 0, saved.tokens.size(0)), m_context).unsqueeze(1);
    }
    saved.blocks.resize(m_blocks.size());
    for (std::size_t i = 0; i < m_blocks.size(); ++i) hidden = m_blocks[i].forward(hidden, saved.blocks[i]);
    if (!m_finalNorm) return hidden;
    saved.headInput = m_finalNorm->forward(hidden, saved.finalNorm);
    const at::Tensor logits = headTable().logits(gatherSequence(saved.headInput, m_context));
    saved.lossSum = crossEntropySum(logits, microBatch.targets.t(), headTable().firstId(), m_context, saved.loss);
    return {};
}

at::Tensor StageModel::headBackwardInput(double lossScale, Saved& saved) const {
    saved.dLogits = crossEntropySumGrad(lossScale, headTable().firstId(), saved.loss);
    saved.loss = {};
    return m_finalNorm->backwardInput(sumPartials(headTable().logitsBackwardInput(saved.dLogits), m_context),
                                      saved.finalNorm);
}

void StageModel::headBackwardWeight(Saved& saved, bool last) {
    headTable().logitsBackwardWeight(saved.dLogits, gatherSequence(saved.headInput, m_context), last && m_head);
    m_finalNorm->backwardWeight(saved.finalNorm, last);
    saved.dLogits.reset();
    saved.headInput.reset();
    saved.finalNorm = {};
}

void StageModel::embeddingBackwardWeight(Saved& saved, bool last) {
    if (m_positions) {
        // Rows of this rank's part of the sequence only; the rest of the table gets its gradient on the other ranks.
        at::Tensor rows = sequencePart(m_positions->mainGrad.narrow(0, 0, saved.tokens.size(0)), m_context);
        rows.add_(saved.dEmbedded.sum(at::IntArrayRef{1}, /*keepdim=*/false, rows.scalar_type()));
        gradReady(*m_positions, last);
    }
    m_embedding->backwardWeight(saved.dEmbedded, saved.tokens, last);
}

at::Tensor StageModel::backwardInput(const at::Tensor& dy, double lossScale, Saved& saved) const {
    at::Tensor grad = m_finalNorm ? headBackwardInput(lossScale, saved) : dy;
    for (std::size_t i = m_blocks.size(); i-- > 0;) grad = m_blocks[i].backwardInput(grad, saved.blocks[i]);
    if (!m_embedding) return grad;
    saved.dEmbedded = grad;
    return {};
}

void StageModel::backwardWeight(Saved& saved, bool last) {
    if (m_finalNorm) headBackwardWeight(saved, last);
    for (std::size_t i = m_blocks.size(); i-- > 0;) m_blocks[i].backwardWeight(saved.blocks[i], last);
    if (m_embedding) embeddingBackwardWeight(saved, last);
    saved = {};
}

at::Tensor StageModel::backward(const at::Tensor& dy, double lossScale, Saved& saved, bool last) {
    at::Tensor grad = dy;
    if (m_finalNorm) {
        grad = headBackwardInput(lossScale, saved);
        headBackwardWeight(saved, last);
    }
    for (std::size_t i = m_blocks.size(); i-- > 0;) {
        grad = m_blocks[i].backwardInput(grad, saved.blocks[i]);
        m_blocks[i].backwardWeight(saved.blocks[i], last);
    }
    if (m_embedding) {
        saved.dEmbedded = grad;
        embeddingBackwardWeight(saved, last);
        grad.reset();
    }
    saved = {};
    return grad;
}

}  // namespace slipway::trainer
