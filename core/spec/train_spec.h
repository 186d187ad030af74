// TrainSpec and its neighbours: batch, precision, optimizer, data, checkpoints, telemetry.
#pragma once

#include "core/base/field_table.h"
#include "core/spec/data_spec.h"
#include "core/spec/spike_spec.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace slipway {

enum class Precision { Fp64, Fp32, Tf32, Bf16, Fp16, Fp8 };
constexpr auto enumNames(Precision) {
    return std::array{
        EnumName<Precision>{Precision::Fp64, "fp64", "proofs and tests"_text},
        EnumName<Precision>{Precision::Fp32, "fp32"},
        EnumName<Precision>{Precision::Tf32, "tf32", "fp32 storage, tf32 products"_text},
        EnumName<Precision>{Precision::Bf16, "bf16", "bf16 storage, fp32 master weights"_text},
        EnumName<Precision>{Precision::Fp16, "fp16", "fp16 storage, fp32 master weights, loss scaling"_text},
        EnumName<Precision>{Precision::Fp8, "fp8", "fp8 products, bf16 storage"_text}};
}
enum class Fp8Recipe { Tensorwise, Rowwise };
constexpr auto enumNames(Fp8Recipe) {
    return std::array{
        EnumName<Fp8Recipe>{Fp8Recipe::Tensorwise, "tensorwise", "one scale per tensor"_text, "One per tensor"_text},
        EnumName<Fp8Recipe>{Fp8Recipe::Rowwise, "rowwise", "one scale per row of each factor"_text,
                            "One per row"_text}};
}
enum class Fp8Format { Hybrid, E4m3 };
constexpr auto enumNames(Fp8Format) {
    return std::array{EnumName<Fp8Format>{Fp8Format::Hybrid, "hybrid", "e4m3 forward, e5m2 for gradients"_text,
                                          "e4m3, gradients e5m2"_text},
                      EnumName<Fp8Format>{Fp8Format::E4m3, "e4m3", "e4m3 throughout"_text}};
}
/// Bytes of one element as stored (fp8 runs store bf16).
constexpr std::int64_t storageBytes(Precision p) {
    return p == Precision::Fp64 ? 8 : p == Precision::Fp32 || p == Precision::Tf32 ? 4 : 2;
}

enum class RecomputePolicy { None, Selective, Full };
constexpr auto enumNames(RecomputePolicy) {
    return std::array{
        EnumName<RecomputePolicy>{RecomputePolicy::None, "none", "keep every activation"_text, "None"_text},
        EnumName<RecomputePolicy>{RecomputePolicy::Selective, "selective",
                                  "recompute attention, norms and activations"_text, "Selective"_text},
        EnumName<RecomputePolicy>{RecomputePolicy::Full, "full", "keep block inputs only"_text, "Full"_text}};
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
        v(field("policy").label("Recomputation"_text).help("Activations to recompute in the backward pass."_text),
          s.policy);
        v(field("layers")
              .label("Recomputed layers"_text)
              .unit("layers"_text)
              .help("Number of recomputed layers, spread evenly (num_layers / k: every k-th); default: all."_text)
              .range(0, 10000)
              .when(s.policy != RecomputePolicy::None, "policy is not none"_text)
              .advanced(),
          s.layers);
        v(field("attention")
              .label("Recompute attention"_text)
              .help("Recompute the attention output from queries, keys and values."_text)
              .when(s.policy == RecomputePolicy::Selective, "policy is selective"_text)
              .advanced(),
          s.attention);
        v(field("norm")
              .label("Recompute norms"_text)
              .help("Recompute the norm outputs from their inputs."_text)
              .when(s.policy == RecomputePolicy::Selective, "policy is selective"_text)
              .advanced(),
          s.norm);
        v(field("ffn")
              .label("Recompute activation"_text)
              .help("Recompute the feed-forward activation from gate and up."_text)
              .when(s.policy == RecomputePolicy::Selective, "policy is selective"_text)
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
              .label("First batch"_text)
              .unit("sequences"_text)
              .help("Initial batch, which grows to the global batch; 0: no ramp."_text)
              .range(0, 100000000)
              .advanced(),
          s.initial);
        v(field("increment")
              .label("Batch increment"_text)
              .unit("sequences"_text)
              .help("Increment of the batch; default: initial."_text)
              .range(1, 100000000)
              .when(s.initial > 0, "initial is above 0"_text)
              .advanced(),
          s.increment);
        v(field("tokens")
              .label("Ramp length"_text)
              .unit("tokens"_text)
              .help("Tokens until the full global batch."_text)
              .range(0, 1e15)
              .when(s.initial > 0, "initial is above 0"_text)
              .advanced(),
          s.tokens);
    }
};

