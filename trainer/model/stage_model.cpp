#include "trainer/model/stage_model.h"

#include "core/spec/rotary.h"
#include "trainer/parallel/tp_pieces.h"
#include "trainer/parallel/tp_region.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>

#include <algorithm>
#include <numeric>

namespace slipway::trainer {

StageModel::StageModel(const ShardContext& context, const RunConfig& config, const StagePlace& place)
    : m_context(context), m_config(config) {
    if (context.cp != nullptr) m_cut = SequenceCut(config.train.seqLen, *context.cp);
    if (offloadsActivations(config.parallel.offload))
        m_offload = std::make_unique<ActivationOffload>(context.device, context.bug);
    const bool isCut = context.cp != nullptr && context.cp->size() > 1 && context.bug != Bug::PositionsNotCut;
    const at::Tensor positions =
        isCut ? m_cut.positions() : at::arange(config.train.seqLen, at::TensorOptions().dtype(at::kLong));
    if (isCut) m_positionIds = positions.to(context.device);
    const auto [stage, numStages, sharesTableOf, tiedAcrossRanks] = place;
    const ModelSpec& spec = config.model;
    const ModelNames names = modelNames(spec.family);
    const bool last = stage == numStages - 1;
    if (stage == 0) {
        m_embedding = std::make_unique<VocabParallelEmbedding>(context, names.embedding, spec.vocabSize,
                                                               spec.hiddenSize, kInitDeviation);
        m_embedding->table().tiedAcrossStages = tiedAcrossRanks;
        m_parameters.push_back(&m_embedding->table());
        m_tableUnit = addUnit(0);
        if (spec.positionKind() == PositionKind::Learned) {
            m_positions = makeParameter(context, names.positions, {spec.maxSeqLen, spec.hiddenSize}, std::nullopt,
                                        {kInitDeviation});
            m_positions->isTable = true;
            m_positions->sumOverTp = context.sequenceParallel && context.tp->size() > 1;
            m_parameters.push_back(m_positions.get());
            m_positionsUnit = addUnit(1);
        }
    }
    const std::vector<std::int64_t> layers =
        numStages == 1 ? std::vector{spec.numLayers} : config.parallel.stageLayers(spec.numLayers);
    const std::int64_t firstLayer = std::accumulate(layers.begin(), layers.begin() + stage, std::int64_t{0});
    std::shared_ptr<const RotaryTable> rotary;
    if (spec.positionKind() == PositionKind::Rope)
        rotary = std::make_shared<RotaryTable>(positions, rotaryFrequencies(spec), rotaryMagnitude(spec),
                                               context.dtype == at::kDouble ? at::kDouble : at::kFloat, context.device);
    const std::int64_t numLayers = layers[static_cast<std::size_t>(stage)];
    m_blocks.reserve(static_cast<std::size_t>(numLayers));
    for (std::int64_t i = 0; i < numLayers; ++i) {
        m_blocks.emplace_back(context, spec, config.train, firstLayer + i, rotary);
        const std::size_t first = m_parameters.size();
        m_blocks.back().collect(m_parameters);
        m_blockUnits.push_back(addUnit(first));
    }
    if (!last) return;
    m_finalNorm.emplace(context, spec, names.finalNorm);
    const std::size_t normFirst = m_parameters.size();
    m_finalNorm->collect(m_parameters);
    m_normUnit = addUnit(normFirst);
    if (spec.tieEmbeddings && (stage == 0 || sharesTableOf != nullptr)) {
        const StageModel& owner = stage == 0 ? *this : *sharesTableOf;
        m_sharedTable = owner.m_embedding.get();
        m_sharedTable->addUser();
        m_headUnit = owner.m_tableUnit;
        return;
    }
    m_head = std::make_unique<VocabParallelEmbedding>(context, spec.tieEmbeddings ? names.embedding : names.head,
                                                      spec.vocabSize, spec.hiddenSize, kInitDeviation);
    m_head->table().tiedAcrossStages = tiedAcrossRanks;
    m_parameters.push_back(&m_head->table());
    m_headUnit = addUnit(m_parameters.size() - 1);
}

const WeightUnit* StageModel::addUnit(std::size_t first) {
    const auto make = [&](auto begin, auto end) {
        m_units.push_back(std::make_unique<WeightUnit>());
        WeightUnit* unit = m_units.back().get();
        unit->parameters.assign(begin, end);
        for (Parameter* p : unit->parameters) p->unit = unit;
        return unit;
    };
    const auto begin = m_parameters.begin() + static_cast<std::ptrdiff_t>(first), end = m_parameters.end();
    // Experts come last in a block.
    const auto experts = std::find_if(begin, end, [](const Parameter* p) { return p->isExpert; });
    WeightUnit* unit = make(begin, experts);
    if (experts != end) unit->experts = make(experts, end);
    return unit;
}

std::vector<std::int64_t> StageModel::boundaryShape() const {
    const std::int64_t parts = m_context.sequenceParallel ? m_context.tp->size() : 1;
    return {m_config.train.seqLen / m_config.parallel.cp / parts, m_config.train.microBatchSize,
            m_config.model.hiddenSize};
}

at::Tensor StageModel::forward(const MicroBatch& microBatch, const at::Tensor& x, Saved& saved) const {
    at::Tensor hidden = x;
    if (m_embedding) {
        saved.tokens = microBatch.tokens.t();
        m_tableUnit->need();
        hidden = m_embedding->forward(saved.tokens);
        m_tableUnit->release(true);
        if (m_positions) {
            m_positionsUnit->need();
            hidden = hidden + sequencePart(positionRows(m_positions->weight), m_context).unsqueeze(1);
            m_positionsUnit->release(true);
        }
    }
    saved.blocks.resize(m_blocks.size());
    const bool goesAway = m_offload && saved.forBackward;
    if (goesAway) saved.away.resize(m_blocks.size());
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        saved.blocks[i].setDocuments(microBatch.documents);
        saved.blocks[i].moe.shares = microBatch.auxShares;
        m_blockUnits[i]->need();
        if (i + 1 < m_blocks.size()) m_blockUnits[i + 1]->fetch();
        hidden = m_blocks[i].forward(hidden, saved.blocks[i]);
        m_blockUnits[i]->release(false);
        if (goesAway) m_offload->send(saved.blocks[i], saved.away[i]);
    }
    if (!m_finalNorm) return hidden;
    m_normUnit->need();
    m_headUnit->fetch();
    saved.headInput = m_finalNorm->forward(hidden, saved.finalNorm);
    m_normUnit->release(false);
    m_headUnit->need();
    JoinedPieces logits(wholeRows(saved.headInput, m_context));
    gatherPieces(saved.headInput, m_context, [&](std::int64_t begin, const at::Tensor& piece, bool) {
        logits.put(begin, headTable().logits(piece));
    });
    m_headUnit->release(false);
    saved.lossSum =
        crossEntropySum(logits.whole(), microBatch.targets.t(), headTable().firstId(), m_context, saved.loss);
    return {};
}

