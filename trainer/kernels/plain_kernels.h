// Plain forms in place of fused kernels: train.attention_kernel = products and train.fused_kernels = false.
//   const PlainKernels plain({.attention = true});   // until its end, in all threads of the process
#pragma once

namespace slipway::trainer {

/// While one lives, attention is computed as matrix products whose probabilities are kept (`attention`), or the row
/// loops of fused_rows.h are replaced by ATen's operators (`rows`). Global to the process.
class PlainKernels {
public:
    struct Choice {
        bool attention = false, rows = false;
    };
    explicit PlainKernels(Choice choice);
    ~PlainKernels();
    PlainKernels(const PlainKernels&) = delete;
    PlainKernels& operator=(const PlainKernels&) = delete;
    [[nodiscard]] static bool ofAttention();
    [[nodiscard]] static bool ofRows();

private:
    Choice m_choice;
};

}  // namespace slipway::trainer
