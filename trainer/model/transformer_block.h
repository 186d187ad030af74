// TransformerBlock: x + attention(norm(x)), then x + feedForward(norm(x)). Full recomputation saves only x; selective
// recomputation drops the attention's output, the norms' outputs or the activation, and recomputes them from the saved
// tensors.
#pragma once

#include "trainer/model/attention.h"
#include "trainer/model/feed_forward.h"
#include "trainer/model/latent_attention.h"
#include "trainer/model/moe_feed_forward.h"
#include "trainer/model/norm.h"

namespace slipway::trainer {

class TransformerBlock {
public:
    struct Saved {
        at::Tensor input;  // [s, B, H]; only with full recomputation
        Norm::Saved norm1, norm2;
        Attention::Saved attention;
        LatentAttention::Saved latent;
        FeedForward::Saved feedForward;
        MoeFeedForward::Saved moe;

        template <class F>
        void each(F&& f) {
            f(input);
            norm1.each(f);
            attention.each(f);
            latent.each(f);
            norm2.each(f);
            feedForward.each(f);
            moe.each(f);
        }
        /// [B, S] of the full sequence, or undefined; call it before the forward pass.
        void setDocuments(const Documents& documents) { attention.documents = latent.documents = documents; }
    };

    /// @param train batch and sequence length, divisors of balance losses
    /// @param layer in the model; train.recompute decides whether it recomputes
    TransformerBlock(const ShardContext& context, const ModelSpec& spec, const TrainSpec& train, std::int64_t layer,
                     std::shared_ptr<const RotaryTable> rotary);

    /// x [s, B, H] -> [s, B, H]
    [[nodiscard]] at::Tensor forward(const at::Tensor& x, Saved& saved) const;
    /// First recomputes the forward pass if it was not saved.
    [[nodiscard]] at::Tensor backwardInput(const at::Tensor& dy, Saved& saved) const;
    /// After backwardInput; frees saved tensors.
    void backwardWeight(Saved& saved, bool last);
    void collect(std::vector<Parameter*>& parameters);

private:
    [[nodiscard]] at::Tensor run(const at::Tensor& x, Saved& saved) const;

    [[nodiscard]] at::Tensor attend(const at::Tensor& x, Saved& saved) const;
    [[nodiscard]] at::Tensor attendGrad(const at::Tensor& dy, Saved& saved) const;
    [[nodiscard]] at::Tensor& attentionInput(Saved& saved) const {
        return m_latent ? saved.latent.x : saved.attention.x;
    }
    void dropSome(Saved& saved) const;
    void remakeNorms(Saved& saved) const;

    RecomputeSpec m_recompute;  ///< policy None where this layer saves everything
    Bug m_bug;
    Norm m_norm1;
    // One of the two.
    std::optional<Attention> m_attention;
    std::optional<LatentAttention> m_latent;
    Norm m_norm2;
    // One of the two.
    std::optional<FeedForward> m_feedForward;
    std::optional<MoeFeedForward> m_moe;
};

}  // namespace slipway::trainer