// Rows of this rank's positions of a learned position table.
at::Tensor StageModel::positionRows(const at::Tensor& table) const {
    return m_positionIds.defined() ? table.index_select(0, m_positionIds)
                                   : table.narrow(0, 0, m_config.train.seqLen / m_config.parallel.cp);
}

at::Tensor StageModel::headBackwardInput(double lossScale, Saved& saved) const {
    saved.dLogits = crossEntropySumGrad(lossScale, headTable().firstId(), saved.loss);
    saved.loss = {};
    m_headUnit->need();
    m_normUnit->fetch();
    const at::Tensor dHidden =
        sumPieces(saved.dLogits.size(0), m_context, [&](std::int64_t begin, std::int64_t length) {
            return headTable().logitsBackwardInput(saved.dLogits.narrow(0, begin, length));
        });
    m_headUnit->release(true);
    m_normUnit->need();
    at::Tensor grad = m_finalNorm->backwardInput(dHidden, saved.finalNorm);
    m_normUnit->release(true);
    return grad;
}

void StageModel::headBackwardWeight(Saved& saved, bool last) {
    m_headUnit->openGradients();
    gatherPieces(saved.headInput, m_context, [&](std::int64_t begin, const at::Tensor& piece, bool lastPiece) {
        headTable().logitsBackwardWeight(saved.dLogits.narrow(0, begin, piece.size(0)), piece, last && lastPiece);
    });
    m_headUnit->closeGradients();
    m_normUnit->openGradients();
    m_finalNorm->backwardWeight(saved.finalNorm, last);
    m_normUnit->closeGradients();
    saved.dLogits.reset();
    saved.headInput.reset();
    saved.finalNorm = {};
}

