#include "core/sweep/gaussian_process.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

namespace slipway {
namespace {

/// Solves L x = b for a lower triangular L.
std::vector<double> forwardSolve(const std::vector<double>& factor, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) b[i] -= factor[i * n + j] * b[j];
        b[i] /= factor[i * n + i];
    }
    return b;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

std::vector<double> choleskyFactor(std::vector<double> matrix, std::size_t n) {
    constexpr double kLeastPivot = 1e-12;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = matrix[i * n + j];
            for (std::size_t k = 0; k < j; ++k) sum -= matrix[i * n + k] * matrix[j * n + k];
            matrix[i * n + j] = i == j ? std::sqrt(std::max(sum, kLeastPivot)) : sum / matrix[j * n + j];
        }
    return matrix;
}

GaussianProcess::GaussianProcess(std::vector<GpPoint> points, const std::vector<double>& values, const GpScales& scales)
    : m_points(std::move(points)), m_scales(scales) {
    const std::size_t n = m_points.size();
    std::vector<double> matrix(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            matrix[i * n + j] = kernel(m_points[i], m_points[j]) + (i == j ? scales.noise * scales.noise : 0);
    m_factor = choleskyFactor(std::move(matrix), n);
    m_weighted = forwardSolve(m_factor, values);
    m_logEvidence = -0.5 * dot(m_weighted, m_weighted) - 0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi);
    for (std::size_t i = 0; i < n; ++i) m_logEvidence -= std::log(m_factor[i * n + i]);
}

double GaussianProcess::kernel(const GpPoint& x, const GpPoint& y) const {
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
    return m_scales.common * m_scales.common +
           m_scales.own * m_scales.own * std::exp(-squares / (2 * m_scales.length * m_scales.length));
}

std::vector<double> GaussianProcess::whitened(const GpPoint& x) const {
    std::vector<double> between;
    between.reserve(m_points.size());
    for (const GpPoint& point : m_points) between.push_back(kernel(point, x));
    return forwardSolve(m_factor, std::move(between));
}

GaussianProcess::Prediction GaussianProcess::at(const GpPoint& x) const {
    const std::vector<double> v = whitened(x);
    return {dot(v, m_weighted), std::sqrt(std::max(0.0, kernel(x, x) - dot(v, v)))};
}

double GaussianProcess::covariance(const GpPoint& x, const GpPoint& y) const {
    return kernel(x, y) - dot(whitened(x), whitened(y));
}

GaussianProcess fitGaussianProcess(const std::vector<GpPoint>& points, const std::vector<double>& values,
                                   const GpScales& prior) {
    std::optional<GaussianProcess> best;
    double bestScore = 0;
    for (const double own : {0.35, 0.6, 1.0, 1.6})
        for (const double length : {0.5, 1.0, 2.0}) {
            GpScales scales = prior;
            scales.own *= own;
            scales.length *= length;
            GaussianProcess process(points, values, scales);
            // Log-normal prior, one natural unit wide: a factor of e costs as much as an observation one deviation off.
            const double score =
                process.logEvidence() - 0.5 * std::log(own) * std::log(own) - 0.5 * std::log(length) * std::log(length);
            if (best && score <= bestScore) continue;
            bestScore = score;
            best.emplace(std::move(process));
        }
    return *best;
}

}  // namespace slipway
