#include "core/base/clock.h"

#include <chrono>
#include <random>

namespace slipway {

std::int64_t unixMillisecondsNow() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

double monotonicSecondsNow() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

std::uint32_t randomEntropy() {
    return std::random_device{}();
}

}  // namespace slipway
