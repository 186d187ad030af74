// The account of a rank's bytes, written once: with double it yields the figures of plan and search, with Term the
// formulas of the explanations. Private to this folder.
#pragma once

#include "core/base/real.h"
#include "core/planner/memory/graph_passes.h"
#include "core/planner/memory/memory.h"
#include "core/planner/memory/memory_terms.h"
#include "core/planner/memory/update_work.h"
#include "core/planner/stack/known_software.h"

namespace slipway {

/// SavedBytes of any number.
template <class Number>
struct SavedOf {
    Number layers{}, logits{}, waiting{};
    [[nodiscard]] SavedBytes bytes() const { return {layers, logits, waiting}; }
};

/// One rank's share of elements that exist once among the ranks.
/// @param experts of all; they exist once among a different set of ranks
template <class Number>
Number amongRanks(const Number& all, const Number& experts, const Number& ranks, const Number& expertRanks) {
    Number own = (all - experts) / ranks;
    if (experts > 0.0) own += experts / expertRanks;
    return own;
}

/// A rank's model state under the config's ZeRO stage.
template <class Number>
struct StateAccount {
    Number parameters, experts{};    ///< of the rank; experts are a part of the parameters
    Number denseRanks, expertRanks;  ///< numbers of ranks that share a parameter's states
    std::int64_t zeroStage = 0;
    StateAccount(const ParallelLayout& layout, const RankShare& share)
        : parameters(quantity<Number>("rank_parameters", share.parameters)), zeroStage(layout.zeroStage) {
        const ShardRanks ranks = shardRanks(layout);
        if (share.experts > 0) experts = quantity<Number>("rank_expert_parameters", share.experts);
        denseRanks = quantity<Number>("shard_ranks", ranks.dense);
        expertRanks = quantity<Number>("expert_shard_ranks", ranks.experts);
    }
    /// This rank's elements of a state.
    Number own(const Number& all, std::int64_t shardedFrom) const {
        return zeroStage < shardedFrom ? all : amongRanks(all, experts, denseRanks, expertRanks);
    }
};

/// Temporaries of ZeRO-2 and ZeRO-3 beyond the shards (trainer/optim/unit_shards.h).
template <class Number>
struct UnitBytes {
    Number weights{};    ///< gathered while a layer computes its input gradient
    Number fetched{};    ///< of these, present while it adds its weight gradients
    Number gradients{};  ///< of one layer
    Number reducing{};   ///< of the layer above, and the destination block of its reduction
    Number atLoss{};     ///< while the loss is computed
    Number atHead{};     ///< while the head's weight gradient is added
    Number atHeadReducing{};
    Number
        atEmbedding{};  ///< while the embedding's gradient is added: its table's, plus the reduction of the lowest layer

