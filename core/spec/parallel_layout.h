// ParallelLayout: the degrees of the parallel axes and the rank arithmetic that follows from them.
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
        EnumName<ScheduleKind>{ScheduleKind::Afab, "afab", "all forwards, then all backwards (GPipe)"},
        EnumName<ScheduleKind>{ScheduleKind::OneFOneB, "1f1b", "one forward, one backward"},
        EnumName<ScheduleKind>{ScheduleKind::InterleavedOneFOneB, "interleaved_1f1b", "several chunks per rank"},
        EnumName<ScheduleKind>{ScheduleKind::ZbH1, "zb_h1", "weight gradients fill the bubble"},
        EnumName<ScheduleKind>{ScheduleKind::ZbV, "zb_v", "two chunks in V shape, no bubble when F = B = W"},
        EnumName<ScheduleKind>{ScheduleKind::DualPipe, "dualpipe", "two directions, two copies of the weights"},
        EnumName<ScheduleKind>{ScheduleKind::DualPipeV, "dualpipe_v", "DualPipe cut in half"}};
}

enum class CpKind { Ring, AllGather, Ulysses };
constexpr auto enumNames(CpKind) {
    return std::array{EnumName<CpKind>{CpKind::Ring, "ring"}, EnumName<CpKind>{CpKind::AllGather, "all_gather"},
                      EnumName<CpKind>{CpKind::Ulysses, "ulysses"}};
}

enum class ReduceDtype { Fp32, Bf16 };
constexpr auto enumNames(ReduceDtype) {
    return std::array{EnumName<ReduceDtype>{ReduceDtype::Fp32, "fp32"},
                      EnumName<ReduceDtype>{ReduceDtype::Bf16, "bf16"}};
}

enum class Offload { None, Optimizer, Activations, All };
constexpr auto enumNames(Offload) {
    return std::array{
        EnumName<Offload>{Offload::None, "none"},
        EnumName<Offload>{Offload::Optimizer, "optimizer", "optimizer states in host memory"},
        EnumName<Offload>{Offload::Activations, "activations", "what blocks keep for the backward pass in host memory"},
        EnumName<Offload>{Offload::All, "all", "optimizer states and activations in host memory"}};
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

/// Degrees and options of a layout. Two grids lie over the same ranks: dense tp x cp x dp x pp and expert
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
    /// Degree of any axis; Edp is what the expert grid leaves: tp*cp*dp / (etp*ep).
    [[nodiscard]] std::int64_t degree(Axis axis) const;
    /// Place of a rank in the dense grid, by rankOrder (innermost first).
    [[nodiscard]] Coordinates coordinates(std::int64_t rank) const;
    [[nodiscard]] std::int64_t rankOf(const Coordinates& c) const;
    /// The ranks that share all coordinates with `rank` but those of the given dense axes, ascending along them.
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
    /// The ranks that hold all experts of a layer once (etp x ep, etp fastest), and those with copies of this rank's part.
    [[nodiscard]] std::vector<std::int64_t> expertGroup(std::int64_t rank) const;
    [[nodiscard]] std::vector<std::int64_t> expertReplicas(std::int64_t rank) const;
    /// Number of blocks on each of the pp * virtualStages stages, in model order: layersPerStage, or as even as possible
    /// with the remainder on the middle stages first (the ends carry embedding and head).
    [[nodiscard]] std::vector<std::int64_t> stageLayers(std::int64_t numLayers) const;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("dp").unit("ranks").help("Data parallel: replicas that share the batch.").range(1, 1000000), s.dp);
        v(field("tp").unit("ranks").help("Tensor parallel: each matrix is split.").range(1, 1024), s.tp);
        v(field("pp").unit("ranks").help("Pipeline parallel: layers are split into stages.").range(1, 1024), s.pp);
        v(field("cp").unit("ranks").help("Context parallel: each sequence is split.").range(1, 1024), s.cp);
        v(field("ep").unit("ranks").help("Expert parallel, folded over the dense grid.").range(1, 4096), s.ep);
        v(field("etp").unit("ranks").help("Tensor parallel inside an expert.").range(1, 1024).advanced(), s.etp);
        v(field("zero_stage")
              .help("What data-parallel ranks shard: 0 nothing, 1 optimizer states, 2 and gradients, 3 and weights.")
              .range(0, 3),
          s.zeroStage);
        v(field("dp_shard")
              .unit("ranks")
              .help("Ranks that shard together (HSDP); default: all of dp.")
              .range(1, 1000000)
              .when(s.zeroStage > 0, "zero_stage is 1 or more")
              .advanced(),
          s.dpShard);
        v(field("schedule")
              .help("Order of forward and backward passes in the pipeline.")
              .when(s.pp > 1, "pp is above 1"),
          s.schedule);
        v(field("virtual_stages")
              .unit("chunks")
              .help("Model chunks per pipeline rank.")
              .range(1, 64)
              .when(s.pp > 1, "pp is above 1"),
          s.virtualStages);
        v(field("layers_per_stage")
              .unit("layers")
              .help("Blocks of each stage in model order; default: even.")
              .range(0, 10000)
              .when(s.pp > 1, "pp is above 1")
              .advanced(),
          s.layersPerStage);
        v(field("sequence_parallel")
              .help("Shard activations between tensor-parallel regions along the sequence (Korthikanti 2022).")
              .when(s.tp > 1, "tp is above 1"),
          s.sequenceParallel);
        v(field("async_tp")
              .help(
                  "Overlap the gathers and scatters of sequence parallelism with the products beside them, piece by piece (Wang 2022).")
              .when(s.tp > 1 && s.sequenceParallel, "sequence_parallel is on")
              .advanced(),
          s.asyncTp);
        v(field("cp_kind")
              .help("How context-parallel ranks exchange keys and values.")
              .when(s.cp > 1, "cp is above 1")
              .advanced(),
          s.cpKind);
        v(field("reshard_after_forward")
              .help("Free gathered weights after the forward pass.")
              .when(s.zeroStage == 3, "zero_stage is 3")
              .advanced(),
          s.reshardAfterForward);
        v(field("reduce_dtype")
              .help("Number format of gradient reduction.")
              .when(s.dp > 1 || s.cp > 1, "dp or cp is above 1")
              .advanced(),
          s.reduceDtype);
        v(field("overlap_grad_reduce")
              .help("Reduce gradient buckets while the backward pass goes on.")
              .when(s.dp > 1 || s.cp > 1, "dp or cp is above 1")
              .advanced(),
          s.overlapGradReduce);
        v(field("bucket_bytes")
              .unit("bytes")
              .help("Size of one gradient bucket.")
              .atLeast(1)
              .when(s.dp > 1 || s.cp > 1, "dp or cp is above 1")
              .advanced(),
          s.bucketBytes);
        v(field("offload").help("What is kept in host memory.").advanced(), s.offload);
        v(field("rank_order").help("Axes from the innermost (neighbouring ranks) outwards.").advanced(), s.rankOrder);
    }
};

}  // namespace slipway
