// The optimizer's step with its states in host memory (parallel.offload): a part of Optimizer.
#include "trainer/optim/optimizer.h"

#include <algorithm>

namespace slipway::trainer {

void Optimizer::updatePiece(const Piece& piece, const at::Tensor& gradients, double lr, const at::Tensor& step) const {
    if (m_spec.kind == OptimizerKind::Lion)
        lionPiece(piece, gradients, lr);
    else
        adamPiece(piece, gradients, lr, step);
}

void Optimizer::updateOnHost(double lr) {
    const std::vector<Piece> pieces = piecesOf(m_groups);
    const at::Tensor step = stepCount(at::kCPU);
    const auto bringDown = [&](std::size_t i) {
        const Piece& piece = pieces[i];
        Passage& passage = m_passages[i % 2];
        m_down->start(passage.gradients.narrow(0, 0, piece.length),
                      piece.group->gradients[piece.run].narrow(0, piece.begin, piece.length));
        passage.arrived = m_down->mark();
    };
    if (!pieces.empty()) bringDown(0);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (i + 1 < pieces.size()) bringDown(i + 1);
        const Piece& piece = pieces[i];
        Passage& passage = m_passages[i % 2];
        SideCopies::wait(passage.arrived);
        at::Tensor gradients = passage.gradients.narrow(0, 0, piece.length);
        if (m_gradientFactor != 1) gradients.mul_(m_gradientFactor);
        updatePiece(piece, gradients, lr, step);
        sendUp(piece.group->published[piece.run].narrow(0, piece.begin, piece.length),
               piece.group->weights[piece.run].narrow(0, piece.begin, piece.length), passage);
    }
    m_up->follow(m_up->mark());
}

// A master is not written again before the next step, whose gradients are ready only after the model has used these
// weights.
void Optimizer::sendUp(const at::Tensor& to, const at::Tensor& master, Passage& passage) {
    if (m_bug == Bug::HostMasterNotReturned) return;
    at::Tensor from = master;
    if (passage.weights.defined()) {
        SideCopies::wait(passage.left);
        from = passage.weights.narrow(0, 0, master.numel());
        from.copy_(master);
    }
    m_up->start(to, from);
    passage.left = m_up->mark();
}

void Optimizer::publishHostWeights(bool all) {
    for (const Run& run : m_runs) {
        if (!all && !run.elsewhere) continue;
        const at::Tensor weights = weightsOf(run.range);
        for (std::int64_t begin = 0; begin < run.range.length(); begin += kPieceElements) {
            const std::int64_t length = std::min(kPieceElements, run.range.length() - begin);
            weights.narrow(0, begin, length).copy_(m_master.narrow(0, run.place + begin, length));
        }
    }
}

}  // namespace slipway::trainer
