// StageModel: the layers of one pipeline stage; the embedding is on the first, final norm, head and loss on the
// last.
// localPart() makes a context-parallel rank's view of a micro-batch.
//   StageModel::Saved saved;  at::Tensor y = stage.forward(microBatch, x, saved);  at::Tensor dx = stage.backward(dy,
//   scale, saved, last);
// S positions of this rank, s = S or S / tp between tensor-parallel regions (sequence parallelism), B sequences, H
// hidden size.
#pragma once

#include "core/spec/run_config.h"
#include "trainer/model/activation_offload.h"
#include "trainer/model/transformer_block.h"
#include "trainer/parallel/sequence_cut.h"
#include "trainer/parallel/vocab_parallel.h"
#include "trainer/parallel/weight_unit.h"

namespace slipway::trainer {

/// One micro-batch of one data-parallel replica, on the device. int64 [B, S], or this rank's part of the sequences; a
/// target of -1 has no loss.
struct MicroBatch {
    at::Tensor tokens;
    at::Tensor targets;
    Documents documents = {};  ///< of the full sequences; undefined without packed documents
    /// [B] fp64: weight of each sequence in the means of balance and z-losses, times the loss scale. Undefined: 1 /
    /// train.global_batch_size. The executor sets it.
    at::Tensor auxShares = {};
};

class StageModel;

/// The stage's index, and the places of the two uses of a tied table.
struct StagePlace {
    std::int64_t stage = 0;  ///< 0 .. numStages-1 in model order
    std::int64_t numStages = 1;
    /// The first stage, if this is the last one of a tied model and is on the same rank (V-shaped schedules): the
    /// head uses its table.
    StageModel* sharesTableOf = nullptr;
    /// First and last stage are on different ranks, each with a copy of a tied table.
    bool tiedAcrossRanks = false;
};

class StageModel {
public:
    struct Saved {
        at::Tensor tokens;  // [S, B], first stage
        at::Tensor dEmbedded;
        std::vector<TransformerBlock::Saved> blocks;
        Norm::Saved finalNorm;
        at::Tensor headInput;  // [s, B, H], last stage
        CrossEntropySaved loss;
        at::Tensor dLogits;
        bool forBackward = true;        ///< false: no backward pass follows, so offload is skipped
        std::vector<AwayTensors> away;  ///< of blocks with tensors in host memory
        at::Tensor
            lossSum;  ///< sum of the loss over this micro-batch's valid tokens, fp64 scalar on the device; last stage

        template <class F>
        void each(F&& f) {
            f(tokens), f(dEmbedded);
            for (auto& block : blocks) block.each(f);
            finalNorm.each(f);
            f(headInput);
            loss.each(f);
            f(dLogits);
        }
    };

    /// The config must be valid.
    StageModel(const ShardContext& context, const RunConfig& config, const StagePlace& place);

    [[nodiscard]] bool isFirst() const { return m_embedding != nullptr; }
    [[nodiscard]] bool isLast() const { return m_finalNorm.has_value(); }
    /// Shape of messages between stages: [s, B, H].
    [[nodiscard]] std::vector<std::int64_t> boundaryShape() const;

    /// x [s, B, H] from the previous stage (undefined on the first) -> [s, B, H] for the next; undefined on the last,
    /// which leaves the loss in `saved.lossSum`.
    [[nodiscard]] at::Tensor forward(const MicroBatch& microBatch, const at::Tensor& x, Saved& saved) const;

    /// dy from the next stage (undefined on the last, where the loss is multiplied by lossScale) -> dx, undefined on
    /// the first.
    [[nodiscard]] at::Tensor backwardInput(const at::Tensor& dy, double lossScale, Saved& saved) const;
    /// Adds the weight gradients and frees `saved`. @param last the step's last micro-batch of this stage: reports each
    /// parameter as ready
    void backwardWeight(Saved& saved, bool last);
    /// Both passes, block by block, so that saved tensors are freed and gradients reported early.
    at::Tensor backward(const at::Tensor& dy, double lossScale, Saved& saved, bool last);

    /// All parameters in model order.
    [[nodiscard]] const std::vector<Parameter*>& parameters() const { return m_parameters; }

private:
    at::Tensor headBackwardInput(double lossScale, Saved& saved) const;
    void headBackwardWeight(Saved& saved, bool last);
    void embeddingBackwardWeight(Saved& saved, bool last);
    /// Block passes with the gathering of weights around them, overlapped with the next block's.
    [[nodiscard]] at::Tensor blockBackwardInput(std::size_t block, const at::Tensor& dy, Saved& saved) const;
    void blockBackwardWeight(std::size_t block, Saved& saved, bool last);
    /// Makes the parameters from `first` on a unit, their experts a separate one.
    const WeightUnit* addUnit(std::size_t first);
    /// Starts to fetch a block's saved tensors from host memory, if offload is on.
    void fetchAway(std::size_t block, Saved& saved) const;
    [[nodiscard]] VocabParallelEmbedding& headTable() const { return m_head ? *m_head : *m_sharedTable; }
    [[nodiscard]] at::Tensor positionRows(const at::Tensor& table) const;

    ShardContext m_context;
    RunConfig m_config;
    SequenceCut m_cut;
    at::Tensor m_positionIds;  ///< of this rank's part of the sequence, int64; only where positions are sharded
    std::unique_ptr<VocabParallelEmbedding> m_embedding;  ///< first stage
    std::unique_ptr<Parameter> m_positions;               ///< first stage, learned positions [P, H]
    std::vector<TransformerBlock> m_blocks;
    std::optional<Norm> m_finalNorm;                  ///< last stage
    std::unique_ptr<VocabParallelEmbedding> m_head;   ///< last stage, unless it shares a table
    VocabParallelEmbedding* m_sharedTable = nullptr;  ///< last stage: that of the first stage on this rank
    std::vector<Parameter*> m_parameters;
    std::vector<std::unique_ptr<WeightUnit>> m_units;  ///< in model order
    const WeightUnit *m_tableUnit = nullptr, *m_positionsUnit = nullptr, *m_normUnit = nullptr;
    const WeightUnit* m_headUnit =
        nullptr;  ///< the table's where they share it: each use opens and closes its gradient
    std::vector<const WeightUnit*> m_blockUnits;
    std::unique_ptr<ActivationOffload> m_offload;  ///< null without offload
};

}  // namespace slipway::trainer
