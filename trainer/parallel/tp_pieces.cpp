#include "trainer/parallel/tp_pieces.h"

#include "trainer/parallel/tp_region.h"

#include <ATen/DimVector.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <utility>

namespace slipway::trainer {
namespace {

constexpr int kGatherTag = 21, kSumTag = 22;

bool goesRound(const ShardContext& context) {
    return context.asyncTp && context.sequenceParallel && context.tp->size() > 1;
}

/// The neighbours of this rank in the ring of tp ranks.
struct Ring {
    explicit Ring(ProcessGroup& group) : tp(group), n(group.size()), rank(group.rank()) {}
    [[nodiscard]] int before() const { return (rank + n - 1) % n; }
    [[nodiscard]] int behind() const { return (rank + 1) % n; }
    ProcessGroup& tp;
    int n, rank;
};

}  // namespace

std::int64_t wholeRows(const at::Tensor& x, const ShardContext& context) {
    return context.sequenceParallel ? x.size(0) * context.tp->size() : x.size(0);
}

void gatherPieces(const at::Tensor& x, const ShardContext& context, const PieceBody& body) {
    if (!goesRound(context)) return body(0, gatherSequence(x, context), true);
    const Ring ring(*context.tp);
    at::Tensor here = x.contiguous();
    std::vector<CommWork> sent;
    for (int step = 0; step < ring.n; ++step) {
        const bool last = step + 1 == ring.n;
        at::Tensor next;
        CommWork arriving;
        if (!last) {
            next = at::empty_like(here);
            sent.push_back(ring.tp.send(here, ring.behind(), kGatherTag));
            arriving = ring.tp.recv(next, ring.before(), kGatherTag);
        }
        const int owner = (ring.rank - step + ring.n) % ring.n;
        const int place = context.bug == Bug::PieceOrderWrong ? (owner + 1) % ring.n : owner;
        body(place * x.size(0), here, last);
        if (last) return;
        arriving->wait();
        here = std::move(next);
    }
}

at::Tensor sumPieces(std::int64_t rows, const ShardContext& context, const PieceProduct& product) {
    if (!goesRound(context)) return sumPartials(product(0, rows), context);
    const Ring ring(*context.tp);
    const std::int64_t length = rows / ring.n;
    std::vector<CommWork> sent;
    at::Tensor sum;
    CommWork arriving;
    for (int step = 0; step < ring.n; ++step) {
        const int owner = (ring.rank - 1 - step + 2 * ring.n) % ring.n;  // this rank's own piece comes last
        at::Tensor part = product(owner * length, length).contiguous();
        if (arriving) {
            arriving->wait();
            if (context.bug != Bug::LastPieceNotSummed || step + 1 < ring.n) part.add_(sum);
        }
        if (step + 1 == ring.n) return part;
        sum = at::empty_like(part);
        sent.push_back(ring.tp.send(part, ring.behind(), kSumTag));
        arriving = ring.tp.recv(sum, ring.before(), kSumTag);
    }
    return sum;
}

void JoinedPieces::put(std::int64_t begin, const at::Tensor& piece) {
    if (piece.size(0) == m_rows) {
        m_whole = piece;
        return;
    }
    if (!m_whole.defined()) {
        at::DimVector shape(piece.sizes());
        shape.front() = m_rows;
        m_whole = at::empty(shape, piece.options());
    }
    m_whole.narrow(0, begin, piece.size(0)).copy_(piece);
}

}  // namespace slipway::trainer
