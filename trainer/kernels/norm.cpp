#include "trainer/kernels/norm.h"

#include "trainer/kernels/dtype.h"
#include "trainer/kernels/fused_rows.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>

#include <array>

namespace slipway::trainer {
namespace {

// Sum over all dims but the last.
at::Tensor sumRows(const at::Tensor& x, at::ScalarType type) {
    return x.reshape({-1, x.size(-1)}).sum(at::IntArrayRef{0}, /*keepdim=*/false, type);
}

}  // namespace

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps, NormStats& stats) {
    if (isFusable(x) && weight.scalar_type() == x.scalar_type()) return fusedRmsNorm(x, weight, eps, stats.rstd);
    const at::Tensor wide = x.to(sumType(x));
    stats.rstd = wide.square().mean(at::IntArrayRef{-1}, /*keepdim=*/true).add_(eps).rsqrt_();
    return (wide * stats.rstd).mul_(weight).to(x.scalar_type());
}

at::Tensor residualRmsNorm(at::Tensor& branch, const at::Tensor& x, const at::Tensor& weight, double eps,
                           NormStats& stats) {
    if (isFusable(branch) && weight.scalar_type() == branch.scalar_type() && x.scalar_type() == branch.scalar_type())
        return fusedResidualRmsNorm(branch, x, weight, eps, stats.rstd);
    return rmsNorm(branch.add_(x), weight, eps, stats);
}

// With n = x rstd and g = dy w: dx = rstd (g - n mean(g n)).
at::Tensor rmsNormInputGrad(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight, const NormStats& stats,
                            const at::Tensor& residual) {
    if (isFusable(x) && weight.scalar_type() == x.scalar_type() && dy.scalar_type() == x.scalar_type() &&
        (!residual.defined() || residual.scalar_type() == x.scalar_type()))
        return fusedRmsNormInputGrad(dy, x, weight, stats.rstd, residual);
    const at::Tensor n = x.to(sumType(x)) * stats.rstd;
    at::Tensor g = dy.to(sumType(x)) * weight;
    const at::Tensor along = (g * n).mean(at::IntArrayRef{-1}, /*keepdim=*/true);
    at::Tensor dx = g.sub_(n * along).mul_(stats.rstd).to(x.scalar_type());
    return residual.defined() ? dx.add_(residual) : dx;
}

void addRmsNormWeightGrad(at::Tensor& weightGrad, const at::Tensor& dy, const at::Tensor& x, const NormStats& stats) {
    if (isFusable(x) && weightGrad.scalar_type() == sumType(x) && dy.scalar_type() == x.scalar_type())
        return fusedRmsNormWeightGrad(weightGrad, dy, x, stats.rstd);
    const at::Tensor n = x.to(sumType(x)) * stats.rstd;
    weightGrad.add_(sumRows(n.mul_(dy), gradSumType(weightGrad, dy)));
}

at::Tensor layerNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps,
                     NormStats& stats) {
    const at::ScalarType type = sumType(x);
    auto [y, mean, rstd] = at::native_layer_norm(x.to(type), {x.size(-1)}, weight.to(type), bias.to(type), eps);
    stats = {mean, rstd};
    return y.to(x.scalar_type());
}

at::Tensor layerNormInputGrad(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight,
                              const NormStats& stats) {
    const at::ScalarType type = sumType(x);
    auto grads = at::native_layer_norm_backward(dy.to(type), x.to(type), {x.size(-1)}, stats.mean, stats.rstd,
                                                weight.to(type), std::nullopt, std::array<bool, 3>{true, false, false});
    return std::get<0>(grads).to(x.scalar_type());
}

void addLayerNormWeightGrad(at::Tensor& weightGrad, at::Tensor& biasGrad, const at::Tensor& dy, const at::Tensor& x,
                            const NormStats& stats) {
    const at::Tensor n = (x.to(sumType(x)) - stats.mean).mul_(stats.rstd);
    weightGrad.add_(sumRows(n.mul_(dy), gradSumType(weightGrad, dy)));
    biasGrad.add_(sumRows(dy, gradSumType(biasGrad, dy)));
}

}  // namespace slipway::trainer
