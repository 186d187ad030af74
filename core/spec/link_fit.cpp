#include "core/spec/link_fit.h"

#include <algorithm>

namespace slipway {

LinkSpec fitLink(const std::vector<TimedMessage>& messages) {
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
    const TimedMessage* largest = nullptr;
    for (const TimedMessage& message : messages) {
        if (!(message.seconds > 0)) continue;
        if (largest == nullptr || message.bytes > largest->bytes) largest = &message;
        const double weight = 1 / (message.seconds * message.seconds), x = message.bytes;
        w += weight;
        wx += weight * x;
        wy += weight * message.seconds;
        wxx += weight * x * x;
        wxy += weight * x * message.seconds;
    }
    if (largest == nullptr) return {};
    const double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
    // On a busy machine the times may not grow with the size: then the largest message gives a bound.
    if (!(slope > 0)) return {largest->bytes / largest->seconds, wy / w};
    return {1 / slope, std::max(0.0, (wy - slope * wx) / w)};
}

}  // namespace slipway
