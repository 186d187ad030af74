// Is this loss a spike? Three rules, each fed one value per step in order.
//   SpikeDetector detector(SpikeRule::RobustZ);   if (detector.evaluate(loss) != SpikeVerdict::Normal) ...
// A value that is not finite is never normal, for any rule and any number of earlier values.
#pragma once

#include "core/spec/spike_spec.h"

#include <cstddef>
#include <deque>
#include <utility>

namespace slipway {

enum class SpikeVerdict { Normal, Spike, NonFinite };

class SpikeDetector {
public:
    /// @param zLimit for SpikeRule::RobustZ
    explicit SpikeDetector(SpikeRule rule, double zLimit = 6.0);

    /// Evaluates the next value, then stores it.
    ///   mean_3x, mean_5x: strictly above 3 (5) times the mean of the last 100 normal values, once 10 (100) were seen.
    ///   robust_z: 0.6745 (x - median) / MAD above the limit, over the last 128 values, once 32 were seen (Iglewicz and Hoaglin 1993);
    ///   the MAD counts as at least 0.1 % of the median, so that a flat curve does not make every value a spike.
    /// Spikes stay out of the window of the mean rules; 20 in a row are a new level, and the window restarts with them.
    SpikeVerdict evaluate(double value);

    /// The value above which the next is a spike; infinite while there are too few.
    [[nodiscard]] double limit() const;
    /// The basis of the verdicts, oldest first: a resumed run restores it.
    [[nodiscard]] const std::deque<double>& window() const { return m_window; }
    /// Consecutive spikes, which may become a new level.
    [[nodiscard]] const std::deque<double>& streak() const { return m_streak; }
    void restore(std::deque<double> window, std::deque<double> streak = {}) {
        m_window = std::move(window);
        m_streak = std::move(streak);
    }

private:
    [[nodiscard]] std::size_t least() const;
    [[nodiscard]] std::size_t most() const;
    void remember(double value);

    SpikeRule m_rule;
    double m_zLimit;
    std::deque<double> m_window;
    std::deque<double> m_streak;  ///< consecutive spikes
};

/// Median of the values (mean of the two middle ones); NaN for none.
double medianOf(const std::deque<double>& values);

}  // namespace slipway
