// RunStore: reading curves, events and attempts.
#include "core/base/error_of.h"
#include "core/metrics/series_pieces.h"
#include "core/spec/metric_names.h"
#include "core/store/chunk.h"
#include "core/store/migrations.h"
#include "core/store/store_impl.h"

#include <algorithm>
#include <limits>
#include <map>

namespace slipway {

using store::guarded;
using store::Points;
using store::Query;

namespace {

constexpr std::int64_t kAnyStep = std::numeric_limits<std::int64_t>::max();

/// Whether the chunks in force are in step order; not after a header with a wrong resume_step or in a repeated attempt.
bool areChunksInOrder(store::Database& db, std::int64_t row, std::int64_t metric,
                      const std::map<std::int64_t, std::int64_t>& limits) {
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (const auto& [attempt, limit] : limits) {
        Query query = db.query(
            "SELECT min(first_step), max(last_step) FROM metric_chunks WHERE run = ? AND metric = ? AND attempt = ? AND first_step <= ?");
        query.bind(1, row).bind(2, metric).bind(3, attempt).bind(4, limit);
        if (!query.next() || !query.optionalInteger(0)) continue;
        if (query.integer(0) <= last) return false;
        last = std::min(query.integer(1), limit);
    }
    return true;
}

/// The points in force, a chunk at a time; all at once if chunks must be merged.
Result<void> eachPieceInForce(store::Database& db, std::int64_t row, const std::string& name,
                              const std::function<void(std::span<const std::int64_t>, std::span<const double>)>& take) {
    const auto metric = store::knownMetric(db, name);
    if (!metric) return {};
    const auto limits = store::attemptsInForce(db, row);
    if (!areChunksInOrder(db, row, *metric, limits)) {
        const auto whole = store::seriesOf(db, row, name, std::numeric_limits<std::int64_t>::min(), kAnyStep, 0);
        if (!whole) return fail(whole.error());
        take(whole->steps, whole->values);
        return {};
    }
    for (const auto& [attempt, limit] : limits) {
        auto read = store::eachChunk(db, {row, *metric, attempt}, std::numeric_limits<std::int64_t>::min(), limit,
                                     [&](Points&& chunk) { take(chunk.steps, chunk.values); });
        if (!read) return read;
    }
    return {};
}

}  // namespace

Result<MetricSeries> RunStore::Impl::series(const RunId& id, const std::string& metric, std::int64_t from,
                                            std::int64_t to, std::int64_t attempt) {
    const auto run = rowOf(id);
    if (!run) return fail(run.error());
    return store::seriesOf(db, *run, metric, from, to, attempt);
}

std::string store::unitOf(const std::string& metric) {
    if (metric == "tokens") return "tokens";
    if (metric == "time_unix_ms") return "ms";
    for (const auto& m : kStepMetrics)
        if (m.name == metric) return std::string(m.unit);
    for (const auto& m : kDerivedMetrics)
        if (m.name == metric) return std::string(m.unit);
    return {};
}

std::map<std::int64_t, std::int64_t> store::attemptsInForce(Database& db, std::int64_t run) {
    std::map<std::int64_t, std::int64_t> limits{{1, kAnyStep}};  // a stream without header is the first attempt
    std::int64_t limit = kAnyStep;
    Query query = db.query("SELECT attempt, resume_step FROM attempts WHERE run = ? ORDER BY attempt DESC");
    query.bind(1, run);
    while (query.next()) {
        limits[query.integer(0)] = limit;
        limit = std::min(limit, query.integer(1));
    }
    return limits;
}

std::optional<std::int64_t> store::knownMetric(Database& db, const std::string& name) {
    Query query = db.query("SELECT id FROM metric_names WHERE name = ?");
    return query.bind(1, name).next() ? std::optional(query.integer(0)) : std::nullopt;
}

Error store::damagedPoints(const Database& db) {
    return errorOf(
        "store_corrupt",
        "A block of metric points in the run index is damaged. Nothing was changed; `slipway reindex` rebuilds the index from the run folders."_text,
        db.path());
}

Result<void> store::eachChunk(Database& db, const CurveKey& key, std::int64_t from, std::int64_t to,
                              const std::function<void(Points&&)>& take) {
    Query query = db.query(
        "SELECT points FROM metric_chunks WHERE run = ?1 AND metric = ?2 AND attempt = ?3 AND first_step <= ?5 AND first_step >= "
        "coalesce((SELECT max(first_step) FROM metric_chunks WHERE run = ?1 AND metric = ?2 AND attempt = ?3 AND first_step <= ?4), ?4) ORDER BY first_step");
    query.bind(1, key.run).bind(2, key.metric).bind(3, key.attempt).bind(4, from).bind(5, to);
    while (query.next()) {
        const SQLite::Column blob = query.column(0);
        Points chunk;
        if (!unpackPoints({static_cast<const char*>(blob.getBlob()), static_cast<std::size_t>(blob.getBytes())}, chunk))
            return fail(damagedPoints(db));
        const auto begin = std::lower_bound(chunk.steps.begin(), chunk.steps.end(), from) - chunk.steps.begin();
        const auto end = std::upper_bound(chunk.steps.begin(), chunk.steps.end(), to) - chunk.steps.begin();
        if (begin >= end) continue;
        take({{chunk.steps.begin() + begin, chunk.steps.begin() + end},
              {chunk.values.begin() + begin, chunk.values.begin() + end}});
    }
    return {};
}

Result<void> store::readPoints(Database& db, const CurveKey& key, std::int64_t from, std::int64_t to, Points& out) {
    // Chunks and attempts are in step order, so this appends; after a header with a wrong resume_step it merges.
    return eachChunk(db, key, from, to, [&](Points&& chunk) { mergePoints(out, chunk); });
}

Result<MetricSeries> store::seriesOf(Database& db, std::int64_t row, const std::string& metric, std::int64_t from,
                                     std::int64_t to, std::int64_t attempt) {
    Points points;
    const auto known = knownMetric(db, metric);
    const bool isWhole = from == std::numeric_limits<std::int64_t>::min() && to == kAnyStep;
    if (known && isWhole) {
        Query query = db.query("SELECT coalesce(sum(num_points), 0) FROM metric_chunks WHERE run = ? AND metric = ?");
        query.bind(1, row).bind(2, *known);
        // At most a run of 67 million steps: the number may be damaged.
        const auto count = static_cast<std::size_t>(
            query.next() ? std::clamp<std::int64_t>(query.integer(0), 0, std::int64_t{1} << 26) : 0);
        points.steps.reserve(count);  // otherwise a long series takes half as long again
        points.values.reserve(count);
    }
    const auto limits =
        attempt != 0 ? std::map<std::int64_t, std::int64_t>{{attempt, kAnyStep}} : attemptsInForce(db, row);
    if (known)
        for (const auto& [of, last] : limits)
            if (auto read = readPoints(db, {row, *known, of}, from, std::min(to, last), points); !read)
                return fail(read.error());
    return MetricSeries{metric, unitOf(metric), std::move(points.steps), std::move(points.values)};
}

void store::fillFinalEvalLoss(Database& db, std::int64_t row) {
    const auto held = seriesOf(db, row, "eval_loss", std::numeric_limits<std::int64_t>::min(), kAnyStep, 0);
    if (!held || held->empty()) return;  // a damaged block is reported where the curve is read
    db.query("UPDATE runs SET measured_final_eval_loss = ? WHERE id = ? AND measured_final_eval_loss IS NULL")
        .bind(1, held->values.back())
        .bind(2, row)
        .run();
}

void store::fillAddedColumns(Database& db, int fromVersion) {
    if (fromVersion < 1 || fromVersion >= 2) return;  // 0: a new file
    std::vector<std::int64_t> rows;
    {
        Query query = db.query("SELECT id FROM runs");
        while (query.next()) rows.push_back(query.integer(0));
    }
    for (const std::int64_t row : rows) fillFinalEvalLoss(db, row);
}

Result<std::vector<std::string>> RunStore::metricNames(const RunId& id) {
    return guarded(m_impl->db, [&]() -> Result<std::vector<std::string>> {
        const auto run = m_impl->rowOf(id);
        if (!run) return fail(run.error());
        std::vector<std::string> out;
        Query query = m_impl->db.query(
            "SELECT n.name FROM metric_names n WHERE EXISTS (SELECT 1 FROM metric_chunks c WHERE c.run = ? AND c.metric = n.id) ORDER BY n.name");
        query.bind(1, *run);
        while (query.next()) out.push_back(query.text(0));
        return out;
    });
}

Result<MetricSeries> RunStore::series(const RunId& id, const std::string& metric) {
    return guarded(m_impl->db,
                   [&] { return m_impl->series(id, metric, std::numeric_limits<std::int64_t>::min(), kAnyStep, 0); });
}

Result<MetricSeries> RunStore::attemptSeries(const RunId& id, const std::string& metric, std::int64_t attempt) {
    return guarded(m_impl->db, [&] {
        return m_impl->series(id, metric, std::numeric_limits<std::int64_t>::min(), kAnyStep, attempt);
    });
}

Result<std::vector<MetricSeries>> RunStore::allSeries(const RunId& id) {
    const auto names = metricNames(id);
    if (!names) return fail(names.error());
    std::vector<MetricSeries> out;
    for (const std::string& name : *names) {
        auto one = series(id, name);
        if (!one) return fail(one.error());
        out.push_back(std::move(*one));
    }
    return out;
}

Result<std::optional<RunFigures>> RunStore::measure(const RunId& id, const DeriveBasis& basis) {
    const auto names = metricNames(id);
    if (!names) return fail(names.error());
    if (names->empty()) return std::nullopt;
    return guarded(m_impl->db, [&]() -> Result<std::optional<RunFigures>> {
        const auto row = m_impl->rowOf(id);
        if (!row) return fail(row.error());
        SQLite::Savepoint oneState(m_impl->db.raw(), "measure");  // regardless of concurrent writes
        Result<void> read;
        const RunFigures figures = summarisePieces(
            [&](const std::string& name, const auto& take) {
                if (read) read = eachPieceInForce(m_impl->db, *row, name, take);
            },
            basis);
        oneState.release();
        if (!read) return fail(read.error());
        return figures;
    });
}

Result<PointSizes> RunStore::pointSizes() {
    return guarded(m_impl->db, [&]() -> Result<PointSizes> {
        PointSizes out;
        Query query = m_impl->db.query(
            "SELECT coalesce(sum(pgsize) FILTER (WHERE name LIKE '%metric_chunks%'), 0), coalesce(sum(pgsize) FILTER (WHERE name = 'metric_levels' OR name LIKE '%curve_outlines%'), 0) FROM dbstat");
        if (query.next()) out = {query.integer(0), query.integer(1)};
        return out;
    });
}

Result<std::vector<EventRecord>> RunStore::events(const RunId& id) {
    return guarded(m_impl->db, [&]() -> Result<std::vector<EventRecord>> {
        const auto run = m_impl->rowOf(id);
        if (!run) return fail(run.error());
        std::vector<EventRecord> out;
        Query query =
            m_impl->db.query("SELECT attempt, step, name, detail, time_unix_ms FROM events WHERE run = ? ORDER BY id");
        query.bind(1, *run);
        while (query.next())
            out.push_back({query.integer(0), query.integer(1), query.text(2), query.text(3), query.integer(4)});
        return out;
    });
}

Result<std::vector<AttemptRecord>> RunStore::attempts(const RunId& id) {
    return guarded(m_impl->db, [&]() -> Result<std::vector<AttemptRecord>> {
        const auto run = m_impl->rowOf(id);
        if (!run) return fail(run.error());
        std::vector<AttemptRecord> out;
        Query query = m_impl->db.query(
            "SELECT attempt, resume_step, world_size, started_unix_ms, end_status, exit_code, end_step, ended_unix_ms FROM attempts WHERE run = ? ORDER BY attempt");
        query.bind(1, *run);
        while (query.next()) {
            AttemptRecord a{query.integer(0),         query.integer(1),        query.integer(2),
                            query.integer(3),         query.text(4),           {},
                            query.optionalInteger(6), query.optionalInteger(7)};
            if (const auto code = query.optionalInteger(5)) a.exitCode = static_cast<int>(*code);
            out.push_back(std::move(a));
        }
        return out;
    });
}

}  // namespace slipway
