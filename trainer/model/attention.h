// Attention: query, key and value projections, optional norms per head, rotary positions, causal attention, output
// projection.
//   Shards: the sequence over cp (trainer/parallel/context_attention.h), heads over tp (column-parallel q, k, v;
//   row-parallel output); fewer key-value heads than ranks are on several. The norms per head are on every tp rank,
//   each of which sees only its own heads, so their gradients are parts of a sum over tp.
//   Collectives: those of the region's edges (trainer/parallel/tp_region.h); with sequence parallelism the weight
//   gradients gather the input once more instead of keeping it whole (Korthikanti et al. 2022, section 4.2.2). With
//   async_tp they go piece by piece beside the products (trainer/parallel/tp_pieces.h), as in all layers of a
//   tensor-parallel region.
#pragma once

#include "core/spec/model_spec.h"
#include "trainer/kernels/activation.h"
#include "trainer/kernels/attention.h"
#include "trainer/kernels/norm.h"
#include "trainer/model/param_names.h"
#include "trainer/parallel/column_parallel_linear.h"
#include "trainer/parallel/context_attention.h"
#include "trainer/parallel/row_parallel_linear.h"

namespace slipway::trainer {

class Attention {
public:
    struct Saved {
        at::Tensor x;               // [s, B, H]
        at::Tensor qHeads, kHeads;  // before the norms per head [S, B, heads, D]; only with qk_norm
        NormStats qStats, kStats;
        AttentionSaved core;
        at::Tensor
            attended;  // [S, B, heads, D] of this rank's positions; shares storage with core.out except with Ulysses
        Documents documents;  // of the full sequences, or undefined; set by the stage before the forward pass
        at::Tensor wholeDy, dq, dk, dv, dqNormed, dkNormed;  // set by backwardInput

        template <class F>
        void each(F&& f) {
            f(x), f(qHeads), f(kHeads), f(qStats.rstd), f(kStats.rstd);
            core.each(f);
            f(attended), f(wholeDy), f(dq), f(dk), f(dv), f(dqNormed), f(dkNormed);
        }
        /// Drops the tensors that remakeCore recomputes.
        void dropCore() {
            attended.reset();
            core.dropResults();
        }
    };

    /// @param seqLen of the full sequence
    /// @param rotary shared by all blocks; null with learned positions
    Attention(const ShardContext& context, const ModelSpec& spec, const BlockNames& names, std::int64_t seqLen,
              std::shared_ptr<const RotaryTable> rotary);

    [[nodiscard]] at::Tensor forward(const at::Tensor& x, Saved& saved) const;
    [[nodiscard]] at::Tensor backwardInput(const at::Tensor& dy, Saved& saved) const;
    /// Selective recomputation: repeats the attention itself from its inputs; a no-op if its output was saved.
    void remakeCore(Saved& saved) const;
    void backwardWeight(Saved& saved, bool last);
    void collect(std::vector<Parameter*>& parameters);

private:
    ShardContext m_context;
    std::int64_t m_headSize;
    double m_eps;
    std::shared_ptr<const RotaryTable> m_rotary;
    ContextAttention m_core;
    ColumnParallelLinear m_q, m_k, m_v;
    std::unique_ptr<Parameter> m_qNorm, m_kNorm;  ///< null without qk_norm
    RowParallelLinear m_out;
};

/// Standard deviation of new weights: 0.02, and that of a block's output projections divided by sqrt(2 layers) (GPT-2).
constexpr double kInitDeviation = 0.02;
double outputDeviation(const ModelSpec& spec);

}  // namespace slipway::trainer
