// Partition of writing among ranks: each element of the state once, even if several ranks have it (replicas of
// dp and cp, weights that tp does not shard, copies of experts, both directions of DualPipe, a tied table),
// with the bytes spread over the ranks that hold them. Pure: every rank computes the same plan from the same
// lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace slipway::trainer {

/// One rank's part of one box of one tensor: elements [begin, end) of the flattened box.
struct Holding {
    std::string key;  ///< name and box; equal keys mean the same box
    std::int64_t begin = 0, end = 0;
};

/// The written part of a rank's own holding number `index`.
struct WritePart {
    std::size_t index = 0;
    std::int64_t begin = 0, end = 0;  ///< of the flattened box
    bool operator==(const WritePart&) const = default;
};

/// @param ranks each rank's holdings in its own order. @return per rank, ascending by index: together they contain each
/// existing element exactly once. Among candidate ranks, the one with the fewest bytes so far writes it.
std::vector<std::vector<WritePart>> planWrites(const std::vector<std::vector<Holding>>& ranks);

/// One line per holding, for gatherTexts.
std::string toText(const std::vector<Holding>& holdings);
std::vector<Holding> holdingsFrom(const std::string& text);

}  // namespace slipway::trainer
