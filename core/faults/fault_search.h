// All faults shown by the evidence of an end, each with its place; private to this room.
#pragma once

#include "core/faults/diagnose.h"

#include <limits>

namespace slipway {

constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kTailBytes = 64 * 1024;  ///< of a log that are examined

/// One fault shown by the evidence, with its place.
struct Finding {
    const Fault* fault = nullptr;
    std::string node;
    std::optional<std::int64_t> rank;
    std::int64_t time = kNoTime;  ///< milliseconds since the Unix epoch, by the clock of its node
    std::string kept, line, words;
    bool isOwn = false;  ///< from the rank's own words, not from its exit alone
};

struct Findings {
    std::vector<Finding> all;
    std::int64_t numFailed = 0;  ///< ranks that failed by themselves
};
Findings findFaults(const EndEvidence& evidence);

/// The first is the likelier cause: by depth, then time, then the order of the table.
bool isDeeper(const Finding& a, const Finding& b);

/// 0: nothing failed; 1: ended on request; 2: failed.
int weightOf(const AgentExit& exit);

/// A failure not caused by the agent.
bool failedByItself(const RankState& rank);

/// kNoTime for 0.
std::int64_t knownTime(std::int64_t unixMilliseconds);

}  // namespace slipway
