#include "core/stability/spike_detector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace slipway {
namespace {

constexpr std::size_t kNewLevel = 20;
constexpr double kMadToSigma = 0.6745;  // of a normal distribution
constexpr double kLeastMadShare = 1e-3;

}  // namespace

double medianOf(const std::deque<double>& values) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> sorted(values.begin(), values.end());
    const std::size_t middle = sorted.size() / 2;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(middle), sorted.end());
    const double upper = sorted[middle];
    if (sorted.size() % 2 == 1) return upper;
    return (*std::max_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(middle)) + upper) / 2;
}

SpikeDetector::SpikeDetector(SpikeRule rule, double zLimit) : m_rule(rule), m_zLimit(zLimit) {}

std::size_t SpikeDetector::least() const {
    return m_rule == SpikeRule::Mean3x ? 10 : m_rule == SpikeRule::Mean5x ? 100 : 32;
}

std::size_t SpikeDetector::most() const {
    return m_rule == SpikeRule::RobustZ ? 128 : 100;
}

double SpikeDetector::limit() const {
    if (m_rule == SpikeRule::Off || m_window.size() < least()) return std::numeric_limits<double>::infinity();
    if (m_rule != SpikeRule::RobustZ) {
        const double mean =
            std::accumulate(m_window.begin(), m_window.end(), 0.0) / static_cast<double>(m_window.size());
        return (m_rule == SpikeRule::Mean3x ? 3.0 : 5.0) * mean;
    }
    const double median = medianOf(m_window);
    std::deque<double> distances;
    for (const double value : m_window) distances.push_back(std::abs(value - median));
    const double mad = std::max(medianOf(distances), kLeastMadShare * std::abs(median));
    return median + m_zLimit * mad / kMadToSigma;
}

void SpikeDetector::remember(double value) {
    m_window.push_back(value);
    if (m_window.size() > most()) m_window.pop_front();
}

SpikeVerdict SpikeDetector::evaluate(double value) {
    if (!std::isfinite(value)) return SpikeVerdict::NonFinite;
    if (m_rule == SpikeRule::Off) return SpikeVerdict::Normal;
    const bool spike = value > limit();
    // A few spikes do not move a median; a change of level does.
    if (!spike || m_rule == SpikeRule::RobustZ) {
        remember(value);
        if (!spike) m_streak.clear();
        return spike ? SpikeVerdict::Spike : SpikeVerdict::Normal;
    }
    m_streak.push_back(value);
    if (m_streak.size() >= kNewLevel) m_window = std::exchange(m_streak, {});
    return SpikeVerdict::Spike;
}

}  // namespace slipway
