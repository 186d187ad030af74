// Step time, wait and memory of every rank over the steps of a run, from ranks/rank_N.jsonl: the data of a heat map,
// and the ranks that the others wait for.
//   const RankMap map = readRankMap(folder, {.numRanks = 64});   stragglersOf(map, layout)
// Streams longer than the limit are sampled at evenly spaced places, never read completely.
#pragma once

#include "core/spec/parallel_layout.h"
#include "core/spec/run_dir.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace slipway {

enum class RankQuantity { StepTime, OwnTime, Wait, Memory };
constexpr std::size_t kNumRankQuantities = 4;

struct RankMapRequest {
    std::int64_t numRanks = 1;
    std::int64_t maxColumns = 160;
    std::uint64_t maxBytes = 64ULL << 20;    ///< of all streams together
    std::function<bool()> isCancelled = {};  ///< called before each rank; empty: never
};

struct RankMap {
    std::int64_t numRanks = 0, numColumns = 0;
    std::int64_t firstStep = 0, lastStep = 0;
    bool isSampled = false;    ///< only some of the steps were read
    bool hasWaits = false;     ///< own times and waits are recorded
    std::int64_t numRead = 0;  ///< records

    /// Mean over the read steps of a column (for memory the maximum); absent without a record.
    [[nodiscard]] std::optional<double> value(RankQuantity quantity, std::int64_t rank, std::int64_t column) const;
    /// Median over the ranks with a record.
    [[nodiscard]] std::optional<double> median(RankQuantity quantity, std::int64_t column) const;
    [[nodiscard]] std::int64_t columnOf(std::int64_t step) const;
    /// First step of a column; that of numColumns is after the last.
    [[nodiscard]] std::int64_t stepOf(std::int64_t column) const;

    /// By quantity, then rank, then column; NaN without a record.
    std::array<std::vector<double>, kNumRankQuantities> values;
};

/// Empty (no columns) where no rank has written a record.
RankMap readRankMap(const RunDir& folder, const RankMapRequest& request);

/// A rank that works longer than the median of its pipeline stage, by its own time: the step without its waits.
struct Straggler {
    std::int64_t rank = 0;
    double slower = 0;  ///< mean fraction above the median in its slow steps, 0.08 = 8 %
    std::int64_t fromStep = 0, toStep = 0;
    std::int64_t numSteps = 0;  ///< slow steps, by columns
    double lostSeconds = 0;     ///< beyond the median in those steps
};
constexpr double kStragglerShare = 0.05;    ///< above the median
constexpr std::int64_t kStragglerOdds = 3;  ///< least ratio of slow steps to equally fast ones, against noise
constexpr double kStragglerSteps = 0.1;     ///< least share of slow columns, and at least two

/// The most costly first. Empty without waits; stages of fewer than three ranks have no median to identify the slow one.
std::vector<Straggler> stragglersOf(const RankMap& map, const ParallelLayout& layout);

}  // namespace slipway
