// Reasons for skipped lines or rows, with counts.
//   ReasonCounts skipped;   countReason(skipped, "no step number"_text);   skipped.at("no step number").count == 1
#pragma once

#include "core/base/message.h"

#include <cstdint>
#include <map>
#include <string>

namespace slipway {

struct ReasonCount {
    Message reason;
    std::int64_t count = 0;
};
/// By the English of the reason.
using ReasonCounts = std::map<std::string, ReasonCount>;

inline void countReason(ReasonCounts& counts, const Message& reason) {
    ReasonCount& met = counts[textOf(reason)];
    met.reason = reason;
    ++met.count;
}

}  // namespace slipway
