// FeedForward: SwiGLU (gate, up, down) or GELU (up, down).
//   Shards: the inner width over tp (column-parallel gate and up, row-parallel down).
//   Collectives: those of the region's edges, and with sequence parallelism one more gather for the weight gradients.
#pragma once

#include "core/spec/model_spec.h"
#include "trainer/model/param_names.h"
#include "trainer/parallel/column_parallel_linear.h"
#include "trainer/parallel/row_parallel_linear.h"

#include <optional>

namespace slipway::trainer {

class FeedForward {
public:
    struct Saved {
        at::Tensor x;                    // [s, B, H]
        at::Tensor gate, up, inner;      // [S, B, F/tp]; gate only with SwiGLU
        at::Tensor wholeDy, dGate, dUp;  // set by backwardInput

        template <class F>
        void each(F&& f) {
            f(x), f(gate), f(up), f(inner), f(wholeDy), f(dGate), f(dUp);
        }
    };

    FeedForward(const ShardContext& context, const ModelSpec& spec, const BlockNames& names);

    [[nodiscard]] at::Tensor forward(const at::Tensor& x, Saved& saved) const;
    [[nodiscard]] at::Tensor backwardInput(const at::Tensor& dy, Saved& saved) const;
    void backwardWeight(Saved& saved, bool last);
    void collect(std::vector<Parameter*>& parameters);

private:
    ShardContext m_context;
    std::optional<ColumnParallelLinear> m_gate;
    ColumnParallelLinear m_up;
    RowParallelLinear m_down;
};

}  // namespace slipway::trainer
