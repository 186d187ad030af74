// The two edges of a tensor-parallel region with sequence parallelism (tp_region.h), taken piece by piece to overlap
// with the adjacent products (parallel.async_tp; Wang et al. 2022, ASPLOS 2023, "Overlap Communication with Dependent
// Computation via Decomposition in Large Deep Learning Models", section 3).
//   Shards: as in tp_region.h. The sequence is cut into tp pieces, one per rank, which go round a ring of sends.
//   Entering: a rank computes with its own piece while that of its neighbour arrives, then with that one: tp - 1
//   messages.
//   Leaving: a rank computes its part of a neighbour's piece while the sum of the others' parts of it arrives, adds and
//   passes it on.
// Without async_tp there is one piece, the full sequence, before or after one collective; layers are written once for
// both.
#pragma once

#include "trainer/parallel/shard_context.h"

#include <functional>

namespace slipway::trainer {

/// Rows [begin, begin + piece.size(0)) of the full sequence. @param lastPiece the final piece
using PieceBody = std::function<void(std::int64_t begin, const at::Tensor& piece, bool lastPiece)>;
/// x [s, B, ...] between regions; the body gets every piece of [S, B, ...] once, in a rank-dependent
/// order.
void gatherPieces(const at::Tensor& x, const ShardContext& context, const PieceBody& body);

/// Rows [begin, begin + length) of this rank's part of a sum, as a separate tensor.
using PieceProduct = std::function<at::Tensor(std::int64_t begin, std::int64_t length)>;
/// The sum of the parts of all tp ranks, [s, B, ...] between regions. @param rows S
at::Tensor sumPieces(std::int64_t rows, const ShardContext& context, const PieceProduct& product);

/// S: the rows of the full sequence of which x is the part between regions.
std::int64_t wholeRows(const at::Tensor& x, const ShardContext& context);

/// Reassembles pieces.
class JoinedPieces {
public:
    explicit JoinedPieces(std::int64_t rows) : m_rows(rows) {}
    /// A single full piece is kept as is.
    void put(std::int64_t begin, const at::Tensor& piece);
    [[nodiscard]] const at::Tensor& whole() const { return m_whole; }

private:
    std::int64_t m_rows;
    at::Tensor m_whole;
};

}  // namespace slipway::trainer
