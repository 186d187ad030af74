// Dynamic loss scale of fp16 training (Micikevicius et al. 2018, arXiv 1710.03740, section 3.2): gradients of the loss times
// `scale` stay above the smallest fp16 number. A step whose gradients overflow is skipped and halves the scale; `interval` good steps
// in a row double it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace slipway {

class LossScaler {
public:
    explicit LossScaler(double scale = 65536.0, std::int64_t interval = 2000) : m_scale(scale), m_interval(interval) {}

    [[nodiscard]] double scale() const { return m_scale; }
    [[nodiscard]] std::int64_t goodSteps() const { return m_goodSteps; }
    /// After each step. @param overflow a gradient was not finite: the update was skipped
    void stepDone(bool overflow) {
        if (overflow) {
            m_scale = std::max(1.0, m_scale / 2);
            m_goodSteps = 0;
        } else if (++m_goodSteps >= m_interval) {
            m_scale = std::min(kMost, m_scale * 2);
            m_goodSteps = 0;
        }
    }

    void restore(double scale, std::int64_t goodSteps) {
        m_scale = scale;
        m_goodSteps = goodSteps;
    }

private:
    static constexpr double kMost = 16777216.0;
    double m_scale;
    std::int64_t m_interval;
    std::int64_t m_goodSteps = 0;
};

}  // namespace slipway
