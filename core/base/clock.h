// The only place that reads clocks and entropy. Core functions take `now` as an argument; programs call these.
#pragma once

#include <cstdint>

namespace slipway {

/// Milliseconds since the Unix epoch (wall clock, UTC).
std::int64_t unixMillisecondsNow();

/// Seconds of a monotonic clock; only differences are meaningful.
double monotonicSecondsNow();

/// 32 random bits of the operating system, for ids.
std::uint32_t randomEntropy();

}  // namespace slipway
