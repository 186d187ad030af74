// Repeats: trials that differ only in their seed, as one row with medians and quartiles.
#pragma once

#include "core/sweep/sweep_result.h"

#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// One figure over the completed repeats. Quartiles by linear interpolation; with one value all three equal it.
struct RepeatFigure {
    std::string_view key;  ///< FigureInfo::key
    std::size_t count = 0;
    double low = 0, median = 0, high = 0;
    /// The difference of two medians is noise where it is smaller than both ranges.
    [[nodiscard]] double range() const { return high - low; }
};

struct RepeatGroup {
    std::string name;  ///< of its first trial, without the seed
    std::vector<std::size_t> trials;
    std::size_t completed = 0;
    std::vector<RepeatFigure> figures;  ///< measured ones, in the order of figureInfos()
};

/// All groups in the order of their first trials; also groups of one trial.
std::vector<RepeatGroup> groupRepeats(const SweepResult& result);
/// Whether any group has more than one trial.
bool hasRepeats(const std::vector<RepeatGroup>& groups);

/// [{"name", "trials", "completed", "measured": {"step_seconds": {"count", "q1", "median", "q3"}}}]
Json toJson(const std::vector<RepeatGroup>& groups);

}  // namespace slipway