    UnitBytes(const RunConfig& c, const MemoryTable& table, const RankContents& held,
              const StateAccount<Number>& state) {
        const ParallelLayout& p = c.parallel;
        const ShardRanks ranks = shardRanks(p);
        if (p.zeroStage < 2 || ranks.dense <= 1) return;
        // Experts without copies stay in place.
        const bool stay = ranks.experts <= 1;
        const Number gathered =
            quantity<Number>("gathered_layer_parameters", held.layerParameters - (stay ? held.layerExperts : 0));
        const Number gradientBytes = quantity<Number>("gradient_bytes_per_parameter", table.policy.gradientBytes, "B");
        const Number weightBytes = quantity<Number>("weight_bytes_per_parameter", table.policy.weightBytes, "B");
        const Number tableParameters = quantity<Number>("rank_table_parameters", table.tableParameters);
        gradients = gathered * gradientBytes;
        const Number blocks = 1.0 + 1.0 / state.denseRanks;
        if (held.mostLayers > 1 && p.overlapGradReduce) reducing = gradients * blocks;
        if (held.share.last) {
            atHead = tableParameters * gradientBytes;
            atHeadReducing = 2.0 * atHead / state.denseRanks;  // the rank's own block, and its sum in progress
        }
        if (held.share.first) {
            atEmbedding = tableParameters * gradientBytes;
            if (held.mostLayers > 0 && p.overlapGradReduce) atEmbedding += gradients * blocks;
        }
        if (p.zeroStage < 3) return;
        const Number layerWeights = gathered * weightBytes;
        // The layer in use and the one being fetched; or all, if they stay.
        weights = real(std::min<std::int64_t>(held.mostLayers, 2)) * layerWeights;
        if (!p.reshardAfterForward) {
            const bool embeddingGoes = held.share.first && !(held.share.last && c.model.tieEmbeddings);
            weights = quantity<Number>("gathered_parameters", held.share.parameters - (stay ? held.share.experts : 0) -
                                                                  (embeddingGoes ? table.tableParameters : 0)) *
                      weightBytes;
            atLoss = weights;
            atHead += weights - tableParameters * weightBytes;
        }
        fetched = weights - layerWeights;
    }
};

template <class Number>
MomentsOf<Number> momentsOf(const RunConfig& config, const ClusterSpec& cluster, const MemoryTable& table,
                            const RankContents& contents, SavedOf<Number> saved) {
    const ParallelLayout& p = config.parallel;
    const auto bytes = [](std::string_view name, double value) { return quantity<Number>(name, value, "B"); };
    const RankShare& share = contents.share;
    const StateAccount<Number> state(p, share);
    // Offloaded, a block's activations leave while the next block computes, and return while the one after it runs
    // backward: two blocks of one micro-batch are on the device, one at the loss, for any number in flight
    // (trainer/model/activation_offload.h; vDNN, Rhu et al. 2016, arXiv 1602.08124, sec. 3.1).
    Number layersAtHead = saved.layers;
    if (offloadsActivations(p.offload)) {
        const Number layer =
            contents.isBound ? Number{} : bytes("largest_layer_activation_bytes", contents.layerActivationBytes);
        layersAtHead = smaller(saved.layers, layer);
        saved.layers = smaller(saved.layers, 2.0 * layer);
        const Number once = bytes("saved_logits_bytes", contents.logitsOnceBytes);
        saved.logits = contents.isBound ? once : larger(saved.logits, once);
    }
    MomentsOf<Number> m;
    BytesOf<Number>& rest = m.rest;
    rest.weightBytes = state.own(state.parameters, 3) * bytes("weight_bytes_per_parameter", table.policy.weightBytes);
    rest.gradientBytes =
        state.own(state.parameters, 2) * bytes("gradient_bytes_per_parameter", table.policy.gradientBytes);
    if (!offloadsOptimizer(p.offload)) {
        rest.optimizerBytes =
            state.own(state.parameters, 1) * bytes("optimizer_bytes_per_parameter", table.policy.optimizerBytes);
        if (config.optimizer.kind == OptimizerKind::Muon && rest.optimizerBytes > 0.0) {  // no second moment
            const Number matrices = quantity<Number>("rank_matrices", share.matrices);
            rest.optimizerBytes -=
                state.own(matrices, 1) * bytes("moment_bytes", momentBytes(config.train, config.optimizer));
        }
    }
    const auto holding = [&](const Number& activations, const Number& logits, const Number& buffers) {
        BytesOf<Number> b = rest;
        b.activationBytes = activations;
        b.logitsBytes = logits;
        b.bufferBytes = buffers;
        return b;
    };
    const auto keepFuller = [](BytesOf<Number>& fullest, BytesOf<Number> other) {
        if (other.totalBytes() > fullest.totalBytes()) fullest = std::move(other);
    };
    const UnitBytes<Number> unit(config, table, contents, state);
    const Number headWork = bytes("loss_workspace_bytes", contents.headWorkBytes);
    // The loss of the last forward, with logits and their softmax.
    m.forward = share.last ? holding(layersAtHead, saved.logits + headWork + unit.atLoss, {})
                           : holding(saved.layers, {}, unit.weights);
    // The first backward of a layer, after the logits are freed; with split passes the gradient of the logits waits for
    // its weight pass while the layers' input passes run.
    Number layerWork = bytes("layer_workspace_bytes", contents.layerWorkBytes) + unit.weights;
    if (unit.gradients > 0.0) {
        // Either pass of a layer; the second from the top coexists with the reduction of the first, whose activations are freed.
        layerWork =
            larger(layerWork, bytes("weight_pass_bytes", contents.weightPassBytes) + unit.gradients + unit.fetched);
        if (unit.reducing > contents.layerActivationBytes)
            layerWork += unit.reducing - bytes("largest_layer_activation_bytes", contents.layerActivationBytes);
    }
    const bool split = p.pp > 1 && (p.schedule == ScheduleKind::ZbH1 || p.schedule == ScheduleKind::ZbV ||
                                    p.schedule == ScheduleKind::DualPipe || p.schedule == ScheduleKind::DualPipeV);
    m.backward = holding(saved.layers, split ? saved.logits : Number{}, layerWork);
    if (share.last) {
        // The bundled trainer also reduces the head's gradient here, before the logits are freed; a stack's loss needs more than that.
        const bool reduces = table.embeddingGradientWorkBytes > 0 && unit.atHead > 0.0;
        const Number atHead = reduces ? headWork + unit.atHead + unit.atHeadReducing : unit.atHead;
        keepFuller(
            m.backward,
            holding(layersAtHead,
                    saved.logits + bytes("head_gradient_workspace_bytes", table.headGradientWorkBytes) + atHead, {}));
    }
    if (share.first && table.embeddingGradientWorkBytes > 0) {
        // The micro-batch's other tensors are freed.
        const auto without = [&](const Number& all, const Number& once) {
            return contents.isBound ? Number{} : larger(0.0, all - once);
        };
        keepFuller(m.backward, holding(without(saved.layers, bytes("first_chunk_bytes", contents.firstChunkBytes)),
                                       without(saved.logits, bytes("saved_logits_bytes", contents.logitsOnceBytes)),
                                       bytes("embedding_gradient_workspace_bytes", table.embeddingGradientWorkBytes) +
                                           unit.atEmbedding));
    }
    // The optimizer's moment: activations are freed; ZeRO copies the own block of weights to gather it.
    const ShardRanks ranks = shardRanks(p);
    Number shardCopy{};
    if (p.zeroStage == 1 || p.zeroStage == 2) {
        const Number perParameter = bytes("weight_bytes_per_parameter", table.policy.weightBytes);
        if (ranks.dense > 1) shardCopy += (state.parameters - state.experts) * perParameter / state.denseRanks;
        if (ranks.experts > 1 && share.experts > 0) shardCopy += state.experts * perParameter / state.expertRanks;
    }
    const Number updateWork = isOtherSoftware(cluster)
                                  ? (p.zeroStage >= 1 ? state.parameters / state.denseRanks : state.parameters) *
                                        bytes("step_bytes_per_parameter", table.stepBytesPerParameter)
                                  : bytes("update_workspace_bytes", updateWorkBytes(config, contents, ranks));
    m.update = holding({}, {}, larger(shardCopy, updateWork));
    // Root, unsharded parameters, float8 copies of weights and tensors that live for the full step.
    const bool ownHead = share.last && !(share.first && config.model.tieEmbeddings);
    const double roots = (share.first ? 1 : 0) + (ownHead ? 1 : 0);
    Number ofStep{}, whole{};
    if (table.rootBytes > 0 && roots > 0) ofStep += roots * bytes("root_bytes", table.rootBytes);
    if (table.wholeBytesPerParameter > 0) {
        whole = state.parameters * bytes("whole_bytes_per_parameter", table.wholeBytesPerParameter);
        ofStep += whole;
    }
    // The bundled trainer keeps the layers' matrices in float8, as stored and transposed, through a step of several
    // micro-batches (trainer/parallel/linear_products.h).
    if (config.train.precision == Precision::Fp8 && table.policy.name == "trainer" && p.zeroStage < 3 &&
        config.numMicroBatches() > 1)
        ofStep += 2.0 * (quantity<Number>("rank_matrices", share.matrices) - state.experts);
    // A graph has its own pool for the passes of a micro-batch, in addition to that of the first and the last, and its input tokens.
    if (repeatsFromGraph(config)) {
        m.graphBytes =
            as(larger(as(m.forward.totalBytes(), "forward_bytes", "B"),
                      as(m.backward.totalBytes(), "backward_bytes", "B")) -
                   as(rest.totalBytes(), "state_bytes", "B") + bytes("micro_batch_input_bytes", table.inputBytes),
               "memory.graph_bytes", "B");
        ofStep += m.graphBytes;
    }
    // A sent message belongs to the backend, which holds a copy until it is delivered: one at a time in steady state.
    if (p.pp > 1) ofStep += bytes("message_copy_bytes", table.messageBytes);
    Number rotary{};
    if (table.rotaryBytes > 0)
        rotary = bytes("rotary_table_bytes", table.rotaryBytes) *
                 quantity<Number>("rank_chunks", real(p.pp > 1 ? chunksPerRank(p.schedule, p.virtualStages) : 1));
    ofStep += rotary;
    ofStep += quantity<Number>("num_micro_batches", real(config.numMicroBatches())) *
              bytes("micro_batch_input_bytes", table.inputBytes);
    for (BytesOf<Number>* b : {&m.rest, &m.forward, &m.backward, &m.update}) {
        b->bufferBytes += b == &m.rest ? rotary : ofStep;
        b->weightBytes = as(b->weightBytes, "memory.weight_bytes", "B");
        b->gradientBytes = as(b->gradientBytes, "memory.gradient_bytes", "B");
        b->optimizerBytes = as(b->optimizerBytes, "memory.optimizer_bytes", "B");
        b->activationBytes = as(b->activationBytes, "memory.activation_bytes", "B");
        b->logitsBytes = as(b->logitsBytes, "memory.logits_bytes", "B");
        b->bufferBytes = as(b->bufferBytes, "memory.buffer_bytes", "B");
        const Number ofPasses = b->activationBytes + b->logitsBytes + b->bufferBytes;
        if (table.reserveBytes)
            b->reserveBytes = bytes("stack_reserve_bytes", *table.reserveBytes) +
                              (quantity<Number>("allocator_factor", table.allocatorFactor) - 1.0) * (ofPasses - whole);
        else if (cluster.device.kind == DeviceKind::Gpu)
            b->reserveBytes =
                bytes("context_bytes", kContextBytes) + quantity<Number>("fragmentation", kFragmentation) * ofPasses;
        b->reserveBytes = as(b->reserveBytes, "memory.reserve_bytes", "B");
    }
    return m;
}

}  // namespace slipway
