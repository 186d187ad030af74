// LatentAttention: multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1). Queries and keys with
// values are computed from compressed, normalised vectors; a part of each head carries rotary positions, and its key
// part is shared by all heads.
//   Shards: the expansions and the output over tp by heads, the sequence over cp. Compressions and their norms are on
//   every tp rank; each rank's heads give a part of their gradients' sum over tp.
//   Collectives: those of the region's edges, as in Attention, and those of trainer/parallel/context_attention.h.
// Values are narrower than queries: they are padded with zeros for the attention operators, which need equal widths.
#pragma once

#include "core/spec/model_spec.h"
#include "trainer/kernels/activation.h"
#include "trainer/kernels/norm.h"
#include "trainer/parallel/column_parallel_linear.h"
#include "trainer/parallel/context_attention.h"
#include "trainer/parallel/row_parallel_linear.h"

#include <optional>

namespace slipway::trainer {

class LatentAttention {
public:
    struct Saved {
        at::Tensor x;                       // [s, B, H]
        at::Tensor compressedQ, normedQ;    // [S, B, q_lora_rank]; only with query compression
        at::Tensor compressedKv, normedKv;  // [S, B, kv_lora_rank]
        NormStats qStats, kvStats;
        AttentionSaved core;
        at::Tensor attended;                                                          // [S, B, heads, v]
        Documents documents;                                                          // as in Attention
        at::Tensor wholeDy, dq, dNormedQ, dCompressedQ, dKv, dNormedKv, dCompressed;  // set by backwardInput

        template <class F>
        void each(F&& f) {
            f(x), f(compressedQ), f(normedQ), f(compressedKv), f(normedKv), f(qStats.rstd), f(kvStats.rstd);
            core.each(f);
            f(attended), f(wholeDy), f(dq), f(dNormedQ), f(dCompressedQ), f(dKv), f(dNormedKv), f(dCompressed);
        }
        /// Drops the tensors that remakeCore recomputes.
        void dropCore() {
            attended.reset();
            core.dropResults();
        }
    };

    /// @param prefix of all names, with its dot ("model.layers.3.self_attn.")
    /// @param rotary over qk_rope_head_dim, shared by all blocks
    LatentAttention(const ShardContext& context, const ModelSpec& spec, const std::string& prefix, std::int64_t seqLen,
                    std::shared_ptr<const RotaryTable> rotary);

    /// x [s, B, H] -> [s, B, H]
    [[nodiscard]] at::Tensor forward(const at::Tensor& x, Saved& saved) const;
    [[nodiscard]] at::Tensor backwardInput(const at::Tensor& dy, Saved& saved) const;
    /// As in Attention::remakeCore.
    void remakeCore(Saved& saved) const;
    void backwardWeight(Saved& saved, bool last);
    void collect(std::vector<Parameter*>& parameters);

private:
    ShardContext m_context;
    MlaSpec m_spec;
    std::int64_t m_headSize;  ///< of queries and keys: both parts
    double m_eps;
    double m_magnitude;  ///< of the queries, for scaled positions
    std::shared_ptr<const RotaryTable> m_rotary;
    ContextAttention m_core;
    std::unique_ptr<Parameter> m_qDown, m_qNorm;  ///< null without query compression
    ColumnParallelLinear m_q;                     ///< from the compressed query, or from x
    std::unique_ptr<Parameter> m_kvDown, m_kvNorm;
    ColumnParallelLinear m_kv;
    RowParallelLinear m_out;
};

}  // namespace slipway::trainer