/// Evaluation on the last `tokens` tokens of the token file, which are excluded from training.
struct EvalSpec {
    std::int64_t everySteps = 0;
    std::int64_t tokens = 16384;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("every_steps")
              .label("Evaluate every"_text)
              .unit("steps"_text)
              .help("Steps between evaluations on held-out data; 0 disables evaluation and trains on all data."_text)
              .atLeast(0),
          s.everySteps);
        v(field("tokens")
              .label("Held-out tokens"_text)
              .unit("tokens"_text)
              .help("Held-out tokens at the end of the token file."_text)
              .range(2, 1e12)
              .when(s.everySteps > 0, "every_steps is above 0"_text)
              .advanced(),
          s.tokens);
    }
};

enum class DeviceKind { Cpu, Gpu, Tpu };
constexpr auto enumNames(DeviceKind) {
    return std::array{EnumName<DeviceKind>{DeviceKind::Cpu, "cpu"}, EnumName<DeviceKind>{DeviceKind::Gpu, "gpu"},
                      EnumName<DeviceKind>{DeviceKind::Tpu, "tpu"}};
}

enum class AttentionKernel { Fused, Products };
constexpr auto enumNames(AttentionKernel) {
    return std::array{
        EnumName<AttentionKernel>{AttentionKernel::Fused, "fused", "one kernel, no scores in memory"_text,
                                  "Fused"_text},
        EnumName<AttentionKernel>{AttentionKernel::Products, "products",
                                  "matrix products and a softmax, whose scores stay in memory"_text, "Products"_text}};
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
    AttentionKernel attentionKernel = AttentionKernel::Fused;
    bool fusedKernels = true;
    bool cudaGraphs = false;
    std::int64_t seed = 1;
    std::int64_t threadsPerRank = 1;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("seq_len")
              .label("Sequence length"_text)
              .unit("tokens"_text)
              .help("Tokens per sequence."_text)
              .range(1, 100000000),
          s.seqLen);
        v(field("global_batch_size")
              .label("Global batch"_text)
              .unit("sequences"_text)
              .help("Sequences per optimizer step over all ranks."_text)
              .range(1, 100000000),
          s.globalBatchSize);
        v(field("micro_batch_size")
              .label("Micro-batch"_text)
              .unit("sequences"_text)
              .help("Sequences one rank processes at once."_text)
              .range(1, 1000000),
          s.microBatchSize);
        v(field("num_steps").label("Steps"_text).unit("steps"_text).help("Optimizer steps."_text).range(1, 1000000000),
          s.numSteps);
        v(field("precision").label("Precision"_text).help("Number format of weights and activations."_text),
          s.precision);
        v(field("grad_dtype")
              .label("Gradient format"_text)
              .help("Number format of the main gradients."_text)
              .when(s.precision != Precision::Fp64, "precision is not fp64"_text)
              .advanced(),
          s.gradDtype);
        v(field("stochastic_rounding")
              .label("Stochastic rounding"_text)
              .help("Round updates of bf16 weights stochastically, without fp32 master weights (Zamirai 2020)."_text)
              .when(s.precision == Precision::Bf16, "precision is bf16"_text)
              .advanced(),
          s.stochasticRounding);
        v(field("fp8_recipe")
              .label("FP8 scales"_text)
              .help("Scales of fp8 products."_text)
              .when(s.precision == Precision::Fp8, "precision is fp8"_text)
              .advanced(),
          s.fp8Recipe);
        v(field("fp8_format")
              .label("FP8 formats"_text)
              .help("Number formats of fp8 products."_text)
              .when(s.precision == Precision::Fp8, "precision is fp8"_text)
              .advanced(),
          s.fp8Format);
        v(field("recompute").help("Activation recomputation."_text), s.recompute);
        v(field("spikes").help("Spikes of loss and gradient."_text), s.spikes);
        v(field("batch_ramp").help("Growth of the batch at the start."_text), s.batchRamp);
        v(field("eval").help("Evaluation on held-out data."_text), s.eval);
        v(field("loss_scale")
              .label("Loss scale"_text)
              .help("Initial factor of the loss under fp16; halved when a gradient overflows."_text)
              .range(1, 16777216)
              .when(s.precision == Precision::Fp16, "precision is fp16"_text)
              .advanced(),
          s.lossScale);
        v(field("loss_scale_interval")
              .label("Loss scale interval"_text)
              .unit("steps"_text)
              .help("Steps without overflow before the factor is doubled."_text)
              .range(1, 1000000000)
              .when(s.precision == Precision::Fp16, "precision is fp16"_text)
              .advanced(),
          s.lossScaleInterval);
        v(field("device").label("Device"_text).help("Device of the ranks."_text), s.device);
        v(field("attention_kernel")
              .label("Attention kernel"_text)
              .help("How attention is computed; the products of a causal sequence do twice the work."_text)
              .advanced(),
          s.attentionKernel);
        v(field("fused_kernels")
              .label("Fused kernels"_text)
              .help(
                  "Compute each norm, rotation, SwiGLU and loss in one pass over memory; otherwise operation by operation."_text)
              .advanced(),
          s.fusedKernels);
        v(field("cuda_graphs")
              .label("CUDA graphs"_text)
              .help("Replay micro-batches after the first as one CUDA graph instead of launching each kernel."_text)
              .when(s.device == DeviceKind::Gpu, "device is gpu"_text)
              .advanced(),
          s.cudaGraphs);
        v(field("seed")
              .label("Seed"_text)
              .help("Seed of initialisation and data order."_text)
              .range(0, 9007199254740992.0)
              .advanced(),
          s.seed);
        v(field("threads_per_rank")
              .label("Threads per rank"_text)
              .unit("threads"_text)
              .help("CPU threads of one rank."_text)
              .range(1, 1024)
              .advanced(),
          s.threadsPerRank);
    }
};

