#include "core/store/run_table.h"

#include "core/store/filter_match.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace slipway::store {
namespace {

constexpr std::size_t kRowsBetweenLooks = 1024;  // interval of checks of the stop token

// Fields with a covering index, which a scan of only these reads instead of the wide rows (migration 6).
const std::vector<std::vector<std::string>> kCovered = {
    {"id"},
    {"created", "status", "archived", "deleted", "tokens_per_second_per_device"},
    {"name", "tag", "sweep", "notes", "world_size", "dp", "tp", "pp", "zero_stage", "micro_batch_size",
     "num_micro_batches", "mfu", "memory_peak_bytes", "bubble_fraction", "final_loss"}};

const Error kCancelled{"cancelled", "A newer question took its place.", {}};

/// The index in kCovered, or its size.
std::size_t coverOf(const RunField* field) {
    const auto has = [&](const std::vector<std::string>& names) {
        return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return findRunField(n) == field; });
    };
    return static_cast<std::size_t>(std::find_if(kCovered.begin(), kCovered.end(), has) - kCovered.begin());
}

/// @param values for its work: one allocation for many groups
FigureSummary summaryOf(const RunColumn& figure, std::span<const std::uint32_t> slots, std::vector<double>& values) {
    values.clear();
    for (const std::uint32_t slot : slots)
        if (figure.isKnown(slot) && std::isfinite(figure.number(slot))) values.push_back(figure.number(slot));
    FigureSummary out;
    out.numKnown = static_cast<std::int64_t>(values.size());
    if (values.empty()) return out;
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    out.least = *least;
    out.greatest = *greatest;
    out.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    out.median = values.size() % 2 != 0 ? *middle : (*middle + *std::max_element(values.begin(), middle)) / 2;
    return out;
}

}  // namespace

Result<std::vector<const RunField*>> fieldsNamed(const std::vector<std::string>& names, const char* where) {
    std::vector<const RunField*> out;
    for (const std::string& name : names) {
        out.push_back(findRunField(name));
        if (out.back() == nullptr)
            return fail("unknown_field", "Unknown field %1%2"_text(name, didYouMean(nearestRunField(name))), where);
    }
    return out;
}

const RunColumn& RunTable::column(const char* field) const {
    return m_columns.at(findRunField(field));
}

std::optional<std::size_t> RunTable::slotOf(std::int64_t key) const {
    const auto at = std::lower_bound(m_keys.begin(), m_keys.end(), key);
    return at != m_keys.end() && *at == key ? std::optional<std::size_t>(at - m_keys.begin()) : std::nullopt;
}

/// Fills these columns for the rows selected by `where`, in one scan.
Result<void> RunTable::readColumns(Database& db, Columns& columns, const std::string& where,
                                   const std::stop_token& stop) {
    if (columns.empty()) return {};
    std::string sql = "SELECT r.id";
    bool documents = false;
    std::vector<RunColumn*> into;
    for (auto& [field, column] : columns) {
        sql += ", " + field->expression;
        documents = documents || !field->isWide;
        column.resize(m_keys.size());
        into.push_back(&column);
    }
    SQLite::Statement statement(
        db.raw(), sql + " FROM runs r" + (documents ? " LEFT JOIN run_documents d ON d.run = r.id" : "") + where);
    Query rows(statement);
    std::size_t next = 0;  // rows mostly arrive in key order
    for (std::size_t count = 0; rows.next(); ++count) {
        if (count % kRowsBetweenLooks == 0 && stop.stop_requested()) return fail(kCancelled);
        const std::int64_t key = rows.integer(0);
        if (next >= m_keys.size() || m_keys[next] != key) {
            const auto slot = slotOf(key);
            if (!slot) continue;  // added since the keys were read: the next refresh has it
            next = *slot;
        }
        for (std::size_t i = 0; i < into.size(); ++i) into[i]->set(next, rows.column(static_cast<int>(i) + 1));
        ++next;
    }
    return {};
}

