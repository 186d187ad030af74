#include "trainer/data/batch_source.h"

#include "core/base/hash.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace slipway::trainer {
namespace {

std::int64_t heldOutTokens(const RunConfig& config) {
    return config.train.eval.everySteps > 0 ? config.train.eval.tokens : 0;
}

}  // namespace

BatchSource::BatchSource(const RunConfig& config, TokenFile file)
    : m_file(std::move(file)),
      m_sampler(m_file.size() - heldOutTokens(config), config.train.seqLen, config.train.seed),
      m_sizes(config.train),
      m_seqLen(config.train.seqLen),
      m_microBatch(config.train.microBatchSize),
      m_dp(config.parallel.dp),
      m_heldOut(heldOutTokens(config)),
      m_ignore(config.data.ignoreTokenId),
      m_data(config.data),
      m_seed(config.train.seed),
      m_vocabSize(m_file.header().vocabSize) {}

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
    if (file->size() - heldOutTokens(config) < 2)
        return fail("too_few_tokens",
                    "The token file has " + std::to_string(file->size()) + " tokens, of which " +
                        std::to_string(heldOutTokens(config)) +
                        " are held out (train.eval.tokens); training needs at least two.",
                    tokens.string());
    return BatchSource(config, std::move(*file));
}

Result<void> BatchSource::fill(const SampleSpan& span, MicroBatch& batch, std::int64_t row) const {
    std::int64_t* tokens = batch.tokens.mutable_data_ptr<std::int64_t>() + row * m_seqLen;
    std::int64_t* targets = batch.targets.mutable_data_ptr<std::int64_t>() + row * m_seqLen;
    if (Result<void> read = m_file.read(span.offset, span.length, tokens); !read) return read;
    if (Result<void> read = m_file.read(span.offset + 1, span.length, targets); !read) return read;
    std::fill(tokens + span.length, tokens + m_seqLen, 0);
    std::fill(targets + span.length, targets + m_seqLen, -1);
    if (m_ignore) std::replace(targets, targets + span.length, *m_ignore, std::int64_t{-1});
    return {};
}

// Tokens are a function of seed, sample and position, so that every layout draws the same ones.
void BatchSource::poison(std::int64_t sample, MicroBatch& batch, std::int64_t row) const {
    std::int64_t* tokens = batch.tokens.mutable_data_ptr<std::int64_t>() + row * m_seqLen;
    std::int64_t* targets = batch.targets.mutable_data_ptr<std::int64_t>() + row * m_seqLen;
    const std::uint64_t key =
        splitMix64(splitMix64(static_cast<std::uint64_t>(m_seed)) + static_cast<std::uint64_t>(sample));
    const auto tokenAt = [&](std::int64_t place) {
        return static_cast<std::int64_t>(splitMix64(key + static_cast<std::uint64_t>(place)) %
                                         static_cast<std::uint64_t>(m_vocabSize));
    };
    for (std::int64_t place = 0; place < m_seqLen; ++place) {
        tokens[place] = tokenAt(place);
        targets[place] = tokenAt(place + 1);
    }
}

Result<MicroBatch> BatchSource::microBatch(std::int64_t step, std::int64_t dpRank, std::int64_t microBatch) const {
    MicroBatch batch{at::empty({m_microBatch, m_seqLen}, at::kLong), at::empty({m_microBatch, m_seqLen}, at::kLong)};
    const std::int64_t first = position(step) + (microBatch * m_dp + dpRank) * m_microBatch;
    for (std::int64_t row = 0; row < m_microBatch; ++row)
        if (const Result<void> filled = fill(m_sampler.sample(first + row), batch, row); !filled)
            return fail(filled.error());
    if (m_data.isPoisoned(step + 1))
        for (std::int64_t row = 0; row < m_microBatch; ++row) poison(first + row, batch, row);
    return batch;
}

// The first held-out token is only an input, like the first of the file in training.
std::int64_t BatchSource::numHeldOut() const {
    return m_heldOut > 0 ? (m_heldOut - 1 + m_seqLen - 1) / m_seqLen : 0;
}

Result<MicroBatch> BatchSource::heldOut(std::int64_t first) const {
    MicroBatch batch{at::zeros({m_microBatch, m_seqLen}, at::kLong), at::full({m_microBatch, m_seqLen}, -1, at::kLong)};
    for (std::int64_t row = 0; row < m_microBatch && first + row < numHeldOut(); ++row) {
        const std::int64_t at = (first + row) * m_seqLen;
        const SampleSpan span{m_file.size() - m_heldOut + at, std::min(m_seqLen, m_heldOut - 1 - at)};
        if (const Result<void> filled = fill(span, batch, row); !filled) return fail(filled.error());
    }
    return batch;
}

}  // namespace slipway::trainer
