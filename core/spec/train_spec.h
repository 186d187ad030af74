// TrainSpec and its neighbours: batch, precision, optimizer, data, checkpoints, telemetry.
#pragma once

#include "core/base/field_table.h"
#include "core/spec/spike_spec.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace slipway {

enum class Precision { Fp64, Fp32, Tf32, Bf16, Fp16, Fp8 };
constexpr auto enumNames(Precision) {
    return std::array{EnumName<Precision>{Precision::Fp64, "fp64", "proofs and tests"},
                      EnumName<Precision>{Precision::Fp32, "fp32"},
                      EnumName<Precision>{Precision::Tf32, "tf32", "fp32 storage, tf32 products"},
                      EnumName<Precision>{Precision::Bf16, "bf16", "bf16 storage, fp32 master weights"},
                      EnumName<Precision>{Precision::Fp16, "fp16", "fp16 storage, fp32 master weights, loss scaling"},
                      EnumName<Precision>{Precision::Fp8, "fp8", "fp8 products, bf16 storage"}};
}
enum class Fp8Recipe { Tensorwise, Rowwise };
constexpr auto enumNames(Fp8Recipe) {
    return std::array{EnumName<Fp8Recipe>{Fp8Recipe::Tensorwise, "tensorwise", "one scale per tensor"},
                      EnumName<Fp8Recipe>{Fp8Recipe::Rowwise, "rowwise", "one scale per row of each factor"}};
}
enum class Fp8Format { Hybrid, E4m3 };
constexpr auto enumNames(Fp8Format) {
    return std::array{EnumName<Fp8Format>{Fp8Format::Hybrid, "hybrid", "e4m3 forward, e5m2 for gradients"},
                      EnumName<Fp8Format>{Fp8Format::E4m3, "e4m3", "e4m3 throughout"}};
}
/// Bytes of one element as stored (fp8 runs store bf16).
constexpr std::int64_t storageBytes(Precision p) {
    return p == Precision::Fp64 ? 8 : p == Precision::Fp32 || p == Precision::Tf32 ? 4 : 2;
}

enum class RecomputePolicy { None, Selective, Full };
constexpr auto enumNames(RecomputePolicy) {
    return std::array{EnumName<RecomputePolicy>{RecomputePolicy::None, "none", "keep every activation"},
                      EnumName<RecomputePolicy>{RecomputePolicy::Selective, "selective",
                                                "recompute attention, norms and activations"},
                      EnumName<RecomputePolicy>{RecomputePolicy::Full, "full", "keep block inputs only"}};
}

struct RecomputeSpec {
    RecomputePolicy policy = RecomputePolicy::None;
    std::optional<std::int64_t> layers;
    bool attention = true, norm = true, ffn = true;

    /// True for exactly `layers` of the model's layers (all by default), spread evenly: every k-th when layers = num_layers / k.
    [[nodiscard]] bool appliesTo(std::int64_t layer, std::int64_t numLayers) const {
        if (policy == RecomputePolicy::None) return false;
        const std::int64_t n = std::min(layers.value_or(numLayers), numLayers);
        return (layer + 1) * n / numLayers > layer * n / numLayers;
    }

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("policy").help("Which activations are computed again in the backward pass."), s.policy);
        v(field("layers")
              .unit("layers")
              .help("Exact number of layers that do so, spread evenly (num_layers / k: every k-th); default: all.")
              .range(0, 10000)
              .when(s.policy != RecomputePolicy::None, "policy is not none")
              .advanced(),
          s.layers);
        v(field("attention")
              .help("Make the attention output again from queries, keys and values.")
              .when(s.policy == RecomputePolicy::Selective, "policy is selective")
              .advanced(),
          s.attention);
        v(field("norm")
              .help("Make the norm outputs again from their inputs.")
              .when(s.policy == RecomputePolicy::Selective, "policy is selective")
              .advanced(),
          s.norm);
        v(field("ffn")
              .help("Make the feed-forward activation again from gate and up.")
              .when(s.policy == RecomputePolicy::Selective, "policy is selective")
              .advanced(),
          s.ffn);
    }
};

/// Batch ramp: the batch grows in whole increments with the tokens seen; arithmetic in batch_sizes.h.
struct BatchRampSpec {
    std::int64_t initial = 0;
    std::optional<std::int64_t> increment;
    std::int64_t tokens = 0;