Result<void> RunTable::load(Database& db, const std::vector<const RunField*>& fields, const std::stop_token& stop) {
    if (auto fresh = refresh(db, stop); !fresh) return fresh;
    std::vector<Columns> parts(kCovered.size() + 1);
    for (const RunField* field : fields)
        if (!m_columns.contains(field)) parts[coverOf(field)].emplace(field, field->kind);
    for (Columns& part : parts) {
        if (auto read = readColumns(db, part, "", stop); !read) return read;
        m_columns.merge(part);
    }
    return {};
}

/// Reads the rows changed since the last time; starts over if rows were deleted.
Result<void> RunTable::refresh(Database& db, const std::stop_token& stop) {
    const auto numberOf = [&](const char* sql) {
        Query query = db.query(sql);
        return query.next() ? query.integer(0) : 0;
    };
    const std::int64_t changes = numberOf("SELECT changes FROM index_state");
    if (m_generation == db.generation() && m_changes == changes) return {};
    m_grouping = {};
    if (m_generation == db.generation() && m_changes < changes) {
        {
            // The + makes SQLite sort these few ids; otherwise it reads all wide rows in their order.
            Query query = db.query("SELECT id FROM runs WHERE changed > ? ORDER BY +id");
            query.bind(1, m_changes);
            const std::int64_t last = m_keys.empty() ? 0 : m_keys.back();
            while (query.next())
                if (query.integer(0) > last) m_keys.push_back(query.integer(0));
        }
        if (auto read = readColumns(db, m_columns, " WHERE r.changed > " + std::to_string(m_changes), stop); !read)
            return read;
        std::erase_if(m_columns, [](const auto& entry) { return entry.second.isWorn(); });
        m_changes = changes;
        if (numberOf("SELECT count(*) FROM runs") == static_cast<std::int64_t>(m_keys.size())) return {};
    }
    m_columns.clear();
    m_keys.clear();
    m_newestFirst.clear();
    Query query = db.query("SELECT id FROM runs");  // from an index: sorting costs less than reading the wide rows
    while (query.next()) m_keys.push_back(query.integer(0));
    std::sort(m_keys.begin(), m_keys.end());
    m_generation = db.generation();
    m_changes = changes;
    return {};
}

void RunTable::sortNewestFirst() {
    const auto keys = column("created").sortKeys(true);
    const auto isBefore = [&](std::uint32_t a, std::uint32_t b) {
        return keys[a] != keys[b] ? keys[a] < keys[b] : a > b;
    };
    std::vector<std::uint32_t>& order = m_newestFirst;
    if (order.size() == keys.size() && std::is_sorted(order.begin(), order.end(), isBefore)) return;
    order.resize(keys.size());
    std::iota(order.rbegin(), order.rend(), 0U);
    std::sort(order.begin(), order.end(), isBefore);
}

Mask RunTable::scopeOf(RunScope scope) const {
    Mask out(m_keys.size(), 1);
    if (scope == RunScope::All) return out;
    const RunColumn &archived = column("archived"), &deleted = column("deleted");
    for (std::size_t i = 0; i < out.size(); ++i) {
        const bool isDeleted = deleted.number(i) != 0, isArchived = archived.number(i) != 0;
        out[i] = scope == RunScope::Trash ? isDeleted : !isDeleted && isArchived == (scope == RunScope::Archived);
    }
    return out;
}

std::vector<std::uint32_t> RunTable::ordered(const Mask& mask, const std::vector<SortKey>& sort) const {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t slot : m_newestFirst)
        if (mask[slot] != 0) out.push_back(slot);
    if (sort.empty()) return out;
    // The last key first, each sort preserving the order of the previous ones; keys are stored next to their slots.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> places(out.size());
    for (auto key = sort.rbegin(); key != sort.rend(); ++key) {
        const auto keys = m_columns.at(findRunField(key->field)).sortKeys(key->descending);
        for (std::size_t i = 0; i < out.size(); ++i) places[i] = {keys[out[i]], out[i]};
        std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = places[i].second;
    }
    return out;
}

