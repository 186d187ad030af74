#include "trainer/parallel/sequence_cut.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>

#include <vector>

namespace slipway::trainer {

SequenceCut::SequenceCut(std::int64_t length, const ProcessGroup& cp)
    : m_length(length), m_ranks(cp.size()), m_rank(cp.rank()) {}

at::Tensor SequenceCut::positions() const {
    return part(at::arange(m_length, at::TensorOptions().dtype(at::kLong)), 0);
}

at::Tensor SequenceCut::part(const at::Tensor& whole, std::int64_t dim) const {
    if (m_ranks == 1) return whole;
    std::vector<at::Tensor> halves;
    for (const std::int64_t chunk : chunksOf(m_rank))
        halves.push_back(whole.narrow(dim, chunk * chunkLength(), chunkLength()));
    return at::cat(halves, dim);
}

at::Tensor SequenceCut::inSequenceOrder(const at::Tensor& byRank) const {
    if (m_ranks == 1) return byRank;
    std::vector<at::Tensor> chunks(static_cast<std::size_t>(numChunks()));
    std::int64_t place = 0;
    for (std::int64_t rank = 0; rank < m_ranks; ++rank)
        for (const std::int64_t chunk : chunksOf(rank))
            chunks[static_cast<std::size_t>(chunk)] = byRank.narrow(0, place++ * chunkLength(), chunkLength());
    return at::cat(chunks);
}

at::Tensor SequenceCut::inRankOrder(const at::Tensor& bySequence) const {
    if (m_ranks == 1) return bySequence;
    std::vector<at::Tensor> chunks;
    for (std::int64_t rank = 0; rank < m_ranks; ++rank)
        for (const std::int64_t chunk : chunksOf(rank))
            chunks.push_back(bySequence.narrow(0, chunk * chunkLength(), chunkLength()));
    return at::cat(chunks);
}

}  // namespace slipway::trainer
