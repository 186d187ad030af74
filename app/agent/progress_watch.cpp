#include "app/agent/progress_watch.h"

#include <algorithm>

namespace slipway {
namespace {
constexpr std::size_t kKept = 64;
constexpr double kMedians = 20;
}  // namespace

void ProgressWatch::look(double nowSeconds, std::uint64_t totalBytes) {
    if (!m_started) {
        m_started = true;
        m_lastSeconds = nowSeconds;
        m_bytes = totalBytes;
        return;
    }
    if (totalBytes == m_bytes) return;
    const double interval = nowSeconds - m_lastSeconds;
    if (m_intervals.size() < kKept) {
        m_intervals.push_back(interval);
    } else {
        m_intervals[m_next++ % kKept] = interval;
    }
    m_lastSeconds = nowSeconds;
    m_bytes = totalBytes;
}

double ProgressWatch::silentSeconds(double nowSeconds) const {
    return m_started ? nowSeconds - m_lastSeconds : 0;
}

double ProgressWatch::limitSeconds() const {
    if (m_intervals.empty()) return m_leastSeconds;
    std::vector<double> sorted = m_intervals;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return std::max(m_leastSeconds, kMedians * *middle);
}

bool ProgressWatch::hangs(double nowSeconds) const {
    return m_leastSeconds > 0 && silentSeconds(nowSeconds) > limitSeconds();
}

}  // namespace slipway