RunCounts RunTable::countsOf(const std::vector<std::uint32_t>& slots) const {
    const RunColumn& status = column("status");
    std::vector<std::pair<std::string_view, std::int64_t>> words;  // a handful, each stored once
    for (const std::uint32_t slot : slots) {
        const std::string_view word = status.text(slot);
        auto found =
            std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.first.data() == word.data(); });
        if (found == words.end()) found = words.insert(words.end(), {word, 0});
        ++found->second;
    }
    constexpr std::int64_t RunCounts::*kByStatus[] = {&RunCounts::planned,   &RunCounts::queued, &RunCounts::running,
                                                      &RunCounts::completed, &RunCounts::failed, &RunCounts::cancelled,
                                                      &RunCounts::lost};
    RunCounts out;
    out.total = static_cast<std::int64_t>(slots.size());
    for (const auto& [word, count] : words)
        if (const auto known = runStatusFrom(std::string(word)))
            out.*kByStatus[static_cast<std::size_t>(*known)] += count;
    return out;
}

RunIds RunTable::idsOf(const std::vector<std::uint32_t>& slots) const {
    const RunColumn& ids = column("id");
    std::string text;
    std::vector<std::uint32_t> ends;
    ends.reserve(slots.size());
    for (const std::uint32_t slot : slots) {
        text += ids.text(slot);
        ends.push_back(static_cast<std::uint32_t>(text.size()));
    }
    return {std::move(text), std::move(ends)};
}

void RunTable::orderByGroup(const RunField* field) {
    if (m_grouping.by == field) return;
    const auto keys = m_columns.at(field).sortKeys(false);
    m_grouping = {field, std::vector<std::uint32_t>(m_keys.size()), std::vector<std::uint32_t>(m_keys.size())};
    auto& [of, slots, groups] = m_grouping;
    std::iota(slots.begin(), slots.end(), 0U);
    std::sort(slots.begin(), slots.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    for (std::size_t i = 1; i < slots.size(); ++i)
        groups[i] = groups[i - 1] + (keys[slots[i]] != keys[slots[i - 1]] ? 1 : 0);
}

Result<std::vector<RunGroup>> RunTable::groups(Database& db, const RunQuery& query,
                                               const std::vector<std::string>& figures, const std::stop_token& stop) {
    const RunField* field = findRunField(query.groupBy);
    RunQuery matching = query;
    matching.sort.clear();  // groups have their own order
    matching.figure.clear();
    const auto found = find(db, matching, figures, stop);
    if (!found) return fail(found.error());
    const Mask& mask = found->matching;
    if (field == nullptr) return std::vector<RunGroup>();
    orderByGroup(field);
    std::vector<std::uint32_t> slots;
    std::vector<std::size_t> begins;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < m_grouping.slots.size(); ++i) {
        if (mask[m_grouping.slots[i]] == 0) continue;
        if (begins.empty() || m_grouping.groups[i] != last) begins.push_back(slots.size());
        last = m_grouping.groups[i];
        slots.push_back(m_grouping.slots[i]);
    }
    begins.push_back(slots.size());
    const RunColumn &by = m_columns.at(field), &status = column("status");
    std::vector<const RunColumn*> columns;
    for (const std::string& figure : figures) columns.push_back(&m_columns.at(findRunField(figure)));
    std::vector<RunGroup> out(begins.size() - 1);
    const std::string completed = wordOf(RunStatus::Completed), failed = wordOf(RunStatus::Failed),
                      lost = wordOf(RunStatus::Lost);
    std::vector<double> values;
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (i % kRowsBetweenLooks == 0 && stop.stop_requested()) return fail(kCancelled);
        const auto members = std::span(slots).subspan(begins[i], begins[i + 1] - begins[i]);
        RunGroup& group = out[i];
        if (by.isKnown(members.front()))
            group.value = by.isNumeric() ? CellValue(by.number(members.front()))
                                         : CellValue(std::string(by.text(members.front())));
        group.count = static_cast<std::int64_t>(members.size());
        for (const std::uint32_t slot : members) {
            const std::string_view word = status.text(slot);
            group.ran += word == completed ? 1 : 0;
            group.failed += word == failed || word == lost ? 1 : 0;
        }
        group.figures.resize(columns.size());
        for (std::size_t f = 0; f < columns.size(); ++f)
            if (columns[f]->isNumeric()) group.figures[f] = summaryOf(*columns[f], members, values);
    }
    std::stable_sort(out.begin(), out.end(), [](const RunGroup& a, const RunGroup& b) { return a.count > b.count; });
    return out;
}