    [[nodiscard]] std::int64_t incrementSize() const { return increment.value_or(initial); }

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("initial")
              .unit("sequences")
              .help("Batch of the first step, from which it grows to the global batch; 0: no ramp.")
              .range(0, 100000000)
              .advanced(),
          s.initial);
        v(field("increment")
              .unit("sequences")
              .help("The batch grows by whole multiples of this; default: initial.")
              .range(1, 100000000)
              .when(s.initial > 0, "initial is above 0")
              .advanced(),
          s.increment);
        v(field("tokens")
              .unit("tokens")
              .help("Tokens until the whole global batch is reached.")
              .range(0, 1e15)
              .when(s.initial > 0, "initial is above 0")
              .advanced(),
          s.tokens);
    }
};

/// Evaluation on the last `tokens` tokens of the token file, which are never trained on.
struct EvalSpec {
    std::int64_t everySteps = 0;
    std::int64_t tokens = 16384;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("every_steps")
              .unit("steps")
              .help("Steps between evaluations on held-out data; 0: none, and all data is trained on.")
              .atLeast(0),
          s.everySteps);
        v(field("tokens")
              .unit("tokens")
              .help("Tokens at the end of the token file that are held out.")
              .range(2, 1e12)
              .when(s.everySteps > 0, "every_steps is above 0")
              .advanced(),
          s.tokens);
    }
};

enum class DeviceKind { Cpu, Gpu, Tpu };
constexpr auto enumNames(DeviceKind) {
    return std::array{EnumName<DeviceKind>{DeviceKind::Cpu, "cpu"}, EnumName<DeviceKind>{DeviceKind::Gpu, "gpu"},
                      EnumName<DeviceKind>{DeviceKind::Tpu, "tpu"}};
}

struct TrainSpec {
    std::int64_t seqLen = 256;
    std::int64_t globalBatchSize = 16;
    std::int64_t microBatchSize = 2;
    std::int64_t numSteps = 100;
    Precision precision = Precision::Fp32;
    Precision gradDtype = Precision::Fp32;
    bool stochasticRounding = false;
    Fp8Recipe fp8Recipe = Fp8Recipe::Tensorwise;
    Fp8Format fp8Format = Fp8Format::Hybrid;
    RecomputeSpec recompute;
    SpikeSpec spikes;
    BatchRampSpec batchRamp;
    EvalSpec eval;
    double lossScale = 65536;
    std::int64_t lossScaleInterval = 2000;
    DeviceKind device = DeviceKind::Cpu;
    bool cudaGraphs = false;
    std::int64_t seed = 1;
    std::int64_t threadsPerRank = 1;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("seq_len").unit("tokens").help("Tokens per sequence.").range(1, 100000000), s.seqLen);
        v(field("global_batch_size")
              .unit("sequences")
              .help("Sequences per optimizer step over all ranks.")
              .range(1, 100000000),
          s.globalBatchSize);
        v(field("micro_batch_size").unit("sequences").help("Sequences one rank processes at once.").range(1, 1000000),
          s.microBatchSize);
        v(field("num_steps").unit("steps").help("Optimizer steps.").range(1, 1000000000), s.numSteps);
        v(field("precision").help("Number format of weights and activations."), s.precision);
        v(field("grad_dtype")
              .help("Number format of the main gradients.")
              .when(s.precision != Precision::Fp64, "precision is not fp64")
              .advanced(),
          s.gradDtype);
        v(field("stochastic_rounding")
              .help(
                  "No fp32 master weights: updates of bf16 weights are rounded at random, in proportion (Zamirai 2020).")
              .when(s.precision == Precision::Bf16, "precision is bf16")
              .advanced(),
          s.stochasticRounding);
        v(field("fp8_recipe")
              .help("Scales of fp8 products.")
              .when(s.precision == Precision::Fp8, "precision is fp8")
              .advanced(),
          s.fp8Recipe);
        v(field("fp8_format")
              .help("Number formats of fp8 products.")
              .when(s.precision == Precision::Fp8, "precision is fp8")
              .advanced(),
          s.fp8Format);
        v(field("recompute").help("Activation recomputation."), s.recompute);
        v(field("spikes").help("Spikes of loss and gradient."), s.spikes);
        v(field("batch_ramp").help("Growth of the batch at the start."), s.batchRamp);
        v(field("eval").help("Evaluation on held-out data."), s.eval);
        v(field("loss_scale")
              .help("First factor of the loss under fp16; halved when a gradient overflows.")
              .range(1, 16777216)
              .when(s.precision == Precision::Fp16, "precision is fp16")
              .advanced(),
          s.lossScale);
        v(field("loss_scale_interval")
              .unit("steps")
              .help("Steps without overflow after which the factor is doubled.")
              .range(1, 1000000000)
              .when(s.precision == Precision::Fp16, "precision is fp16")
              .advanced(),
          s.lossScaleInterval);
        v(field("device").help("Where ranks compute."), s.device);
        v(field("cuda_graphs")
              .help("Micro-batches after the first are replayed as one CUDA graph, without a launch for each kernel.")
              .when(s.device == DeviceKind::Gpu, "device is gpu")
              .advanced(),
          s.cudaGraphs);
        v(field("seed").help("Seed of initialisation and data order.").range(0, 9007199254740992.0).advanced(), s.seed);
        v(field("threads_per_rank").unit("threads").help("CPU threads of one rank.").range(1, 1024).advanced(),
          s.threadsPerRank);
    }
};

