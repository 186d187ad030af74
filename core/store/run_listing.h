// The answer to a RunQuery: the runs, their order, and their summary. Rows for the screen are fetched by key.
#pragma once

#include "core/store/run_record.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// The ids of a listing in its order, in one block of memory.
class RunIds {
public:
    RunIds() = default;
    /// @param ends end of each id in the text of all
    RunIds(std::string text, std::vector<std::uint32_t> ends);

    [[nodiscard]] std::size_t size() const { return m_ends.size(); }
    [[nodiscard]] RunId at(std::size_t place) const { return RunId(std::string(textAt(place))); }
    /// Its place; -1 where it is not in the listing.
    [[nodiscard]] int find(const RunId& id) const;
    bool operator==(const RunIds& other) const { return m_text == other.m_text && m_ends == other.m_ends; }

private:
    [[nodiscard]] std::string_view textAt(std::size_t place) const {
        const std::size_t begin = place == 0 ? 0 : m_ends[place - 1];
        return std::string_view(m_text).substr(begin, m_ends[place] - begin);
    }
    /// The cell of m_table with the id, or the empty one for it.
    [[nodiscard]] std::size_t cellOf(std::string_view id) const;

    std::string m_text;
    std::vector<std::uint32_t> m_ends;
    std::vector<std::uint32_t> m_table;  // places + 1 by hash, at least twice as many cells as ids
};

/// One figure over the runs that have it as a finite number.
struct FigureSummary {
    std::int64_t numKnown = 0;
    double least = 0, greatest = 0, mean = 0, median = 0;
};

/// Runs with the same value of RunQuery::groupBy.
struct RunGroup {
    CellValue value;  ///< absent: the runs without one
    std::int64_t count = 0, ran = 0, failed = 0;
    std::vector<FigureSummary> figures;  ///< in the order of the question
};

struct RunListing {
    std::vector<std::int64_t> keys;  ///< of the rows of the index, for RunStore::rows; valid until the index is rebuilt
    RunIds ids;
    RunCounts counts;
    std::int64_t numInScope = 0;  ///< regardless of the filter
    FigureSummary figure;         ///< of RunQuery::figure
    double greatestInScope = 0;   ///< its greatest value, regardless of the filter; 0: none
};

}  // namespace slipway
