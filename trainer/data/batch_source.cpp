#include "trainer/data/batch_source.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace slipway::trainer {

BatchSource::BatchSource(const RunConfig& config, TokenFile file)
    : m_file(std::move(file)),
      m_sampler(m_file.size(), config.train.seqLen, config.train.seed),
      m_seqLen(config.train.seqLen),
      m_globalBatch(config.train.globalBatchSize),
      m_microBatch(config.train.microBatchSize),
      m_dp(config.parallel.dp),
      m_ignore(config.data.ignoreTokenId) {}

Result<BatchSource> BatchSource::open(const RunConfig& config, const std::filesystem::path& tokens) {
    Result<TokenFile> file = TokenFile::open(tokens);
    if (!file) return fail(file.error());
    if (file->header().vocabSize > config.model.vocabSize) {
        return fail("vocabulary_mismatch",
                    "The token file has a vocabulary of " + std::to_string(file->header().vocabSize) +
                        ", model.vocab_size is " + std::to_string(config.model.vocabSize) +
                        "; raise model.vocab_size or make another token file.",
                    tokens.string());
    }
    if (file->size() < 2)
        return fail("too_few_tokens",
                    "The token file has " + std::to_string(file->size()) + " tokens; training needs at least two.",
                    tokens.string());
    return BatchSource(config, std::move(*file));
}

Result<void> BatchSource::fill(std::int64_t index, std::int64_t* tokens, std::int64_t* targets) const {
    const SampleSpan span = m_sampler.sample(index);
    if (Result<void> read = m_file.read(span.offset, span.length, tokens); !read) return read;
    if (Result<void> read = m_file.read(span.offset + 1, span.length, targets); !read) return read;
    std::fill(tokens + span.length, tokens + m_seqLen, 0);
    std::fill(targets + span.length, targets + m_seqLen, -1);
    if (m_ignore) std::replace(targets, targets + span.length, *m_ignore, std::int64_t{-1});
    return {};
}

Result<MicroBatch> BatchSource::microBatch(std::int64_t step, std::int64_t dpRank, std::int64_t microBatch) const {
    MicroBatch batch{at::empty({m_microBatch, m_seqLen}, at::kLong), at::empty({m_microBatch, m_seqLen}, at::kLong)};
    const std::int64_t first = position(step) + (microBatch * m_dp + dpRank) * m_microBatch;
    for (std::int64_t row = 0; row < m_microBatch; ++row) {
        const Result<void> filled = fill(first + row, batch.tokens.mutable_data_ptr<std::int64_t>() + row * m_seqLen,
                                         batch.targets.mutable_data_ptr<std::int64_t>() + row * m_seqLen);
        if (!filled) return fail(filled.error());
    }
    return batch;
}

}  // namespace slipway::trainer
