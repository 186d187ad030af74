// Norm: RMSNorm or LayerNorm of the residual stream.
//   Shards: nothing; weights are on every tp rank. With sequence parallelism a rank sees only its part of the
//   sequence, so their gradients are parts of a sum over tp (Parameter::sumOverTp). No collective here.
#pragma once

#include "core/spec/model_spec.h"
#include "trainer/kernels/norm.h"
#include "trainer/parallel/shard_context.h"

namespace slipway::trainer {

class Norm {
public:
    struct Saved {
        at::Tensor x;  // [s, B, H]
        NormStats stats;
        at::Tensor dy;  // set by backwardInput

        template <class F>
        void each(F&& f) {
            f(x), f(stats.mean), f(stats.rstd), f(dy);
        }
    };

    /// @param name Hugging Face name without ".weight"
    Norm(const ShardContext& context, const ModelSpec& spec, const std::string& name);

    [[nodiscard]] at::Tensor forward(const at::Tensor& x, Saved& saved) const;
    /// The same for branch + x, the residual stream, which replaces `branch`.
    [[nodiscard]] at::Tensor forwardSum(at::Tensor& branch, const at::Tensor& x, Saved& saved) const;
    /// @param residual gradient of the residual stream around the norm, added to the result; undefined: none
    [[nodiscard]] at::Tensor backwardInput(const at::Tensor& dy, Saved& saved, const at::Tensor& residual = {}) const;
    void backwardWeight(Saved& saved, bool last);
    void collect(std::vector<Parameter*>& parameters);

private:
    double m_eps;
    std::unique_ptr<Parameter> m_weight;
    std::unique_ptr<Parameter> m_bias;  ///< LayerNorm only
};

}  // namespace slipway::trainer
