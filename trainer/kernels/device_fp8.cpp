#include "trainer/kernels/device_fp8.h"

#include "trainer/kernels/device_rows.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

namespace slipway::trainer {
namespace {

// The matrix in its memory order; true: this is x transposed.
std::pair<at::Tensor, bool> asItLies(const at::Tensor& x) {
    if (!x.is_contiguous() && x.t().is_contiguous()) return {x.t(), true};
    return {x.contiguous(), false};
}

/// Allocates one of the outputs. @param count of its rows
Fp8Output roomFor(Fp8Factor& factor, const at::Tensor& largest, std::int64_t count, std::int64_t depth,
                  at::ScalarType type) {
    factor.values = at::empty({count, depth}, largest.options().dtype(type));
    factor.inverse = at::empty_like(largest);
    return {factor.values.mutable_data_ptr(), factor.inverse.mutable_data_ptr<float>(), largest.const_data_ptr<float>(),
            largest.size(0) > 1};
}

void fill(const at::Tensor& lying, const Fp8Output& byRow, const Fp8Output& byColumn, at::ScalarType type) {
    startedOnDevice("fp8Values", cudaRows()->fp8Values(*rowFormatOf(lying.scalar_type()), lying.const_data_ptr(), byRow,
                                                       byColumn, type == at::kFloat8_e5m2, lying.size(0), lying.size(1),
                                                       deviceStreamOf(lying)));
}

}  // namespace

bool hasDeviceFp8(const at::Tensor& x) {
    return x.is_cuda() && cudaRows() != nullptr && x.dim() == 2 && x.numel() > 0 && rowFormatOf(x.scalar_type()) &&
           (x.is_contiguous() || x.t().is_contiguous());
}

at::Tensor deviceFp8Largest(const at::Tensor& x, bool perRow) {
    const auto [lying, turned] = asItLies(x);
    at::Tensor largest = at::zeros({perRow ? x.size(0) : 1, 1}, x.options().dtype(at::kFloat));
    const LargestOf of = !perRow ? LargestOf::All : turned ? LargestOf::Columns : LargestOf::Rows;
    startedOnDevice("fp8Largest", cudaRows()->fp8Largest(*rowFormatOf(x.scalar_type()), lying.const_data_ptr(), of,
                                                         largest.mutable_data_ptr<float>(), lying.size(0),
                                                         lying.size(1), deviceStreamOf(x)));
    return largest;
}

Fp8Factor deviceFp8Factor(const at::Tensor& x, const at::Tensor& given, at::ScalarType type) {
    const auto [lying, turned] = asItLies(x);
    const at::Tensor largest = given.contiguous();
    Fp8Factor factor;
    const Fp8Output to = roomFor(factor, largest, x.size(0), x.size(1), type);
    fill(lying, turned ? Fp8Output{} : to, turned ? to : Fp8Output{}, type);
    return factor;
}

Fp8Pair deviceFp8Pair(const at::Tensor& x, const at::Tensor& rows, const at::Tensor& columns, at::ScalarType type) {
    const at::Tensor lying = x.contiguous(), ofRows = rows.contiguous(), ofColumns = columns.contiguous();
    Fp8Pair pair;
    const Fp8Output byRow = roomFor(pair.rows, ofRows, x.size(0), x.size(1), type);
    const Fp8Output byColumn = roomFor(pair.columns, ofColumns, x.size(1), x.size(0), type);
    fill(lying, byRow, byColumn, type);
    return pair;
}

}  // namespace slipway::trainer
