#include "trainer/kernels/device_rows.h"

#include "trainer/kernels/cuda_rows.h"
#include "trainer/kernels/dtype.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <atomic>
#include <optional>
#include <string>

namespace slipway::trainer {
namespace {

RowFormat format(const at::Tensor& x) {
    return *rowFormatOf(x.scalar_type());
}

std::int64_t rowsOf(const at::Tensor& x) {
    return x.size(-1) > 0 ? x.numel() / x.size(-1) : 0;
}

std::atomic<const CudaRows*> s_replaced{nullptr};

const CudaRows* rows() {
    const CudaRows* replaced = s_replaced.load(std::memory_order_relaxed);
    return replaced != nullptr ? replaced : cudaRows();
}

// One number of the sum format for each row.
at::Tensor onePerRow(const at::Tensor& x) {
    return at::empty(x.sizes().slice(0, x.sizes().size() - 1), x.options().dtype(sumType(x)));
}

}  // namespace

std::optional<RowFormat> rowFormatOf(at::ScalarType type) {
    switch (type) {
        case at::kFloat: return RowFormat::Fp32;
        case at::kDouble: return RowFormat::Fp64;
        case at::kBFloat16: return RowFormat::Bf16;
        case at::kHalf: return RowFormat::Fp16;
        default: return {};
    }
}

// The stream of libtorch's own operators on x. Tests call these functions with CPU tensors, which have none.
void* deviceStreamOf(const at::Tensor& x) {
    if (!x.is_cuda()) return nullptr;
    return c10::impl::VirtualGuardImpl(at::kCUDA).getStream(x.device()).native_handle();
}

// A launch that the driver refuses leaves garbage behind: the rank must end here, with the name of the kernel.
void startedOnDevice(const char* kernel, Refusal refusal) {
    if (refusal != nullptr) throw KernelRefused(kernel, refusal);
}

KernelRefused::KernelRefused(const std::string& kernel, const std::string& sentence)
    : std::runtime_error("The device did not start the kernel " + kernel + ": " + sentence + ".") {}

void replaceDeviceRows(const CudaRows* replacement) {
    s_replaced.store(replacement);
}

bool hasDeviceRows(const at::Tensor& x) {
    return x.is_cuda() && cudaRows() != nullptr && x.is_contiguous() && rowFormatOf(x.scalar_type());
}

at::Tensor deviceRmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps, at::Tensor& rstd) {
    rstd = onePerRow(x).unsqueeze(-1);
    at::Tensor y = at::empty_like(x);
    startedOnDevice("rmsNorm",
                    rows()->rmsNorm(format(x), x.const_data_ptr(), weight.const_data_ptr(), eps, y.mutable_data_ptr(),
                                    rstd.mutable_data_ptr(), rowsOf(x), x.size(-1), deviceStreamOf(x)));
    return y;
}

at::Tensor deviceResidualRmsNorm(const at::Tensor& branch, const at::Tensor& given, const at::Tensor& weight,
                                 double eps, at::Tensor& rstd) {
    const at::Tensor x = given.contiguous();
    rstd = onePerRow(branch).unsqueeze(-1);
    at::Tensor y = at::empty_like(branch);
    startedOnDevice("residualRmsNorm",
                    rows()->residualRmsNorm(format(branch), branch.mutable_data_ptr(), x.const_data_ptr(),
                                            weight.const_data_ptr(), eps, y.mutable_data_ptr(), rstd.mutable_data_ptr(),
                                            rowsOf(branch), branch.size(-1), deviceStreamOf(branch)));
    return y;
}

at::Tensor deviceRmsNormInputGrad(const at::Tensor& given, const at::Tensor& x, const at::Tensor& weight,
                                  const at::Tensor& rstd, const at::Tensor& along) {
    const at::Tensor dy = given.contiguous(), residual = along.defined() ? along.contiguous() : along;
    at::Tensor dx = at::empty_like(x);
    startedOnDevice(
        "rmsNormInputGrad",
        rows()->rmsNormInputGrad(format(x), dy.const_data_ptr(), x.const_data_ptr(), weight.const_data_ptr(),
                                 rstd.const_data_ptr(), residual.defined() ? residual.const_data_ptr() : nullptr,
                                 dx.mutable_data_ptr(), rowsOf(x), x.size(-1), deviceStreamOf(x)));
    return dx;
}

