// The functions of fused_rows.h for tensors on a GPU, fp32, fp64, bf16 and fp16: sums, roots and exponentials are in
// the sum format (dtype.h).
#pragma once

#include "trainer/kernels/cuda_rows.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace slipway::trainer {

/// Thrown by all of these when the device refuses a kernel: the rank ends with the error "kernel_refused".
class KernelRefused : public std::runtime_error {
public:
    /// @param sentence the driver's, without its full stop
    KernelRefused(const std::string& kernel, const std::string& sentence);
};

/// Throws on a refused launch.
void startedOnDevice(const char* kernel, Refusal refusal);
/// The kernels' enumerator for a format; absent for unsupported ones.
std::optional<RowFormat> rowFormatOf(at::ScalarType type);
/// The queue of libtorch's own operators on x; null on a CPU.
void* deviceStreamOf(const at::Tensor& x);

/// For tests: replaces cudaRows() by these functions, to be detected by the kernels' check; null: restores it.
void replaceDeviceRows(const CudaRows* rows);

/// True when this build has the kernels and x is a contiguous GPU tensor of one of those formats.
bool hasDeviceRows(const at::Tensor& x);

at::Tensor deviceRmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps, at::Tensor& rstd);
at::Tensor deviceResidualRmsNorm(const at::Tensor& branch, const at::Tensor& x, const at::Tensor& weight, double eps,
                                 at::Tensor& rstd);
at::Tensor deviceRmsNormInputGrad(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight,
                                  const at::Tensor& rstd, const at::Tensor& residual = {});
void deviceRmsNormWeightGrad(at::Tensor& weightGrad, const at::Tensor& dy, const at::Tensor& x, const at::Tensor& rstd);
at::Tensor deviceSwiGlu(const at::Tensor& gate, const at::Tensor& up);
std::pair<at::Tensor, at::Tensor> deviceSwiGluGrad(const at::Tensor& dy, const at::Tensor& gate, const at::Tensor& up);
at::Tensor deviceRotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, double direction);
at::Tensor deviceRowMaxima(const at::Tensor& logits);
at::Tensor deviceCrossEntropySums(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& maxima,
                                  std::int64_t firstId);
void deviceCrossEntropyGrad(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& logSumExp,
                            std::int64_t firstId, double scale);

}  // namespace slipway::trainer
