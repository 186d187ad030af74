#include "trainer/kernels/linear.h"

#include "trainer/kernels/dtype.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>

// Intel's MKL, which libtorch uses for products, chooses slower code for processors of other makers, whatever their
// instructions: on an AMD EPYC 9004 core 60 to 88 instead of 104 GFLOP/s in fp32. It calls this function of its own to
// identify the maker; a program's function of the same name takes precedence (see CMakeLists.txt). MKL still detects
// the capabilities of the processor itself.
extern "C" int mkl_serv_intel_cpu_true();
extern "C" int mkl_serv_intel_cpu_true() {
    return 1;
}

namespace slipway::trainer {
namespace {

at::Tensor rows(const at::Tensor& x) {
    return x.reshape({-1, x.size(-1)});
}

// [N, K] x [K, M] reshaped to x's leading dims and format.
at::Tensor product(const at::Tensor& x, const at::Tensor& matrix) {
    const at::ScalarType type = productType(x);
    at::Tensor y = rows(x).to(type).mm(matrix.to(type));
    std::vector<std::int64_t> shape = x.sizes().vec();
    shape.back() = matrix.size(1);
    return y.to(x.scalar_type()).view(shape);
}

// cuBLAS can multiply 16-bit factors and add the fp32 product to an fp32 matrix in one pass. A small product tests once
// whether this libtorch supports it; mm and add_ are the reference and the fallback.
bool addsToWide(const at::Tensor& factor) {
    static const bool adds = [&] {
        try {
            const at::Tensor ones = at::ones({16, 16}, factor.options());
            at::Tensor sum = at::ones({16, 16}, factor.options().dtype(at::kFloat));
            at::addmm_out(sum, sum, ones.t(), ones, at::kFloat);
            return sum.eq(17).all().item<bool>();
        } catch (const c10::Error&) {
            return false;
        }
    }();
    return adds;
}

bool multipliesAsStored(const at::Tensor& x, const at::Tensor& matrix) {
    return x.is_cuda() && productType(x) == x.scalar_type() && matrix.scalar_type() == x.scalar_type();
}

}  // namespace

at::Tensor linearForward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    if (bias.defined() && multipliesAsStored(x, weight) && bias.scalar_type() == x.scalar_type()) {
        // cuBLASLt adds the bias to the sum before rounding.
        std::vector<std::int64_t> shape = x.sizes().vec();
        shape.back() = weight.size(0);
        return at::addmm(bias, rows(x), weight.t()).view(shape);
    }
    at::Tensor y = product(x, weight.t());
    if (bias.defined()) y.add_(bias);
    return y;
}

at::Tensor linearInputGrad(const at::Tensor& dy, const at::Tensor& weight) {
    return product(dy, weight);
}

void addLinearInputGrad(at::Tensor& dx, const at::Tensor& dy, const at::Tensor& weight) {
    if (multipliesAsStored(dy, weight) && dx.is_contiguous() && dx.scalar_type() == dy.scalar_type())
        dx.view({-1, dx.size(-1)}).addmm_(rows(dy), weight);
    else
        dx.add_(product(dy, weight));
}

void addLinearWeightGrad(at::Tensor& mainGrad, const at::Tensor& dy, const at::Tensor& x) {
    const at::ScalarType type = gradSumType(mainGrad, dy);
    if (type != mainGrad.scalar_type() && dy.is_cpu()) {
        mainGrad.add_(rows(dy).to(type).t().mm(rows(x).to(type)));
        return;
    }
    if (dy.is_cuda() && dy.scalar_type() != type) {
        // The product of 16-bit operands is an fp32 sum: nothing is rounded on the way to the main gradient.
        if (mainGrad.scalar_type() == at::kFloat && addsToWide(dy))
            at::addmm_out(mainGrad, mainGrad, rows(dy).t(), rows(x), type);
        else
            mainGrad.add_(at::mm(rows(dy).t(), rows(x), type));
        return;
    }
    mainGrad.addmm_(rows(dy).to(type).t(), rows(x).to(type));
}

void addBiasGrad(at::Tensor& mainGrad, const at::Tensor& dy) {
    mainGrad.add_(rows(dy).sum(at::IntArrayRef{0}, /*keepdim=*/false, gradSumType(mainGrad, dy)));
}

}  // namespace slipway::trainer