enum class LrScheduleKind { Constant, Cosine, Wsd, InverseSqrt };
constexpr auto enumNames(LrScheduleKind) {
    return std::array{EnumName<LrScheduleKind>{LrScheduleKind::Constant, "constant", "after warm-up"_text},
                      EnumName<LrScheduleKind>{LrScheduleKind::Cosine, "cosine"},
                      EnumName<LrScheduleKind>{LrScheduleKind::Wsd, "wsd", "warm-up, stable, decay"_text},
                      EnumName<LrScheduleKind>{LrScheduleKind::InverseSqrt, "inverse_sqrt",
                                               "decays with the square root of the steps"_text}};
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
        v(field("kind").label("Schedule"_text).help("Shape of the learning rate over steps."_text), s.kind);
        v(field("warmup_steps")
              .label("Warm-up"_text)
              .unit("steps"_text)
              .help("Steps of linear warm-up."_text)
              .atLeast(0),
          s.warmupSteps);
        v(field("decay_steps")
              .label("Decay"_text)
              .unit("steps"_text)
              .help("Final steps, over which the rate decays."_text)
              .atLeast(0)
              .when(s.kind == LrScheduleKind::Wsd, "kind is wsd"_text),
          s.decaySteps);
        v(field("decay_shape")
              .label("Decay shape"_text)
              .help("Shape of the decay."_text)
              .when(s.kind == LrScheduleKind::Wsd, "kind is wsd"_text),
          s.decayShape);
        v(field("min_lr_ratio")
              .label("Final rate ratio"_text)
              .help("Final rate as a fraction of lr."_text)
              .range(0, 1)
              .when(s.kind != LrScheduleKind::Constant, "kind is not constant"_text),
          s.minLrRatio);
    }
};

enum class OptimizerKind { AdamW, Lion, Muon };
constexpr auto enumNames(OptimizerKind) {
    return std::array{EnumName<OptimizerKind>{OptimizerKind::AdamW, "adamw"},
                      EnumName<OptimizerKind>{OptimizerKind::Lion, "lion", "sign of the momentum; one moment"_text},
                      EnumName<OptimizerKind>{OptimizerKind::Muon, "muon",
                                              "orthogonal updates of hidden matrices, AdamW for the rest"_text}};
}

