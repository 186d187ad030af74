// Batches of a run: tokens and targets of (step, data-parallel rank, micro-batch).
#pragma once

#include "core/spec/run_config.h"
#include "core/spec/token_file.h"
#include "trainer/data/sampler.h"
#include "trainer/model/stage_model.h"

#include <filesystem>
#include <vector>

namespace slipway::trainer {

class BatchSource {
public:
    /// Opens the token file. Errors of TokenFile::open, "vocabulary_mismatch" (the file has ids the model does not know),
    /// "too_few_tokens" (fewer than two).
    static Result<BatchSource> open(const RunConfig& config, const std::filesystem::path& tokens);

    /// One micro-batch, int64 [B, S] on the CPU. Targets are the tokens shifted by one; -1 (no loss) behind the end of
    /// the stream and for ignore_token_id. `step` counts from 0. "token_out_of_range" for a damaged file.
    [[nodiscard]] Result<MicroBatch> microBatch(std::int64_t step, std::int64_t dpRank, std::int64_t microBatch) const;

    /// Samples consumed before `step`: the data position that checkpoints note.
    [[nodiscard]] std::int64_t position(std::int64_t step) const { return step * m_globalBatch; }
    [[nodiscard]] const Sampler& sampler() const { return m_sampler; }

private:
    BatchSource(const RunConfig& config, TokenFile file);
    Result<void> fill(std::int64_t index, std::int64_t* tokens, std::int64_t* targets) const;

    TokenFile m_file;
    Sampler m_sampler;
    std::int64_t m_seqLen, m_globalBatch, m_microBatch, m_dp;
    std::optional<std::int64_t> m_ignore;
};

}  // namespace slipway::trainer