void deviceRmsNormWeightGrad(at::Tensor& weightGrad, const at::Tensor& given, const at::Tensor& x,
                             const at::Tensor& rstd) {
    const at::Tensor dy = given.contiguous();
    const std::int64_t numRows = rowsOf(x), chunks = (numRows + kRowsOfAChunk - 1) / kRowsOfAChunk;
    at::Tensor partial = at::empty({chunks, x.size(-1)}, x.options().dtype(sumType(x)));
    startedOnDevice("rmsNormWeightGrad",
                    rows()->rmsNormWeightGrad(format(x), dy.const_data_ptr(), x.const_data_ptr(), rstd.const_data_ptr(),
                                              partial.mutable_data_ptr(), weightGrad.mutable_data_ptr(), numRows,
                                              x.size(-1), deviceStreamOf(x)));
}

at::Tensor deviceSwiGlu(const at::Tensor& gate, const at::Tensor& up) {
    at::Tensor y = at::empty_like(gate);
    startedOnDevice("swiGlu", rows()->swiGlu(format(gate), gate.const_data_ptr(), up.const_data_ptr(),
                                             y.mutable_data_ptr(), gate.numel(), deviceStreamOf(gate)));
    return y;
}

std::pair<at::Tensor, at::Tensor> deviceSwiGluGrad(const at::Tensor& dy, const at::Tensor& gate, const at::Tensor& up) {
    std::pair<at::Tensor, at::Tensor> grads{at::empty_like(gate), at::empty_like(gate)};
    startedOnDevice("swiGluGrad",
                    rows()->swiGluGrad(format(gate), dy.const_data_ptr(), gate.const_data_ptr(), up.const_data_ptr(),
                                       grads.first.mutable_data_ptr(), grads.second.mutable_data_ptr(), gate.numel(),
                                       deviceStreamOf(gate)));
    return grads;
}

at::Tensor deviceRotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, double direction) {
    at::Tensor y = at::empty(x.sizes(), x.options());
    const RotateStrides shape{x.size(1),
                              x.size(2),
                              x.size(3) / 2,
                              {x.stride(0), x.stride(1), x.stride(2)},
                              {y.stride(0), y.stride(1), y.stride(2)}};
    startedOnDevice("rotate", rows()->rotate(format(x), x.const_data_ptr(), cos.const_data_ptr(), sin.const_data_ptr(),
                                             direction, y.mutable_data_ptr(), x.size(0), shape, deviceStreamOf(x)));
    return y;
}

at::Tensor deviceRowMaxima(const at::Tensor& logits) {
    at::Tensor maxima = onePerRow(logits);
    startedOnDevice("rowMaxima", rows()->rowMaxima(format(logits), logits.const_data_ptr(), maxima.mutable_data_ptr(),
                                                   rowsOf(logits), logits.size(-1), deviceStreamOf(logits)));
    return maxima;
}

at::Tensor deviceCrossEntropySums(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& maxima,
                                  std::int64_t firstId) {
    const at::Tensor ids = targets.contiguous(), most = maxima.contiguous();
    at::Tensor sums = at::empty({2, rowsOf(logits)}, most.options());
    startedOnDevice("crossEntropySums", rows()->crossEntropySums(
                                            format(logits), logits.const_data_ptr(), ids.const_data_ptr<std::int64_t>(),
                                            most.const_data_ptr(), firstId, sums.mutable_data_ptr(), rowsOf(logits),
                                            logits.size(-1), deviceStreamOf(logits)));
    return sums.unflatten(1, logits.sizes().slice(0, logits.sizes().size() - 1));
}

void deviceCrossEntropyGrad(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& logSumExp,
                            std::int64_t firstId, double scale) {
    const at::Tensor ids = targets.contiguous(), sums = logSumExp.contiguous();
    startedOnDevice("crossEntropyGrad",
                    rows()->crossEntropyGrad(format(logits), logits.mutable_data_ptr(),
                                             ids.const_data_ptr<std::int64_t>(), sums.const_data_ptr(), firstId, scale,
                                             rowsOf(logits), logits.size(-1), deviceStreamOf(logits)));
}

}  // namespace slipway::trainer
