// ProgressWatch: is a run still making progress? It watches the growth of the ranks' files; the trainer has its own
// watchdog, this is the safety net in case that one hangs too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slipway {

class ProgressWatch {
public:
    /// @param leastSeconds a shorter silence is never a hang; 0 disables the watch
    explicit ProgressWatch(double leastSeconds) : m_leastSeconds(leastSeconds) {}

    /// @param totalBytes sum of the sizes of the watched files; any change is progress
    void look(double nowSeconds, std::uint64_t totalBytes);

    /// Seconds since the last progress, or since the first observation.
    [[nodiscard]] double silentSeconds(double nowSeconds) const;
    /// max(leastSeconds, 20 x the median interval between signs of progress).
    [[nodiscard]] double limitSeconds() const;
    [[nodiscard]] bool hangs(double nowSeconds) const;

private:
    double m_leastSeconds;
    bool m_started = false;
    double m_lastSeconds = 0;
    std::uint64_t m_bytes = 0;
    std::vector<double> m_intervals;  // the newest kKept
    std::size_t m_next = 0;
};

}  // namespace slipway
