// Matrix products at this machine's full speed: the measured peak behind MFU.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slipway::trainer {

/// One shape: size x size times size x size, 2 * size^3 operations.
struct GemmSample {
    std::string precision;  ///< fp32, fp64, bf16
    std::int64_t threads = 1;
    std::int64_t size = 0;
    double seconds = 0;  ///< median of the repeats after warm-up, in the calmest of five windows
    [[nodiscard]] double flops() const {
        return 2.0 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size) / seconds;
    }
};

struct GemmReport {
    std::int64_t threads = 1;  ///< all threads of this machine
    std::vector<GemmSample> samples;
    /// Best rate per precision with this many threads.
    [[nodiscard]] std::map<std::string, double> peakFlops(std::int64_t numThreads) const;
};

/// Measures fp32, fp64 and bf16 with one and with all threads; a few seconds.
/// @param secondsPerShape time spent on repeats of one shape
GemmReport measureGemm(double secondsPerShape);

}  // namespace slipway::trainer
