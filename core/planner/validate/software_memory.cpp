#include "core/planner/validate/software_memory.h"

#include "core/base/real.h"
#include "core/planner/count/parameters.h"
#include "core/planner/memory/activations.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace slipway {

namespace {

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

enum Software { kPaper, kDeepSpeed16, kDeepSpeed32, kMegatronCore, kTitanEager, kTitanCompiled, kTitanCompiledLoss };

const SoftwareMemory& software(Software which) {
    static const std::array<SoftwareMemory, 7> all = [] {
        SoftwareMemory paper;
        // Korthikanti 2022 (arXiv 2205.05198), fig. 1: 18 bytes for each parameter of the layers, and table 2.
        paper.name = "Korthikanti 2022, figure 1";
        paper.meter = MemoryMeter::Formula;
        paper.layers = LayerForm::Korthikanti;
        paper.state = {"fp32_gradients", 2, 4, 12, "Korthikanti 2022, fig. 1"};

        // BLOOM's chronicles (bigscience-workshop/bigscience, train/tr11-176B-ml/chronicles-prequel.md): fp16 "grad
        // accumulates in fp16"; the optimizer's step makes fp32 gradients of the own share (DeepSpeed,
        // runtime/zero/stage_1_and_2.py). A pipeline's engine keeps inputs and outputs of every micro-batch in flight
        // (runtime/pipe/engine.py). Its arithmetic reckons 1e9 bytes to the GB; "80GB" is more than a card's 79.35 GiB.
        SoftwareMemory half = paper;
        half.name = "Megatron-DeepSpeed, 16-bit gradients";
        half.meter = MemoryMeter::Device;
        half.state = {"zero_paper", 2, 2, 12, "DeepSpeed, runtime/zero/stage_1_and_2.py"};
        half.stepBytes = 4;
        half.logitBytes = 10;
        half.messageCopies = 2;
        half.unitBytes = 1e9;

        // The same source: bf16 with gradients summed in fp32, "the additional memory usage is 4bytes x params and it's not
        // sharded across gpus".
        SoftwareMemory wide = half;
        wide.name = "Megatron-DeepSpeed, bf16 with fp32 sums";
        wide.state = {"fp32_accumulation", 2, 6, 12, "DeepSpeed, runtime/bf16_optimizer.py"};
        wide.stepBytes = 0;

        // Logits stand once in 16 bit and once, overwritten by their exponentials and their gradient, in fp32
        // (NVIDIA/Megatron-LM, megatron/core/fusions/fused_cross_entropy.py).
        SoftwareMemory core;
        core.name = "Megatron-Core, fused cross-entropy";
        core.state = {"fp32_gradients", 2, 4, 12, "Megatron-LM: gradients accumulate in fp32"};
        core.logitBytes = 6;
        core.messageCopies = 1;

        // pytorch/torchtitan: FSDP2 shards fp32 parameters and gathers them in 16 bit, reduces gradients in fp32; the root's
        // group (embedding, head) is not freed. Under a pipeline gradients add up unsharded in fp32 until the last
        // micro-batch. Loss: logits, their fp32 copy, log-softmax, its gradient, the gradient in 16 bit.
        SoftwareMemory eager;
        eager.name = "torchtitan";
        eager.meter = MemoryMeter::Reserved;
        eager.layers = LayerForm::EveryOtherProduct;
        eager.state = {"fsdp2_fp32", 2, 4, 10, "FSDP2: 16 bytes, of which 2 are gathered"};
        eager.logitBytes = 16;
        eager.wholeGradientBytes = 4;
        eager.messageCopies = 1;
        eager.rootStays = true;
        SoftwareMemory compiled = eager;  // the 16-bit logits go into their copy
        compiled.name = "torchtitan, compiled";
        compiled.logitBytes = 14;
        SoftwareMemory compiledLoss =
            eager;  // logits and their gradient, both in 16 bit (pytorch/torchtitan, pull request 1033)
        compiledLoss.name = "torchtitan, compiled with its loss";
        compiledLoss.logitBytes = 4;
        return std::array<SoftwareMemory, 7>{paper, half, wide, core, eager, compiled, compiledLoss};
    }();
    return all[which];
}

/// Of one layer: what recomputation in the style of torchtitan keeps (torchtitan/parallelisms/parallelize_llama.py): the
/// input, the products of queries, values, gate and down projection, attention's output with its statistics.
double everyOtherProductBytes(const RunConfig& c) {
    const double tp = real(c.parallel.tp);
    const double tokens = real(c.train.microBatchSize * c.train.seqLen) / real(c.parallel.cp);
    const double kv = real(c.model.kvHeads() * c.model.headSize()), q = real(c.model.numHeads * c.model.headSize());
    return tokens / tp *
           (2 * (2 * real(c.model.hiddenSize) + 2 * q + kv + real(c.model.ffnHiddenSize)) + 4 * real(c.model.numHeads));
}

void applyKorthikanti(const RunConfig& c, MemoryTable& table) {
    const ParallelLayout& p = c.parallel;
    const auto bytes = [&](ActivationForm form) {
        return korthikantiLayerBytes(real(c.train.seqLen) / real(p.cp), real(c.train.microBatchSize),
                                     real(c.model.hiddenSize), real(c.model.numHeads), real(p.tp), p.sequenceParallel,
                                     form);
    };
    const double whole = bytes(ActivationForm::Full);
    double kept = whole;
    if (c.train.recompute.policy == RecomputePolicy::Selective) kept = bytes(ActivationForm::Selective);
    if (c.train.recompute.policy == RecomputePolicy::Full) kept = residualBytes(c);
    table.denseActivationBytes = table.moeActivationBytes = kept;
    table.denseWorkBytes = table.moeWorkBytes = c.train.recompute.policy == RecomputePolicy::None ? 0 : whole;
}

void applySoftware(const RunConfig& c, const SoftwareMemory& s, MemoryTable& table) {
    const ParallelLayout& p = c.parallel;
    const double tokens = real(c.train.microBatchSize * c.train.seqLen) / real(p.cp);
    table.policy = s.state;
    if (s.layers == LayerForm::Korthikanti) applyKorthikanti(c, table);
    if (s.layers == LayerForm::EveryOtherProduct && c.train.recompute.policy == RecomputePolicy::Selective) {
        RunConfig all = c;
        all.train.recompute.policy = RecomputePolicy::None;
        table.denseActivationBytes = everyOtherProductBytes(c);
        table.denseWorkBytes += layerActivationBytes(all, false) - table.denseActivationBytes;
    }
    if (c.model.mla && c.train.recompute.policy == RecomputePolicy::None) {
        // Values and attention's output are as wide as values are, not padded to the queries' width.
        const MlaSpec& mla = *c.model.mla;
        const double padding = 2 * 2 * tokens * real(c.model.numHeads) / real(p.tp) *
                               real(mla.qkNopeHeadDim + mla.qkRopeHeadDim - mla.vHeadDim);
        table.denseActivationBytes -= padding;
        table.moeActivationBytes -= padding;
    }
    table.headActivationBytes = tokens * real(c.model.vocabSize) / real(p.tp) * s.logitBytes;
    table.headWorkBytes = table.headGradientWorkBytes = table.embeddingGradientWorkBytes = 0;
    table.inputBytes = table.rotaryBytes = 0;
    table.flightBytes = p.pp > 1 ? s.messageCopies * residualBytes(c) : 0;
    table.reserveBytes = 0;
    if (s.meter == MemoryMeter::Formula) {
        table.tableParameters = table.positionParameters = table.finalNormParameters = 0;
        table.headActivationBytes = table.messageBytes = table.denseWorkBytes = table.moeWorkBytes = 0;
    }
}

}  // namespace