enum class LrScheduleKind { Constant, Cosine, Wsd, InverseSqrt };
constexpr auto enumNames(LrScheduleKind) {
    return std::array{
        EnumName<LrScheduleKind>{LrScheduleKind::Constant, "constant", "after warm-up"},
        EnumName<LrScheduleKind>{LrScheduleKind::Cosine, "cosine"},
        EnumName<LrScheduleKind>{LrScheduleKind::Wsd, "wsd", "warm-up, stable, decay"},
        EnumName<LrScheduleKind>{LrScheduleKind::InverseSqrt, "inverse_sqrt", "falls with the root of the steps"}};
}
enum class DecayShape { Linear, Cosine, OneMinusSqrt };
constexpr auto enumNames(DecayShape) {
    return std::array{EnumName<DecayShape>{DecayShape::Linear, "linear"},
                      EnumName<DecayShape>{DecayShape::Cosine, "cosine"},
                      EnumName<DecayShape>{DecayShape::OneMinusSqrt, "one_minus_sqrt"}};
}

/// Learning rate over steps. Clamped: after the last step it stays at the minimum (it never rises again).
struct LrSchedule {
    LrScheduleKind kind = LrScheduleKind::Cosine;
    std::int64_t warmupSteps = 0;
    std::int64_t decaySteps = 0;
    DecayShape decayShape = DecayShape::Linear;
    double minLrRatio = 0.1;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("kind").help("Shape of the learning rate over steps."), s.kind);
        v(field("warmup_steps").unit("steps").help("Steps of linear warm-up.").atLeast(0), s.warmupSteps);
        v(field("decay_steps")
              .unit("steps")
              .help("Last steps, over which the rate falls.")
              .atLeast(0)
              .when(s.kind == LrScheduleKind::Wsd, "kind is wsd"),
          s.decaySteps);
        v(field("decay_shape").help("How the rate falls.").when(s.kind == LrScheduleKind::Wsd, "kind is wsd"),
          s.decayShape);
        v(field("min_lr_ratio")
              .help("Final rate as a fraction of lr.")
              .range(0, 1)
              .when(s.kind != LrScheduleKind::Constant, "kind is not constant"),
          s.minLrRatio);
    }
};

enum class OptimizerKind { AdamW, Lion, Muon };
constexpr auto enumNames(OptimizerKind) {
    return std::array{EnumName<OptimizerKind>{OptimizerKind::AdamW, "adamw"},
                      EnumName<OptimizerKind>{OptimizerKind::Lion, "lion", "sign of the momentum; one moment"},
                      EnumName<OptimizerKind>{OptimizerKind::Muon, "muon",
                                              "orthogonal updates of hidden matrices, AdamW for the rest"}};
}

enum class MomentDtype { Fp32, Bf16 };
constexpr auto enumNames(MomentDtype) {
    return std::array{EnumName<MomentDtype>{MomentDtype::Fp32, "fp32", "fp64 in an fp64 run"},
                      EnumName<MomentDtype>{MomentDtype::Bf16, "bf16", "half the memory; computed in fp32"}};
}

