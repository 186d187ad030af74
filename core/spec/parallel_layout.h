// ParallelLayout: the degrees of the parallel axes and the resulting rank arithmetic.
//   ParallelLayout l; l.dp = 2; l.tp = 2;  l.worldSize() == 4;  l.coordinates(3) == {tp 1, cp 0, dp 1, pp 0}
#pragma once

#include "core/base/field_table.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

enum class Axis { Tp, Cp, Dp, Pp, Ep, Etp, Edp };
constexpr auto enumNames(Axis) {
    return std::array{EnumName<Axis>{Axis::Tp, "tp"},  EnumName<Axis>{Axis::Cp, "cp"}, EnumName<Axis>{Axis::Dp, "dp"},
                      EnumName<Axis>{Axis::Pp, "pp"},  EnumName<Axis>{Axis::Ep, "ep"}, EnumName<Axis>{Axis::Etp, "etp"},
                      EnumName<Axis>{Axis::Edp, "edp"}};
}

enum class ScheduleKind { Afab, OneFOneB, InterleavedOneFOneB, ZbH1, ZbV, DualPipe, DualPipeV };
constexpr auto enumNames(ScheduleKind) {
    return std::array{
        EnumName<ScheduleKind>{ScheduleKind::Afab, "afab", "all forwards, then all backwards (GPipe)"_text,
                               "AFAB: all forward, all backward"_text},
        EnumName<ScheduleKind>{ScheduleKind::OneFOneB, "1f1b", "one forward, one backward"_text, "1F1B"_text},
        EnumName<ScheduleKind>{ScheduleKind::InterleavedOneFOneB, "interleaved_1f1b", "several chunks per rank"_text,
                               "1F1B, interleaved"_text},
        EnumName<ScheduleKind>{ScheduleKind::ZbH1, "zb_h1", "weight gradients fill the bubble"_text,
                               "Zero bubble H1"_text},
        EnumName<ScheduleKind>{ScheduleKind::ZbV, "zb_v", "two chunks in V shape, no bubble when F = B = W"_text,
                               "Zero bubble V"_text},
        EnumName<ScheduleKind>{ScheduleKind::DualPipe, "dualpipe", "two directions, two copies of the weights"_text,
                               "DualPipe"_text},
        EnumName<ScheduleKind>{ScheduleKind::DualPipeV, "dualpipe_v", "DualPipe cut in half"_text, "DualPipe V"_text}};
}

enum class CpKind { Ring, AllGather, Ulysses };
constexpr auto enumNames(CpKind) {
    return std::array{EnumName<CpKind>{CpKind::Ring, "ring", {}, "Ring"_text},
                      EnumName<CpKind>{CpKind::AllGather, "all_gather", {}, "All-gather"_text},
                      EnumName<CpKind>{CpKind::Ulysses, "ulysses", {}, "Ulysses (all-to-all)"_text}};
}

enum class ReduceDtype { Fp32, Bf16 };
constexpr auto enumNames(ReduceDtype) {
    return std::array{EnumName<ReduceDtype>{ReduceDtype::Fp32, "fp32"},
                      EnumName<ReduceDtype>{ReduceDtype::Bf16, "bf16"}};
}

enum class Offload { None, Optimizer, Activations, All };
constexpr auto enumNames(Offload) {
    return std::array{EnumName<Offload>{Offload::None, "none", {}, "None"_text},
                      EnumName<Offload>{Offload::Optimizer, "optimizer", "optimizer states in host memory"_text,
                                        "Optimizer states"_text},
                      EnumName<Offload>{Offload::Activations, "activations", "saved activations in host memory"_text,
                                        "Activations"_text},
                      EnumName<Offload>{Offload::All, "all", "optimizer states and activations in host memory"_text,
                                        "Optimizer states and activations"_text}};
}
constexpr bool offloadsOptimizer(Offload o) {
    return o == Offload::Optimizer || o == Offload::All;
}
constexpr bool offloadsActivations(Offload o) {
    return o == Offload::Activations || o == Offload::All;
}

