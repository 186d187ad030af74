// Gradient noise scale (McCandlish et al. 2018, arXiv 1812.06162): the batch size in sequences beyond which more sequences no longer
// help. From the squared norms of two gradients of the same step, one of a small and one of a large batch.
//   estimateNoise({2, 10.0}, {64, 2.0})->noiseScale() == 9.4814...
#pragma once

#include <optional>

namespace slipway {

/// Batch size in sequences, and the (mean) squared norm of a gradient that is the mean over such a batch.
struct BatchNorm {
    double batch = 0;
    double squaredNorm = 0;
};

/// Unbiased estimates (appendix A.1, eq. A.2 and A.3): each alone is noisy, so both are averaged over steps before the ratio is taken.
struct NoiseEstimate {
    double trueSquaredNorm = 0;  ///< |G|^2 = (B |G_B|^2 - b |G_b|^2) / (B - b)
    double noise = 0;            ///< tr(S) = (|G_b|^2 - |G_B|^2) / (1/b - 1/B)
    /// B_simple = tr(S) / |G|^2 in sequences: about the critical batch. Absent while |G|^2 is not positive.
    [[nodiscard]] std::optional<double> noiseScale() const;
};

/// Absent if the two batches have the same size or a value is not finite.
std::optional<NoiseEstimate> estimateNoise(const BatchNorm& small, const BatchNorm& large);

/// Exponential averages of both parts over steps, bias-corrected like Adam's moments.
class NoiseScaleTracker {
public:
    explicit NoiseScaleTracker(double decay = 0.99) : m_decay(decay) {}
    void add(const NoiseEstimate& estimate);
    [[nodiscard]] std::optional<double> noiseScale() const;
    /// The stored averages, for resuming a run.
    [[nodiscard]] double weight() const { return m_weight; }
    [[nodiscard]] const NoiseEstimate& sum() const { return m_sum; }
    void restore(double weight, const NoiseEstimate& sum) {
        m_weight = weight;
        m_sum = sum;
    }

private:
    double m_decay;
    double m_weight = 0;
    NoiseEstimate m_sum;
};

/// Steps and sequences needed at batch `batch`, relative to the least possible: 1 + scale / batch steps, 1 + batch /
/// scale sequences (eq. 2.11).
struct BatchCost {
    double steps = 0;
    double sequences = 0;
};
BatchCost batchCost(double batch, double noiseScale);

}  // namespace slipway
