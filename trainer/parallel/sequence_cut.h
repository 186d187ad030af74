// SequenceCut: partition of a sequence's positions among context-parallel ranks. Zigzag: the sequence is divided into 2
// cp chunks and rank r holds chunks r and 2 cp - 1 - r, so that under a causal mask every rank has the same number of
// visible pairs (Llama 3, arXiv 2407.21783, section 3.3.2). With cp = 1 it is the full sequence.
//   Shards: dim S of everything between embedding and loss, over cp. No communication here.
#pragma once

#include "trainer/comm/process_group.h"

#include <array>
#include <cstdint>

namespace slipway::trainer {

class SequenceCut {
public:
    SequenceCut() = default;
    /// @param length S of the full sequence, a multiple of 2 cp when cp > 1
    SequenceCut(std::int64_t length, const ProcessGroup& cp);

    [[nodiscard]] std::int64_t length() const { return m_length; }
    [[nodiscard]] std::int64_t chunkLength() const { return m_length / numChunks(); }
    [[nodiscard]] std::int64_t numChunks() const { return m_ranks == 1 ? 1 : 2 * m_ranks; }
    /// The two chunks of a rank in their order there. Only with cp > 1.
    [[nodiscard]] std::array<std::int64_t, 2> chunksOf(std::int64_t rank) const {
        return {rank, 2 * m_ranks - 1 - rank};
    }

    /// Positions on this rank in local order: int64 [S / cp] on the CPU.
    [[nodiscard]] at::Tensor positions() const;
    /// This rank's part of a tensor with the full sequence along dim `dim`.
    [[nodiscard]] at::Tensor part(const at::Tensor& whole, std::int64_t dim) const;
    /// Concatenated parts of all ranks [S, ...] -> the same in sequence order, and back.
    [[nodiscard]] at::Tensor inSequenceOrder(const at::Tensor& byRank) const;
    [[nodiscard]] at::Tensor inRankOrder(const at::Tensor& bySequence) const;

private:
    std::int64_t m_length = 0;
    std::int64_t m_ranks = 1;
    std::int64_t m_rank = 0;
};

}  // namespace slipway::trainer