void StageModel::embeddingBackwardWeight(Saved& saved, bool last) {
    if (m_positions) {
        m_positionsUnit->openGradients();
        // Only rows of this rank's part of the sequence; the rest of the table gets its gradient on the other ranks.
        at::Tensor& grad = m_positions->mainGrad;
        const at::Tensor rows = saved.dEmbedded.sum(at::IntArrayRef{1}, /*keepdim=*/false, grad.scalar_type());
        if (m_positionIds.defined())
            grad.index_add_(0, sequencePart(m_positionIds, m_context), rows);
        else
            sequencePart(grad.narrow(0, 0, m_config.train.seqLen / m_config.parallel.cp), m_context).add_(rows);
        gradReady(*m_positions, last);
        m_positionsUnit->closeGradients();
    }
    m_tableUnit->openGradients();
    m_embedding->backwardWeight(saved.dEmbedded, saved.tokens, last);
    m_tableUnit->closeGradients();
}

void StageModel::fetchAway(std::size_t block, Saved& saved) const {
    if (m_offload && block < saved.away.size()) m_offload->fetch(saved.away[block]);
}

at::Tensor StageModel::blockBackwardInput(std::size_t block, const at::Tensor& dy, Saved& saved) const {
    m_blockUnits[block]->need();
    if (block > 0) m_blockUnits[block - 1]->fetch();
    if (m_offload) m_offload->bring(saved.blocks[block], saved.away[block]);
    if (block > 0) fetchAway(block - 1, saved);
    at::Tensor dx = m_blocks[block].backwardInput(dy, saved.blocks[block]);
    m_blockUnits[block]->release(true);
    return dx;
}

void StageModel::blockBackwardWeight(std::size_t block, Saved& saved, bool last) {
    if (m_offload) m_offload->bring(saved.blocks[block], saved.away[block]);
    if (block > 0) fetchAway(block - 1, saved);
    m_blockUnits[block]->openGradients();
    m_blocks[block].backwardWeight(saved.blocks[block], last);
    m_blockUnits[block]->closeGradients();
}

at::Tensor StageModel::backwardInput(const at::Tensor& dy, double lossScale, Saved& saved) const {
    if (!m_blocks.empty()) fetchAway(m_blocks.size() - 1, saved);
    at::Tensor grad = m_finalNorm ? headBackwardInput(lossScale, saved) : dy;
    for (std::size_t i = m_blocks.size(); i-- > 0;) {
        grad = blockBackwardInput(i, grad, saved);
        if (m_offload) m_offload->send(saved.blocks[i], saved.away[i]);  // the weight pass may come much later
    }
    if (!m_embedding) return grad;
    saved.dEmbedded = grad;
    return {};
}

void StageModel::backwardWeight(Saved& saved, bool last) {
    if (!m_blocks.empty()) fetchAway(m_blocks.size() - 1, saved);
    if (m_finalNorm) headBackwardWeight(saved, last);
    for (std::size_t i = m_blocks.size(); i-- > 0;) blockBackwardWeight(i, saved, last);
    if (m_embedding) embeddingBackwardWeight(saved, last);
    saved = {};
}

at::Tensor StageModel::backward(const at::Tensor& dy, double lossScale, Saved& saved, bool last) {
    at::Tensor grad = dy;
    if (!m_blocks.empty()) fetchAway(m_blocks.size() - 1, saved);
    if (m_finalNorm) {
        grad = headBackwardInput(lossScale, saved);
        headBackwardWeight(saved, last);
    }
    for (std::size_t i = m_blocks.size(); i-- > 0;) {
        grad = blockBackwardInput(i, grad, saved);
        blockBackwardWeight(i, saved, last);
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
