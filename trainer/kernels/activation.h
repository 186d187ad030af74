// Feed-forward activations and rotary positions, with their backward functions.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace slipway::trainer {

/// SwiGLU (Shazeer 2020, arXiv 2002.05202): silu(gate) * up, same shapes.
at::Tensor swiGlu(const at::Tensor& gate, const at::Tensor& up);
/// -> (dGate, dUp)
std::pair<at::Tensor, at::Tensor> swiGluGrad(const at::Tensor& dy, const at::Tensor& gate, const at::Tensor& up);

/// GELU in GPT-2's tanh form.
at::Tensor geluForward(const at::Tensor& x);
at::Tensor geluGrad(const at::Tensor& dy, const at::Tensor& x);

/// Rotary positions (Su et al. 2021, arXiv 2104.09864), Hugging Face's halves: (x1, x2) -> (x1 cos - x2 sin, x2 cos +
/// x1 sin) of the first 2 F values of a head; the rest pass through unchanged.
class RotaryTable {
public:
    RotaryTable() = default;
    /// positions int64 [P]; frequencies [F] in radians a position; cosine and sine times `magnitude`
    /// (core/spec/rotary.h). Angles are computed in fp64, stored in `type`.
    RotaryTable(const at::Tensor& positions, const std::vector<double>& frequencies, double magnitude,
                at::ScalarType type, at::Device device);

    /// x [S, B, h, D] at the first S positions of the table -> the same shape.
    [[nodiscard]] at::Tensor rotate(const at::Tensor& x) const;
    /// Gradient: by the negative angle.
    [[nodiscard]] at::Tensor rotateBack(const at::Tensor& dy) const;

private:
    [[nodiscard]] at::Tensor turn(const at::Tensor& x, double direction) const;
    [[nodiscard]] at::Tensor turnAll(const at::Tensor& x, double direction) const;
    at::Tensor m_cos, m_sin;  // [P, 1, 1, F]
};

}  // namespace slipway::trainer
