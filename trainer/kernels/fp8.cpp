#include "trainer/kernels/fp8.h"

#include "trainer/kernels/device_fp8.h"
#include "trainer/kernels/fp8_program.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

namespace slipway::trainer {
namespace {

constexpr std::int64_t kMultiple = 16;

std::int64_t roundedUp(std::int64_t size) {
    return (size + kMultiple - 1) / kMultiple * kMultiple;
}

// Zeros after the last row and column; float8 has no fill of its own, its zero is a zero byte.
at::Tensor padded(const at::Tensor& values, std::int64_t rows, std::int64_t columns) {
    if (values.size(0) == rows && values.size(1) == columns) return values;
    at::Tensor bytes = at::zeros({rows, columns}, values.options().dtype(at::kByte));
    bytes.narrow(0, 0, values.size(0)).narrow(1, 0, values.size(1)).copy_(values.view(at::kByte));
    return bytes.view(values.scalar_type());
}

at::Tensor scaledProduct(const Fp8Factor& a, const Fp8Factor& b, at::ScalarType out, bool fast) {
    const std::int64_t rows = b.values.size(0), depth = roundedUp(b.values.size(1));
    const bool perRow = a.inverse.size(0) > 1 || b.inverse.size(0) > 1;
    at::Tensor left = a.inverse, right = b.inverse;
    if (perRow) {
        left = left.expand({a.values.size(0), 1}).contiguous();
        right = at::ones({1, roundedUp(rows)}, right.options());
        right.narrow(1, 0, rows).copy_(b.inverse.view({1, -1}));
    }
    const at::Tensor product =
        at::_scaled_mm(padded(a.values, a.values.size(0), depth), padded(b.values, roundedUp(rows), depth).t(), left,
                       right, {}, {}, perRow ? at::kBFloat16 : out, fast);
    return product.narrow(1, 0, rows).to(out);
}

}  // namespace

at::ScalarType fp8Type(Fp8Format format, bool isGradient) {
    return isGradient && format == Fp8Format::Hybrid ? at::kFloat8_e5m2 : at::kFloat8_e4m3fn;
}

at::Tensor fp8Largest(const at::Tensor& x, bool perRow) {
    if (x.numel() == 0) return at::zeros({perRow ? x.size(0) : 1, 1}, x.options().dtype(at::kFloat));
    if (hasDeviceFp8(x)) return deviceFp8Largest(x, perRow);
    const at::Tensor magnitudes = x.abs();
    return (perRow ? magnitudes.amax(1, /*keepdim=*/true) : magnitudes.amax().view({1, 1})).to(at::kFloat);
}

Fp8Factor fp8Factor(const at::Tensor& x, const at::Tensor& largest, at::ScalarType type) {
    if (hasDeviceFp8(x)) return deviceFp8Factor(x, largest, type);
    const double most = fp8Most(type == at::kFloat8_e5m2);
    const at::Tensor scale = at::Scalar(most) / largest.clamp_min(kLeastLargest);
    // The cast alone would turn values that round beyond the largest into NaN.
    const at::Tensor values = (x.to(at::kFloat) * scale).clamp_(-most, most).to(type).contiguous();
    return {values, scale.reciprocal()};
}

Fp8Pair fp8Pair(const at::Tensor& x, const at::Tensor& rows, const at::Tensor& columns, at::ScalarType type) {
    if (hasDeviceFp8(x)) return deviceFp8Pair(x, rows, columns, type);
    return {fp8Factor(x, rows, type), fp8Factor(x.t(), columns, type)};
}

bool multipliesFp8(at::Device device) {
    if (!device.is_cuda()) return false;
    try {
        const Fp8Factor one = fp8Factor(at::ones({kMultiple, kMultiple}, at::TensorOptions().device(device)),
                                        at::ones({1, 1}, at::TensorOptions().device(device)), at::kFloat8_e4m3fn);
        return scaledProduct(one, one, at::kBFloat16, true).size(0) == kMultiple;
    } catch (const c10::Error&) {
        return false;
    }
}

at::Tensor fp8Product(const Fp8Factor& a, const Fp8Factor& b, at::ScalarType out, bool native, bool fast) {
    return native && a.values.numel() > 0 ? scaledProduct(a, b, out, fast) : fp8ProductReference(a, b, out);
}

at::Tensor fp8ProductReference(const Fp8Factor& a, const Fp8Factor& b, at::ScalarType out) {
    const at::Tensor product = a.values.to(at::kFloat).mm(b.values.to(at::kFloat).t());
    return product.mul_(a.inverse).mul_(b.inverse.t()).to(out);
}

}  // namespace slipway::trainer