struct OptimizerSpec {
    OptimizerKind kind = OptimizerKind::AdamW;
    double lr = 3e-4;
    double beta1 = 0.9;
    double beta2 = 0.95;
    double eps = 1e-8;
    double weightDecay = 0.1;
    double clipNorm = 1.0;
    double adaptiveClip = 0;
    double muonMomentum = 0.95;
    MomentDtype momentDtype = MomentDtype::Fp32;
    LrSchedule schedule;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("kind").help("Optimizer."), s.kind);
        v(field("lr").help("Highest learning rate.").range(0, 1000), s.lr);
        v(field("beta1").help("Decay of the first moment.").range(0, 0.999999).advanced(), s.beta1);
        v(field("beta2").help("Decay of the second moment.").range(0, 0.999999999).advanced(), s.beta2);
        v(field("eps").help("Added to the root of the second moment.").range(0, 1).advanced(), s.eps);
        v(field("weight_decay").help("Decoupled weight decay of matrices (norms and biases have none).").range(0, 10),
          s.weightDecay);
        v(field("clip_norm").help("Largest global gradient norm; 0 switches clipping off.").range(0, 1e9), s.clipNorm);
        v(field("adaptive_clip")
              .help("Largest gradient norm of a unit (row) as a share of its weights' norm; 0 switches it off.")
              .range(0, 1000)
              .advanced(),
          s.adaptiveClip);
        v(field("muon_momentum")
              .help("Momentum of the orthogonal updates.")
              .range(0, 0.999999)
              .when(s.kind == OptimizerKind::Muon, "kind is muon")
              .advanced(),
          s.muonMomentum);
        v(field("moment_dtype").help("Number format in which moments are kept.").advanced(), s.momentDtype);
        v(field("schedule").help("Learning-rate schedule."), s.schedule);
    }
};

struct DataSpec {
    std::string tokens;
    std::optional<std::int64_t> ignoreTokenId;
    std::optional<std::int64_t> documentEndId;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("tokens").help(
              "Token file made by `slipway corpus`; a relative path is looked up in the corpora folder."),
          s.tokens);
        v(field("ignore_token_id").help("Targets with this id carry no loss.").atLeast(0).advanced(), s.ignoreTokenId);
        v(field("document_end_id")
              .help(
                  "Token that ends a document; attention does not look into the documents before it. Default: it does.")
              .atLeast(0)
              .advanced(),
          s.documentEndId);
    }
};

struct CheckpointSpec {
    std::int64_t everySteps = 0;
    std::int64_t keep = 2;
    std::int64_t keepEverySteps = 0;
    bool background = true;
    std::string startFrom;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("every_steps")
              .unit("steps")
              .help("Steps between checkpoints; 0 writes none but the one asked for by stop.")
              .atLeast(0),
          s.everySteps);
        v(field("keep").unit("checkpoints").help("Newest complete checkpoints to keep.").range(1, 100000), s.keep);
        v(field("keep_every_steps")
              .unit("steps")
              .help("Checkpoints of steps that are a multiple of this stay for good; 0 keeps the newest alone.")
              .atLeast(0)
              .when(s.everySteps > 0, "every_steps is above 0")
              .advanced(),
          s.keepEverySteps);
        v(field("background")
              .help("Training goes on while a checkpoint is written from a copy in host memory.")
              .when(s.everySteps > 0, "every_steps is above 0")
              .advanced(),
          s.background);
        v(field("start_from")
              .help(
                  "Folder a new run starts from: a checkpoint or the run that wrote it, in any layout (it goes on at that step), or Hugging Face weights (from step 0).")
              .advanced(),
          s.startFrom);
    }
};

struct TelemetrySpec {
    std::int64_t spansEverySteps = 0;
    std::int64_t noiseEverySteps = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("spans_every_steps")
              .unit("steps")
              .help("Steps between records of timed spans per rank; 0 records none.")
              .atLeast(0),
          s.spansEverySteps);
        v(field("noise_every_steps")
              .unit("steps")
              .help(
                  "Steps between measurements of the gradient noise scale, each an extra pass over a quarter of the batch; 0: none.")
              .atLeast(0)
              .advanced(),
          s.noiseEverySteps);
    }
};

}  // namespace slipway
