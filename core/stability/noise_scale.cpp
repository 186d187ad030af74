#include "core/stability/noise_scale.h"

#include <cmath>

namespace slipway {

std::optional<double> NoiseEstimate::noiseScale() const {
    if (!(trueSquaredNorm > 0)) return std::nullopt;
    return noise / trueSquaredNorm;
}

std::optional<NoiseEstimate> estimateNoise(const BatchNorm& small, const BatchNorm& large) {
    if (!(small.batch > 0) || !(large.batch > small.batch)) return std::nullopt;
    NoiseEstimate estimate;
    estimate.trueSquaredNorm =
        (large.batch * large.squaredNorm - small.batch * small.squaredNorm) / (large.batch - small.batch);
    estimate.noise = (small.squaredNorm - large.squaredNorm) / (1 / small.batch - 1 / large.batch);
    if (!std::isfinite(estimate.trueSquaredNorm) || !std::isfinite(estimate.noise)) return std::nullopt;
    return estimate;
}

void NoiseScaleTracker::add(const NoiseEstimate& estimate) {
    m_weight = m_decay * m_weight + (1 - m_decay);
    m_sum.trueSquaredNorm = m_decay * m_sum.trueSquaredNorm + (1 - m_decay) * estimate.trueSquaredNorm;
    m_sum.noise = m_decay * m_sum.noise + (1 - m_decay) * estimate.noise;
}

std::optional<double> NoiseScaleTracker::noiseScale() const {
    return m_weight > 0 ? m_sum.noiseScale() : std::nullopt;  // the correction cancels in the ratio
}

BatchCost batchCost(double batch, double noiseScale) {
    return {1 + noiseScale / batch, 1 + batch / noiseScale};
}

}  // namespace slipway