enum class MomentDtype { Fp32, Bf16 };
constexpr auto enumNames(MomentDtype) {
    return std::array{EnumName<MomentDtype>{MomentDtype::Fp32, "fp32", "fp64 in an fp64 run"_text},
                      EnumName<MomentDtype>{MomentDtype::Bf16, "bf16", "half the memory; computed in fp32"_text}};
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
        v(field("kind").label("Optimizer"_text).help("Optimizer."_text), s.kind);
        v(field("lr").label("Learning rate"_text).help("Peak learning rate."_text).range(0, 1000), s.lr);
        v(field("beta1").label("Beta 1"_text).help("Decay of the first moment."_text).range(0, 0.999999).advanced(),
          s.beta1);
        v(field("beta2").label("Beta 2"_text).help("Decay of the second moment."_text).range(0, 0.999999999).advanced(),
          s.beta2);
        v(field("eps")
              .label("Epsilon"_text)
              .help("Added to the square root of the second moment."_text)
              .range(0, 1)
              .advanced(),
          s.eps);
        v(field("weight_decay")
              .label("Weight decay"_text)
              .help("Decoupled weight decay of matrices (norms and biases have none)."_text)
              .range(0, 10),
          s.weightDecay);
        v(field("clip_norm")
              .label("Gradient clipping"_text)
              .help(
                  "Maximum global gradient norm; 0 disables clipping. The factor is clip_norm / norm, without the 1e-6 that PyTorch and Megatron-LM add to the norm."_text)
              .range(0, 1e9),
          s.clipNorm);
        v(field("adaptive_clip")
              .label("Adaptive clipping"_text)
              .help("Maximum gradient norm of a row relative to the norm of its weights; 0 disables it."_text)
              .range(0, 1000)
              .advanced(),
          s.adaptiveClip);
        v(field("muon_momentum")
              .label("Muon momentum"_text)
              .help("Momentum of the orthogonal updates."_text)
              .range(0, 0.999999)
              .when(s.kind == OptimizerKind::Muon, "kind is muon"_text)
              .advanced(),
          s.muonMomentum);
        v(field("moment_dtype").label("Moment format"_text).help("Number format of the moments."_text).advanced(),
          s.momentDtype);
        v(field("schedule").help("Learning-rate schedule."_text), s.schedule);
    }
};

struct CheckpointSpec {
    std::int64_t everySteps = 0;
    std::int64_t keep = 2;
    std::int64_t keepEverySteps = 0;
    bool background = true;
    std::string startFrom;
    bool restoreMoments = true;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("every_steps")
              .label("Checkpoint interval"_text)
              .unit("steps"_text)
              .help("Steps between checkpoints; 0 writes only the checkpoint of a requested stop."_text)
              .atLeast(0),
          s.everySteps);
        v(field("keep")
              .label("Checkpoints kept"_text)
              .unit("checkpoints"_text)
              .help("Number of latest complete checkpoints to keep."_text)
              .range(1, 100000),
          s.keep);
        v(field("keep_every_steps")
              .label("Kept permanently"_text)
              .unit("steps"_text)
              .help("Checkpoints at multiples of this step are kept permanently; 0 keeps only the latest."_text)
              .atLeast(0)
              .when(s.everySteps > 0, "every_steps is above 0"_text)
              .advanced(),
          s.keepEverySteps);
        v(field("background")
              .label("Write in the background"_text)
              .help("Training continues while a checkpoint is written from a copy in host memory."_text)
              .when(s.everySteps > 0, "every_steps is above 0"_text)
              .advanced(),
          s.background);
        v(field("start_from")
              .label("Start from"_text)
              .help(
                  "Starting point of a new run: a checkpoint or its run folder, in any layout (training continues at that step), or Hugging Face weights (from step 0)."_text)
              .advanced(),
          s.startFrom);
        v(field("restore_moments")
              .label("Restore moments"_text)
              .help("Restore the optimizer moments with the weights; false rehearses a resume that loses them."_text)
              .advanced(),
          s.restoreMoments);
    }
};

struct TelemetrySpec {
    std::int64_t spansEverySteps = 0;
    std::int64_t noiseEverySteps = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("spans_every_steps")
              .label("Span interval"_text)
              .unit("steps"_text)
              .help("Steps between records of timed spans per rank; 0 disables them."_text)
              .atLeast(0),
          s.spansEverySteps);
        v(field("noise_every_steps")
              .label("Noise scale every"_text)
              .unit("steps"_text)
              .help(
                  "Steps between measurements of the gradient noise scale, each an extra pass over a quarter of the batch; 0 disables them."_text)
              .atLeast(0)
              .advanced(),
          s.noiseEverySteps);
    }
};

}  // namespace slipway
