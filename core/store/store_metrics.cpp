// RunStore: reading curves, events and attempts.
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

std::string unitOf(const std::string& metric) {
    if (metric == "tokens") return "tokens";
    if (metric == "time_unix_ms") return "ms";
    for (const auto& m : kStepMetrics)
        if (m.name == metric) return std::string(m.unit);
    for (const auto& m : kDerivedMetrics)
        if (m.name == metric) return std::string(m.unit);
    return {};
}

/// Last step of each attempt that is in force: a later attempt supersedes the steps above its resume_step.
std::map<std::int64_t, std::int64_t> limitsInForce(store::Database& db, std::int64_t run) {
    std::map<std::int64_t, std::int64_t> limits;
    std::int64_t limit = kAnyStep;
    Query query = db.query("SELECT attempt, resume_step FROM attempts WHERE run = ? ORDER BY attempt DESC");
    query.bind(1, run);
    while (query.next()) {
        limits[query.integer(0)] = limit;
        limit = std::min(limit, query.integer(1));
    }
    return limits;
}

}  // namespace

Result<MetricSeries> RunStore::Impl::series(const RunId& id, const std::string& metric, std::int64_t from,
                                            std::int64_t to, std::int64_t attempt) {
    const auto run = rowOf(id);
    if (!run) return fail(run.error());
    return store::seriesOf(db, *run, metric, from, to, attempt);
}

Result<MetricSeries> store::seriesOf(Database& db, std::int64_t row, const std::string& metric, std::int64_t from,
                                     std::int64_t to, std::int64_t attempt) {
    const auto limits = limitsInForce(db, row);
    Points points;
    Query query = db.query(
        "SELECT c.attempt, c.points FROM metric_chunks c JOIN metric_names n ON n.id = c.metric WHERE c.run = ? AND n.name = ? AND c.last_step >= ? AND "
        "c.first_step <= ? ORDER BY c.attempt, c.first_step");
    query.bind(1, row).bind(2, metric).bind(3, from).bind(4, to);
    while (query.next()) {
        const std::int64_t of = query.integer(0);
        if (attempt != 0 && of != attempt) continue;
        const SQLite::Column blob = query.column(1);
        Points chunk;
        if (!store::unpackPoints({static_cast<const char*>(blob.getBlob()), static_cast<std::size_t>(blob.getBytes())},
                                 chunk))
            return fail(
                "store_corrupt",
                "A block of metric points in the run index is damaged; `slipway reindex` rebuilds the index from the run folders."_text,
                db.path());
        const auto limit = limits.find(of);
        const std::int64_t last = std::min(to, attempt != 0 || limit == limits.end() ? kAnyStep : limit->second);
        const auto begin = std::lower_bound(chunk.steps.begin(), chunk.steps.end(), from) - chunk.steps.begin();
        const auto end = std::upper_bound(chunk.steps.begin(), chunk.steps.end(), last) - chunk.steps.begin();
        if (begin >= end) continue;
        // Attempts follow each other without overlap, so this appends; a header that lies about resume_step merges.
        Points part{{chunk.steps.begin() + begin, chunk.steps.begin() + end},
                    {chunk.values.begin() + begin, chunk.values.begin() + end}};
        store::mergePoints(points, part);
    }
    return MetricSeries{metric, unitOf(metric), std::move(points.steps), std::move(points.values)};
}

void store::fillFinalEvalLoss(Database& db, std::int64_t row) {
    const auto held = seriesOf(db, row, "eval_loss", std::numeric_limits<std::int64_t>::min(), kAnyStep, 0);
    if (!held || held->empty()) return;  // a damaged block is told where the curve is read
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

Result<ThinSeries> RunStore::window(const RunId& id, const std::string& metric, std::int64_t stepFrom,
                                    std::int64_t stepTo, std::size_t maxPoints) {
    auto part = guarded(m_impl->db, [&] { return m_impl->series(id, metric, stepFrom, stepTo, 0); });
    if (!part) return fail(part.error());
    return thin(*part, maxPoints);
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
