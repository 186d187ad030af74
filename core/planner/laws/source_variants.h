// Erroneous formulas of sources, by name, so that a page can show them beside the correct figure. The product itself
// never uses them.
#pragma once

#include "core/spec/lr_schedule.h"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace slipway::source_variants {

/// Cosine without an end: after the last step the rate rises again (examples.csv, rows 000-5.3b and 001-6.2b).
inline double cosineWithoutClamp(double begin, double end, double highest, double lowest, double step) {
    const double done = (step - begin) / (end - begin);
    return lowest + (highest - lowest) * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

/// MFU from one device's peak but all devices' tokens (row 000-9.2b): far above 1.
inline double mfuOfOneDevice(double parameters, double tokens, double seconds, double peakFlops) {
    return 6 * parameters * tokens / seconds / peakFlops;
}

/// Samples that a reader gets from one chunk of seq * world tokens when each needs seq + 1 (row 000-10h): none with one
/// process, and with more the next rank's first one is lost.
inline std::int64_t samplesPerChunk(std::int64_t seqLen, std::int64_t world) {
    return seqLen * world / (seqLen + 1);
}

/// Saves while the step counter is 0 when the test is in the loop over micro-batches (row 000-10j): the counter moves
/// with the last of them.
inline std::int64_t savesAtStepZero(std::int64_t accumulation) {
    return accumulation - 1;
}

}  // namespace slipway::source_variants