Result<RunTable::Matches> RunTable::find(Database& db, const RunQuery& query, const std::vector<std::string>& names,
                                         const std::stop_token& stop) {
    auto filter = parseRunFilter(query.filter);
    if (!filter) return fail(toError(filter.error()));
    const bool widens = filter->mentions("archived") || filter->mentions("deleted");
    const RunScope scope = widens ? RunScope::All : query.scope;
    std::vector<const RunField*> needed{findRunField("status"), findRunField("archived"), findRunField("deleted")};
    addFieldsOf(filter->root, needed);
    std::vector<std::string> sorted, others = names;
    for (const SortKey& key : query.sort) sorted.push_back(key.field);
    for (const std::string& name : {query.figure, query.groupBy})
        if (!name.empty()) others.push_back(name);
    for (const auto& fields : {fieldsNamed(sorted, "sort"), fieldsNamed(others)}) {
        if (!fields) return fail(fields.error());
        needed.insert(needed.end(), fields->begin(), fields->end());
    }
    if (auto loaded = load(db, needed, stop); !loaded) return fail(loaded.error());
    Matches out;
    out.inScope = scopeOf(scope);
    out.matching = matchesOf(
        *filter, [this](const RunField& field) -> const RunColumn& { return m_columns.at(&field); }, m_keys.size(),
        query.nowUnixMilliseconds);
    for (std::size_t i = 0; i < out.matching.size(); ++i) out.matching[i] &= out.inScope[i];
    if (stop.stop_requested()) return fail(kCancelled);
    return out;
}

Result<RunCounts> RunTable::counts(Database& db, const RunQuery& query, const std::stop_token& stop) {
    const auto matches = find(db, query, {}, stop);
    if (!matches) return fail(matches.error());
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; slot < matches->matching.size(); ++slot)
        if (matches->matching[slot] != 0) slots.push_back(slot);
    return countsOf(slots);
}

Result<RunListing> RunTable::listing(Database& db, const RunQuery& query, const std::stop_token& stop) {
    auto found = find(db, query, {"id", "created"}, stop);
    if (!found) return fail(found.error());
    const auto& [inScope, mask] = *found;
    sortNewestFirst();
    const auto slots = ordered(mask, query.sort);
    RunListing out;
    out.numInScope = std::count(inScope.begin(), inScope.end(), 1);
    out.counts = countsOf(slots);
    const RunColumn* figure = query.figure.empty() ? nullptr : &m_columns.at(findRunField(query.figure));
    if (figure != nullptr && figure->isNumeric()) {
        std::vector<double> values;
        out.figure = summaryOf(*figure, slots, values);
        for (std::size_t i = 0; i < inScope.size(); ++i)
            if (inScope[i] != 0 && figure->isKnown(i) && std::isfinite(figure->number(i)))
                out.greatestInScope = std::max(out.greatestInScope, figure->number(i));
    }
    out.keys.reserve(slots.size());
    for (const std::uint32_t slot : slots) out.keys.push_back(m_keys[slot]);
    out.ids = idsOf(slots);
    return out;
}

}  // namespace slipway::store