const SoftwareMemory* softwareOf(std::string_view source, std::string_view precision, std::string_view notes) {
    if (contains(source, "Korthikanti")) return &software(kPaper);
    if (contains(source, "bigscience"))
        return &software(contains(precision, "fp32 grad") ? kDeepSpeed32 : kDeepSpeed16);
    if (contains(source, "SimuMax")) return &software(kMegatronCore);
    if (contains(source, "torchtitan")) {
        // The loss is compiled with the model since April 2025; pipelines with asynchronous tensor parallelism need the compiler.
        if (!contains(notes, "compile") && !contains(notes, "AsyncTP")) return &software(kTitanEager);
        return &software(contains(source, "_2024") ? kTitanCompiled : kTitanCompiledLoss);
    }
    return nullptr;
}

AllocatorFigures textbookAllocator(MemoryMeter meter) {
    switch (meter) {
        case MemoryMeter::Formula:
        case MemoryMeter::Allocated: return {1, 0};
        case MemoryMeter::Reserved: return {1.02, 0.3e9};
        case MemoryMeter::Device:
            return {1.05, 3e9};  // context 0.5 to 1.5, communicators 0.2 to 1 GiB, buckets: ranges, textbook
    }
    return {};
}

std::vector<double> softwareRankBytes(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline,
                                      const SoftwareMemory& s, const AllocatorFigures& allocator) {
    MemoryTable table = makeMemoryTable(config, RowLoops::Operations);
    applySoftware(config, s, table);
    std::vector<RankContents> contents;
    rankContents(config, pipeline, table, contents);
    const ParallelLayout& p = config.parallel;
    const double shards = p.zeroStage >= 1 ? shardRanks(p).dense : 1;
    std::vector<double> ranks;
    for (const RankContents& held : contents) {
        const MemoryBreakdown b = rankBytes(config, cluster, table, held);
        double state = b.weightBytes + b.gradientBytes + b.optimizerBytes;
        if (p.pp > 1) state += held.share.parameters * s.wholeGradientBytes;
        double work = b.activationBytes + b.logitsBytes + b.bufferBytes;
        if (s.rootStays && p.zeroStage >= 3 && shards > 1 && p.reshardAfterForward) {
            const bool ownHead = held.share.last && !(held.share.first && config.model.tieEmbeddings);
            work += ((held.share.first ? 1 : 0) + (ownHead ? 1 : 0)) * table.tableParameters * s.state.weightBytes;
        }
        work = std::max(work, held.share.parameters / shards * s.stepBytes);
        ranks.push_back(state + allocator.factor * work + allocator.fixedBytes);
    }
    return ranks;
}

std::int64_t layersOfSize(double parameters, double hidden, double vocab, std::int64_t pp) {
    const double layers = (parameters - vocab * hidden) / (12 * hidden * hidden);
    return pp * std::max<std::int64_t>(1, std::llround(layers / real(pp)));
}

std::vector<std::int64_t> deepSpeedSplit(std::int64_t numLayers, std::int64_t pp) {
    const std::int64_t most = (numLayers + pp - 1) / pp, last = numLayers - most * (pp - 1);
    if (pp == 1 || numLayers % pp == 0 || (numLayers + 2) % pp == 0 || last < 1) return {};
    std::vector<std::int64_t> stages(static_cast<std::size_t>(pp - 1), most);
    stages.push_back(last);
    return stages;
}

}  // namespace slipway
