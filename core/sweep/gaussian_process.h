// A Gaussian process over points in the unit cube, for tens of observations: plain double arithmetic.
//   GaussianProcess gp(points, residuals, {.common = 0.2, .own = 0.3, .length = 0.6, .noise = 0.02});
//   const auto [mean, deviation] = gp.at(x);
// Rasmussen & Williams, Gaussian Processes for Machine Learning (2006), algorithm 2.1 and equation 5.8.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace slipway {

/// k(x, y) = common^2 + own^2 exp(-|x - y|^2 / (2 length^2)); observations carry independent noise. Standard deviations.
struct GpScales {
    double common = 1;  ///< of the part common to all points
    double own = 1;     ///< of the part common to near points
    double length = 0.5;
    double noise = 0.02;
};

using GpPoint = std::vector<double>;

class GaussianProcess {
public:
    /// With prior mean 0. Repeated points are averaged by the noise.
    GaussianProcess(std::vector<GpPoint> points, const std::vector<double>& values, const GpScales& scales);

    struct Prediction {
        double mean = 0;
        double deviation = 0;  ///< standard deviation of the function itself, without noise
    };
    [[nodiscard]] Prediction at(const GpPoint& x) const;
    /// Posterior covariance of the function at two points.
    [[nodiscard]] double covariance(const GpPoint& x, const GpPoint& y) const;
    /// Log of the density of the observed values under these scales.
    [[nodiscard]] double logEvidence() const { return m_logEvidence; }
    [[nodiscard]] const GpScales& scales() const { return m_scales; }

private:
    [[nodiscard]] double kernel(const GpPoint& x, const GpPoint& y) const;
    /// L^-1 k(points, x)
    [[nodiscard]] std::vector<double> whitened(const GpPoint& x) const;

    std::vector<GpPoint> m_points;
    GpScales m_scales;
    std::vector<double> m_factor;    ///< lower triangle L of K + noise^2, row by row
    std::vector<double> m_weighted;  ///< L^-1 values
    double m_logEvidence = 0;
};

/// The process with the scales, among a few, that best explain the values; shrunk towards `prior` with the weight of
/// about one observation, so that few observations do not imply certainty.
GaussianProcess fitGaussianProcess(const std::vector<GpPoint>& points, const std::vector<double>& values,
                                   const GpScales& prior);

/// Lower triangle of the Cholesky factor of a positive definite matrix of n rows, row by row; pivots are kept positive.
std::vector<double> choleskyFactor(std::vector<double> matrix, std::size_t n);

}  // namespace slipway
