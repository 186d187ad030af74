// Known layout bugs that tests inject to prove that the parity suite would find them. A switch is a field of the
// options that only tests set; production passes None, at the cost of one comparison per layer and step.
#pragma once

#include <array>
#include <string_view>

namespace slipway::trainer {

enum class Bug {
    None,
    LossNotDividedByTokens,  ///< torchtitan #2972: gradients too large by the number of valid tokens
    MeanOfMeans,             ///< transformers #34191: each micro-batch is averaged over its own valid tokens
    MicroBatchesRescaled,    ///< torchtitan #1733: scaling the accumulated sum at each call makes a moving average
    AccumulationWiped,       ///< Automodel #3530: only the last micro-batch's gradient survives
    LossNotDividedByMicroBatches,  ///< picotron: the pipeline path forgets 1 / number of micro-batches
    ScaledByWorldSize,             ///< torchtune #2420: divided by the world size instead of the data-parallel size
    InitDependsOnRank,             ///< torchtitan #1750: a different model for each tensor-parallel degree
    ColumnGradNotReduced,          ///< input gradient of column-parallel layers not summed over tp
    SequenceNormGradNotSummed,     ///< norm weights under sequence parallelism not summed over tp
    QkNormGradNotSummed,           ///< per-head norm weights not summed over the ranks that share the heads
    BiasAddedOnEveryRank,          ///< row-parallel bias added before the sum over tp
    TiedGradNotSummed,             ///< first and last stage train different copies of one embedding
    GradHookSkipped,               ///< torchtitan #577: data-parallel reduction never sees the gradients
    ReplicatedCountedPerRank,      ///< pytorch #88621: replicated weights counted once per rank in the clipping norm
    ShardNormNotReduced,           ///< torchtune #2420: each rank clips by the norm of its own shards
    ShardGradOverwritten,          ///< ZeRO-2/3: a micro-batch's reduced gradient replaces the sum of those before it
    StaleGatheredWeights,          ///< ZeRO-3: weights gathered in the first step are used forever
    RecomputedFromOtherNorm,  ///< selective recomputation computes the second norm's output with the first norm's weights
    ReplicaGradNotReduced,    ///< HSDP: summed inside the sharding group, not over its replicas
    LastWeightPassDropped,    ///< zero bubble: the longest-deferred weight gradient is never computed
    LossScaledByCp,           ///< Megatron-LM #673: gradients larger by the context-parallel degree
    BlindRowCounts,           ///< a query without visible keys in a block has log-sum-exp 0 instead of -inf
    RingGradNotSentHome,      ///< Megatron-LM #1464: ring attention's dK, dV end on the wrong rank
    ExpertGradOverDp,         ///< expert gradients summed over dp, where other ranks hold other experts
    RouterGradNotSummed,      ///< router weights not summed over the tensor-parallel ranks, which see different tokens
    BalanceLossPerPart,       ///< the balance loss counts a sequence's tokens on one rank only
    LoadCountedPerRank,       ///< the routing bias sees the tokens of one tensor-parallel rank only
    BalanceLossNotScaled,     ///< balance and z-loss over the full batch and without the loss scale, for any step
    ExpertMatrixOverTp,       ///< Muon assembles an expert's matrix over tp instead of etp
    ExpertRowsOverTp,         ///< adaptive clipping sums an expert's rows over tp instead of etp
    RoundingByLocalIndex,  ///< stochastic rounding draws by the position in the shard, so that each layout rounds differently
    ScaleOfOwnPart,        ///< fp8: each tensor-parallel rank scales by the largest value of its own part
    ExpertCountedPerCopy,  ///< DualPipe: both copies of an expert counted in the clipping norm
    CompressionGradNotSummed,  ///< latent attention: compressions and their norms not summed over the ranks that share the heads
    PositionsNotCut,           ///< rotary angles of positions 0 .. S/cp-1 on every context-parallel rank
    HostMasterNotReturned,     ///< offload: the host updates its weights, the device continues with the old ones
    StaleOffloadedActivation,  ///< offload: an earlier block's saved tensors are fetched for the backward pass
    PieceOrderWrong,  ///< overlapped tensor parallelism: a piece of the sequence is placed at its neighbour's position
    LastPieceNotSummed,     ///< overlapped tensor parallelism: the last sum is omitted
    WeightsOfBiasedScores,  ///< the routing bias affects the weights of experts instead of only the choice
    KeyGradNotSummed,       ///< key-value heads on several tensor-parallel ranks, each with only its own queries
    RingSumsNotAdded        ///< ring attention: the sums that arrive with a block's gradients are omitted
};

struct BugName {
    Bug bug;
    std::string_view word;
};
inline constexpr std::array kInjectedBugs{
    BugName{Bug::LossNotDividedByTokens, "loss_not_divided_by_tokens"},
    BugName{Bug::MeanOfMeans, "mean_of_means"},
    BugName{Bug::MicroBatchesRescaled, "micro_batches_rescaled"},
    BugName{Bug::AccumulationWiped, "accumulation_wiped"},
    BugName{Bug::LossNotDividedByMicroBatches, "loss_not_divided_by_micro_batches"},
    BugName{Bug::ScaledByWorldSize, "scaled_by_world_size"},
    BugName{Bug::InitDependsOnRank, "init_depends_on_rank"},
    BugName{Bug::ColumnGradNotReduced, "column_grad_not_reduced"},
    BugName{Bug::SequenceNormGradNotSummed, "sequence_norm_grad_not_summed"},
    BugName{Bug::QkNormGradNotSummed, "qk_norm_grad_not_summed"},
    BugName{Bug::BiasAddedOnEveryRank, "bias_added_on_every_rank"},
    BugName{Bug::TiedGradNotSummed, "tied_grad_not_summed"},
    BugName{Bug::GradHookSkipped, "grad_hook_skipped"},
    BugName{Bug::ReplicatedCountedPerRank, "replicated_counted_per_rank"},
    BugName{Bug::ShardNormNotReduced, "shard_norm_not_reduced"},
    BugName{Bug::ShardGradOverwritten, "shard_grad_overwritten"},
    BugName{Bug::StaleGatheredWeights, "stale_gathered_weights"},
    BugName{Bug::RecomputedFromOtherNorm, "recomputed_from_other_norm"},
    BugName{Bug::ReplicaGradNotReduced, "replica_grad_not_reduced"},
    BugName{Bug::LastWeightPassDropped, "last_weight_pass_dropped"},
    BugName{Bug::LossScaledByCp, "loss_scaled_by_cp"},
    BugName{Bug::BlindRowCounts, "blind_row_counts"},
    BugName{Bug::RingGradNotSentHome, "ring_grad_not_sent_home"},
    BugName{Bug::ExpertGradOverDp, "expert_grad_over_dp"},
    BugName{Bug::RouterGradNotSummed, "router_grad_not_summed"},
    BugName{Bug::BalanceLossPerPart, "balance_loss_per_part"},
    BugName{Bug::LoadCountedPerRank, "load_counted_per_rank"},
    BugName{Bug::BalanceLossNotScaled, "balance_loss_not_scaled"},
    BugName{Bug::ExpertMatrixOverTp, "expert_matrix_over_tp"},
    BugName{Bug::ExpertRowsOverTp, "expert_rows_over_tp"},
    BugName{Bug::ExpertCountedPerCopy, "expert_counted_per_copy"},
    BugName{Bug::CompressionGradNotSummed, "compression_grad_not_summed"},
    BugName{Bug::PositionsNotCut, "positions_not_cut"},
    BugName{Bug::HostMasterNotReturned, "host_master_not_returned"},
    BugName{Bug::StaleOffloadedActivation, "stale_offloaded_activation"},
    BugName{Bug::PieceOrderWrong, "piece_order_wrong"},
    BugName{Bug::LastPieceNotSummed, "last_piece_not_summed"},
    BugName{Bug::WeightsOfBiasedScores, "weights_of_biased_scores"},
    BugName{Bug::KeyGradNotSummed, "key_grad_not_summed"},
    BugName{Bug::RingSumsNotAdded, "ring_sums_not_added"},
};

}  // namespace slipway::trainer
