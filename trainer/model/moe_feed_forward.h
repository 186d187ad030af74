// MoeFeedForward: a router, routed experts (SwiGLU or GELU without biases) and shared experts for every token.
//   Shards: router [E, H] and the bias of its choice [E] on every rank; experts over ep, their width over etp
//   (trainer/parallel/expert_dispatch.h); shared experts over tp like a dense layer. Each tp rank routes its own part
//   of the sequence, with sequence parallelism or without it.
//   Collectives: those of the dispatch; an all-reduce of B x E counts over tp and cp with a balance loss;
//   without sequence parallelism one all-gather over tp of the output, and of the input's gradient.
#pragma once

#include "core/spec/run_config.h"
#include "trainer/kernels/router.h"
#include "trainer/model/feed_forward.h"
#include "trainer/parallel/expert_dispatch.h"
#include "trainer/parallel/linear_products.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway::trainer {

class MoeFeedForward {
public:
    struct Saved {
        at::Tensor x;  // [T, H], this rank's part of the tokens
        Routing routing;
        at::Tensor
            balance;  // [B, E]: gradient of a sequence's balance loss by each share of an expert; undefined without it
        at::Tensor shares;  // [B] fp64: see MicroBatch::auxShares; set before the forward pass
        DispatchPlan plan;
        at::Tensor in;                         // [N, H] tokens at their experts
        at::Tensor gate, up, inner;            // [N, F/etp]
        at::Tensor out;                        // [T K, H] the experts' outputs, by expert
        at::Tensor dOut, dGate, dUp, dLogits;  // set by backwardInput
        FeedForward::Saved shared;

        template <class F>
        void each(F&& f) {
            f(x);
            routing.each(f);
            f(balance);
            plan.each(f);
            f(in), f(gate), f(up), f(inner), f(out), f(dOut), f(dGate), f(dUp), f(dLogits);
            shared.each(f);
        }
    };

    /// @param prefix of all names, with its dot
    MoeFeedForward(const ShardContext& context, const ModelSpec& spec, const TrainSpec& train,
                   const std::string& prefix);

    /// x [s, B, H] -> [s, B, H]
    [[nodiscard]] at::Tensor forward(const at::Tensor& x, Saved& saved) const;
    /// Gradient of the loss and of the balance and z-losses, which are means over the sequences and tokens of the step.
    /// Saved::shares has the share of each sequence in them.
    [[nodiscard]] at::Tensor backwardInput(const at::Tensor& dy, Saved& saved) const;
    void backwardWeight(Saved& saved, bool last);
    void collect(std::vector<Parameter*>& parameters);

private:
    struct Expert {
        std::unique_ptr<Parameter> gate, up, down;  ///< [F/etp, H], [F/etp, H], [H, F/etp]; gate only with SwiGLU
    };
    [[nodiscard]] at::Tensor balanceGrad(const Routing& routing, std::int64_t batch) const;
    [[nodiscard]] at::Tensor sharesOf(const Saved& saved, std::int64_t batch) const;
    using Matrix = std::unique_ptr<Parameter> Expert::*;
    [[nodiscard]] at::Tensor throughExperts(const at::Tensor& rows, const Saved& saved, Matrix matrix, bool back) const;
    template <class F>
    void forExperts(const Saved& saved, F&& f) const;

    ShardContext m_context;
    ShardContext m_parts;  ///< the same with the sequence sharded over tp, for any layout
    MoeSpec m_spec;
    std::int64_t m_seqLen, m_numSequences;
    bool m_gated;
    ExpertDispatch m_dispatch;
    LinearProducts m_wide, m_narrow;  ///< of gate and up, with outputs sharded by etp; of down, with inputs sharded
    std::unique_ptr<Parameter> m_router;
    std::unique_ptr<Parameter> m_bias;  ///< [E], only with bias_update_rate
    std::vector<Expert> m_experts;
    std::optional<FeedForward> m_shared;
};

}  // namespace slipway::trainer
