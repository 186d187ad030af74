#include "trainer/kernels/dtype.h"

namespace slipway::trainer {
namespace {

bool cpuMultipliesBf16() {
#if defined(__x86_64__)
    static const bool has = __builtin_cpu_supports("avx512bf16");
    return has;
#else
    return false;
#endif
}

}  // namespace

at::ScalarType productType(const at::Tensor& stored) {
    const at::ScalarType type = stored.scalar_type();
    const bool slow = type == at::kHalf || (type == at::kBFloat16 && !cpuMultipliesBf16());
    return slow && stored.is_cpu() ? at::kFloat : type;
}

at::ScalarType sumType(const at::Tensor& stored) {
    const at::ScalarType type = stored.scalar_type();
    return type == at::kBFloat16 || type == at::kHalf ? at::kFloat : type;
}

at::ScalarType gradSumType(const at::Tensor& mainGrad, const at::Tensor& factor) {
    return mainGrad.scalar_type() == factor.scalar_type() ? mainGrad.scalar_type() : sumType(mainGrad);
}

}  // namespace slipway::trainer