/// A rank's place in the dense grid.
struct Coordinates {
    std::int64_t tp = 0, cp = 0, dp = 0, pp = 0;
    bool operator==(const Coordinates&) const = default;
};

/// Degrees and options of a layout. Two grids cover the same ranks: dense tp x cp x dp x pp and expert
/// etp x ep x edp x pp, so ep does not multiply the world (Megatron-LM theoretical_memory_usage.py).
struct ParallelLayout {
    std::int64_t dp = 1, tp = 1, pp = 1, cp = 1, ep = 1, etp = 1;
    std::optional<std::int64_t> dpShard;
    std::int64_t zeroStage = 0;
    std::int64_t virtualStages = 1;
    ScheduleKind schedule = ScheduleKind::OneFOneB;
    std::vector<std::int64_t> layersPerStage;
    bool sequenceParallel = false;
    bool asyncTp = false;
    CpKind cpKind = CpKind::Ring;
    bool reshardAfterForward = true;
    ReduceDtype reduceDtype = ReduceDtype::Fp32;
    bool overlapGradReduce = true;
    std::int64_t bucketBytes = 25 * 1024 * 1024;
    Offload offload = Offload::None;
    std::vector<std::string> rankOrder = {"tp", "cp", "dp", "pp"};

    [[nodiscard]] std::int64_t worldSize() const { return dp * tp * pp * cp; }
    /// Degree of any axis; Edp is the remainder of the expert grid: tp*cp*dp / (etp*ep).
    [[nodiscard]] std::int64_t degree(Axis axis) const;
    /// Place of a rank in the dense grid, by rankOrder (innermost first).
    [[nodiscard]] Coordinates coordinates(std::int64_t rank) const;
    [[nodiscard]] std::int64_t rankOf(const Coordinates& c) const;
    /// The ranks that share all coordinates with `rank` except those of the given dense axes, ascending along them.
    [[nodiscard]] std::vector<std::int64_t> groupOf(const std::vector<Axis>& axes, std::int64_t rank) const;
    [[nodiscard]] std::vector<std::int64_t> groupOf(Axis axis, std::int64_t rank) const {
        return groupOf(std::vector<Axis>{axis}, rank);
    }
    /// A rank's place in the expert grid etp x ep x edp, which is folded over the ranks tp x cp x dp of its pipeline rank: tp
    /// runs fastest there, then cp, then dp; here etp, then ep, then edp.
    struct ExpertPlace {
        std::int64_t etp = 0, ep = 0, edp = 0;
        bool operator==(const ExpertPlace&) const = default;
    };
    [[nodiscard]] ExpertPlace expertPlace(std::int64_t rank) const;
    /// The ranks that together hold all experts of a layer once (etp x ep, etp fastest), and those with copies of this rank's part.
    [[nodiscard]] std::vector<std::int64_t> expertGroup(std::int64_t rank) const;
    [[nodiscard]] std::vector<std::int64_t> expertReplicas(std::int64_t rank) const;
    /// Number of blocks on each of the pp * virtualStages stages, in model order: layersPerStage, or as even as possible
    /// with the remainder on the middle stages first (the ends carry embedding and head).
    [[nodiscard]] std::vector<std::int64_t> stageLayers(std::int64_t numLayers) const;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("dp")
              .label("Data parallel (dp)"_text)
              .unit("ranks"_text)
              .help("Data parallel: replicas that share the batch."_text)
              .range(1, 1000000),
          s.dp);
        v(field("tp")
              .label("Tensor parallel (tp)"_text)
              .unit("ranks"_text)
              .help("Tensor parallel: each matrix is split."_text)
              .range(1, 1024),
          s.tp);
        v(field("pp")
              .label("Pipeline parallel (pp)"_text)
              .unit("ranks"_text)
              .help("Pipeline parallel: layers are split into stages."_text)
              .range(1, 1024),
          s.pp);
        v(field("cp")
              .label("Context parallel (cp)"_text)
              .unit("ranks"_text)
              .help("Context parallel: each sequence is split."_text)
              .range(1, 1024),
          s.cp);
        v(field("ep")
              .label("Expert parallel (ep)"_text)
              .unit("ranks"_text)
              .help("Expert parallel, folded over the dense grid."_text)
              .range(1, 4096),
          s.ep);
        v(field("etp")
              .label("Expert tensor parallel (etp)"_text)
              .unit("ranks"_text)
              .help("Tensor parallel inside an expert."_text)
              .range(1, 1024)
              .advanced(),
          s.etp);
        v(field("zero_stage")
              .label("ZeRO stage"_text)
              .help(
                  "States sharded over data-parallel ranks: 0 none, 1 optimizer states, 2 also gradients, 3 also weights."_text)
              .range(0, 3),
          s.zeroStage);
        v(field("dp_shard")
              .label("Shard group"_text)
              .unit("ranks"_text)
              .help("Ranks per shard group (HSDP); default: dp."_text)
              .range(1, 1000000)
              .when(s.zeroStage > 0, "zero_stage is 1 or more"_text)
              .advanced(),
          s.dpShard);
        v(field("schedule")
              .label("Schedule"_text)
              .help("Order of forward and backward passes in the pipeline."_text)
              .when(s.pp > 1, "pp is above 1"_text),
          s.schedule);
        v(field("virtual_stages")
              .label("Chunks per rank"_text)
              .unit("chunks"_text)
              .help("Model chunks per pipeline rank."_text)
              .range(1, 64)
              .when(s.pp > 1, "pp is above 1"_text),
          s.virtualStages);
        v(field("layers_per_stage")
              .label("Layers per stage"_text)
              .unit("layers"_text)
              .help("Blocks of each stage in model order; default: even."_text)
              .range(0, 10000)
              .when(s.pp > 1, "pp is above 1"_text)
              .advanced(),
          s.layersPerStage);
        v(field("sequence_parallel")
              .label("Sequence parallel"_text)
              .help("Shard activations between tensor-parallel regions along the sequence (Korthikanti 2022)."_text)
              .when(s.tp > 1, "tp is above 1"_text),
          s.sequenceParallel);
        v(field("async_tp")
              .label("Overlapped TP"_text)
              .help(
                  "Overlap the gathers and scatters of sequence parallelism with the adjacent matrix products, chunk by chunk (Wang 2022)."_text)
              .when(s.tp > 1 && s.sequenceParallel, "sequence_parallel is on"_text)
              .advanced(),
          s.asyncTp);
        v(field("cp_kind")
              .label("Context exchange"_text)
              .help("Exchange of keys and values between context-parallel ranks."_text)
              .when(s.cp > 1, "cp is above 1"_text)
              .advanced(),
          s.cpKind);
        v(field("reshard_after_forward")
              .label("Reshard after forward"_text)
              .help("Free gathered weights after the forward pass."_text)
              .when(s.zeroStage == 3, "zero_stage is 3"_text)
              .advanced(),
          s.reshardAfterForward);
        v(field("reduce_dtype")
              .label("Reduction format"_text)
              .help("Number format of gradient reduction."_text)
              .when(s.dp > 1 || s.cp > 1, "dp or cp is above 1"_text)
              .advanced(),
          s.reduceDtype);
        v(field("overlap_grad_reduce")
              .label("Overlap reduction"_text)
              .help("Reduce gradient buckets during the backward pass."_text)
              .when(s.dp > 1 || s.cp > 1, "dp or cp is above 1"_text)
              .advanced(),
          s.overlapGradReduce);
        v(field("bucket_bytes")
              .label("Bucket size"_text)
              .unit("bytes"_text)
              .help("Size of one gradient bucket."_text)
              .atLeast(1)
              .when(s.dp > 1 || s.cp > 1, "dp or cp is above 1"_text)
              .advanced(),
          s.bucketBytes);
        v(field("offload").label("Offload"_text).help("States in host memory."_text).advanced(), s.offload);
        v(field("rank_order")
              .label("Rank order"_text)
              .help("Axes from the innermost (neighbouring ranks) to the outermost."_text)
              .advanced(),
          s.rankOrder);
    }
};

}  // namespace slipway
