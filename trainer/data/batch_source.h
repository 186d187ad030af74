// Batches of a run: tokens and targets of (step, data-parallel rank, micro-batch), and the held-out sequences at the
// end of the file. The sequences of a step are independent of the layout, except for their partition among ranks and
// micro-batches.
#pragma once

#include "core/spec/batch_sizes.h"
#include "core/spec/run_config.h"
#include "core/spec/token_file.h"
#include "trainer/data/sampler.h"
#include "trainer/model/stage_model.h"

#include <filesystem>
#include <vector>

namespace slipway::trainer {

class BatchSource {
public:
    /// Opens the token file. Errors of TokenFile::open, "vocabulary_mismatch" (the file
    /// has ids beyond the model's vocabulary), "too_few_tokens" (fewer than two to train
    /// on).
    static Result<BatchSource> open(const RunConfig& config, const std::filesystem::path& tokens);

    /// One micro-batch, int64 [B, S] on the CPU. Targets are the tokens shifted by one; -1 (no loss) after the end of
    /// the stream and for ignore_token_id. Steps of data.poison_step have random tokens. `step` counts from 0.
    /// "token_out_of_range" for a damaged file.
    [[nodiscard]] Result<MicroBatch> microBatch(std::int64_t step, std::int64_t dpRank, std::int64_t microBatch) const;

    /// Sequences of the step; micro-batches of one data-parallel replica in it.
    [[nodiscard]] std::int64_t batchSize(std::int64_t step) const { return m_sizes.of(step); }
    [[nodiscard]] std::int64_t numMicroBatches(std::int64_t step) const {
        return batchSize(step) / (m_microBatch * m_dp);
    }

    /// Held-out sequences: Number of pieces of the last train.eval.tokens tokens, never inputs or targets of
    /// microBatch(). 0 without evaluation.
    [[nodiscard]] std::int64_t numHeldOut() const;
    /// The held-out sequences from `first`, as one micro-batch; after the last, rows without loss.
    [[nodiscard]] Result<MicroBatch> heldOut(std::int64_t first) const;

    /// Samples consumed before `step`: the data position in checkpoints.
    [[nodiscard]] std::int64_t position(std::int64_t step) const { return m_sizes.before(step); }
    [[nodiscard]] const Sampler& sampler() const { return m_sampler; }
    [[nodiscard]] const TokenFileHeader& file() const { return m_file.header(); }

private:
    BatchSource(const RunConfig& config, TokenFile file);
    Result<void> fill(const SampleSpan& span, MicroBatch& batch, std::int64_t row) const;
    void poison(std::int64_t sample, MicroBatch& batch, std::int64_t row) const;

    TokenFile m_file;
    Sampler m_sampler;
    BatchSizes m_sizes;
    std::int64_t m_seqLen, m_microBatch, m_dp, m_heldOut;
    std::optional<std::int64_t> m_ignore;
    DataSpec m_data;
    std::int64_t m_seed, m_vocabSize;
};

}  // namespace slipway::trainer
