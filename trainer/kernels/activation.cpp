#include "trainer/kernels/activation.h"

#include "trainer/kernels/dtype.h"
#include "trainer/kernels/fused_rows.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/tensor.h>

namespace slipway::trainer {

at::Tensor swiGlu(const at::Tensor& gate, const at::Tensor& up) {
    if (isFusable(gate) && isFusable(up)) return fusedSwiGlu(gate, up);
    return at::silu(gate).mul_(up);
}

std::pair<at::Tensor, at::Tensor> swiGluGrad(const at::Tensor& dy, const at::Tensor& gate, const at::Tensor& up) {
    if (isFusable(gate) && isFusable(up) && isFusable(dy)) return fusedSwiGluGrad(dy, gate, up);
    return {at::silu_backward(dy * up, gate), at::silu(gate).mul_(dy)};
}

at::Tensor geluForward(const at::Tensor& x) {
    return at::gelu(x, "tanh");
}

at::Tensor geluGrad(const at::Tensor& dy, const at::Tensor& x) {
    return at::gelu_backward(dy, x, "tanh");
}

RotaryTable::RotaryTable(const at::Tensor& positions, const std::vector<double>& frequencies, double magnitude,
                         at::ScalarType type, at::Device device) {
    const auto count = static_cast<std::int64_t>(frequencies.size());
    const at::Tensor turns = at::tensor(frequencies, at::TensorOptions().dtype(at::kDouble));
    const at::Tensor angles =
        at::outer(positions.to(at::kCPU, at::kDouble), turns).view({positions.size(0), 1, 1, count});
    m_cos = angles.cos().mul_(magnitude).to(device, type);
    m_sin = angles.sin().mul_(magnitude).to(device, type);
}

at::Tensor RotaryTable::rotate(const at::Tensor& x) const {
    return turn(x, 1);
}

at::Tensor RotaryTable::rotateBack(const at::Tensor& dy) const {
    return turn(dy, -1);
}

at::Tensor RotaryTable::turn(const at::Tensor& x, double direction) const {
    const std::int64_t turning = 2 * m_cos.size(-1), rest = x.size(-1) - turning;
    if (rest == 0) return turnAll(x, direction);
    return at::cat({turnAll(x.narrow(-1, 0, turning), direction), x.narrow(-1, turning, rest)}, -1);
}

at::Tensor RotaryTable::turnAll(const at::Tensor& x, double direction) const {
    const std::int64_t length = x.size(0);
    if (isRotatable(x, m_cos)) return fusedRotate(x, m_cos, m_sin, direction);
    const std::int64_t half = x.size(-1) / 2;
    const at::Tensor cos = m_cos.narrow(0, 0, length);
    const at::Tensor sin = m_sin.narrow(0, 0, length) * direction;
    const at::Tensor first = x.narrow(-1, 0, half);
    const at::Tensor second = x.narrow(-1, half, half);
    const at::Tensor turned[] = {first * cos - second * sin, second * cos + first * sin};
    return at::cat(at::TensorList(turned), -1).to(x.scalar_type());
}

}  // namespace slipway::trainer
