// Activity of ranks within one step, from ranks/rank_N.jsonl: passes, waits for the pipeline's messages, collectives.
//   for (const RankSpans& rank : readSpans(folder, {0, 4}, 120)) draw(rank);
// The trainer writes them every telemetry.spans_every_steps steps.
#pragma once

#include "core/spec/run_dir.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct RankSpan {
    std::string name;  ///< a word of ActionKind, "optimizer" or "data_wait"
    std::int64_t microBatch = 0, chunk = 0;
    double startSeconds = 0, endSeconds = 0;  ///< since the rank began its step
};
struct RankCollective {
    std::string operation, axis;  ///< "all_reduce", "dp"
    double startSeconds = 0, endSeconds = 0;
};
struct RankSpans {
    std::int64_t rank = 0, step = 0;
    std::vector<RankSpan> spans;
    std::vector<RankCollective> collectives;

    /// The last end of all.
    [[nodiscard]] double seconds() const;
};

/// Searched bytes at the end of a stream.
constexpr std::uint64_t kSpanBytes = 16ULL << 20;

/// For each rank the record nearest to the step, or the newest if no step is given; ranks without a record and spans
/// without finite times are omitted.
std::vector<RankSpans> readSpans(const RunDir& folder, const std::vector<std::int64_t>& ranks,
                                 std::optional<std::int64_t> step);

}  // namespace slipway
