// All runs of the index as columns in memory, read on first use and kept up to date row by row: filters, sorts and
// groups of 100,000 runs take milliseconds and do not touch pages of documents or points. Private to this room.
#pragma once

#include "core/store/database.h"
#include "core/store/run_column.h"
#include "core/store/run_filter.h"
#include "core/store/run_listing.h"

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::store {

/// "unknown_field" with the nearest one. @param where their origin: "columns", "sort"
Result<std::vector<const RunField*>> fieldsNamed(const std::vector<std::string>& names, const char* where = "columns");

class RunTable {
public:
    /// The matching runs, in order, with their counts. Errors: of the filter, of unknown fields, and "cancelled".
    Result<RunListing> listing(Database& db, const RunQuery& query, const std::stop_token& stop);
    /// Their counts alone.
    Result<RunCounts> counts(Database& db, const RunQuery& query, const std::stop_token& stop);
    /// Their groups by query.groupBy, the largest first.
    Result<std::vector<RunGroup>> groups(Database& db, const RunQuery& query, const std::vector<std::string>& figures,
                                         const std::stop_token& stop);
    /// Preloads columns.
    Result<void> load(Database& db, const std::vector<const RunField*>& fields, const std::stop_token& stop);

private:
    using Columns = std::map<const RunField*, RunColumn>;

    struct Matches {
        Mask inScope, matching;
    };
    /// @param names fields that are read too
    Result<Matches> find(Database& db, const RunQuery& query, const std::vector<std::string>& names,
                         const std::stop_token& stop);
    Result<void> refresh(Database& db, const std::stop_token& stop);
    Result<void> readColumns(Database& db, Columns& columns, const std::string& where, const std::stop_token& stop);
    void sortNewestFirst();
    [[nodiscard]] const RunColumn& column(const char* field) const;
    [[nodiscard]] std::optional<std::size_t> slotOf(std::int64_t key) const;
    [[nodiscard]] Mask scopeOf(RunScope scope) const;
    [[nodiscard]] std::vector<std::uint32_t> ordered(const Mask& mask, const std::vector<SortKey>& sort) const;
    [[nodiscard]] RunCounts countsOf(const std::vector<std::uint32_t>& slots) const;
    [[nodiscard]] RunIds idsOf(const std::vector<std::uint32_t>& slots) const;
    void orderByGroup(const RunField* by);

    std::int64_t m_generation = -1;    // of the connection: a different file has different rows
    std::int64_t m_changes = -1;       // index_state.changes of the columns
    std::vector<std::int64_t> m_keys;  // of the slots, ascending
    Columns m_columns;
    std::vector<std::uint32_t> m_newestFirst;  // slots
    /// The slots by group, until a row changes or another field is asked for.
    struct Grouping {
        const RunField* by = nullptr;
        std::vector<std::uint32_t> slots, groups;
    } m_grouping;
};

}  // namespace slipway::store
