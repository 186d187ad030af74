// Storing a batch of stream records: attempts, events, and points in chunks.
#include "core/store/chunk.h"
#include "core/store/store_impl.h"

#include <algorithm>
#include <map>

namespace slipway {

using store::guarded;
using store::Points;
using store::Query;
using store::WriteTransaction;

namespace {

std::int64_t metricId(store::Database& db, const std::string& name) {
    if (const auto known = store::knownMetric(db, name)) return *known;
    db.query("INSERT INTO metric_names (name) VALUES (?)").bind(1, name).run();
    return db.lastRowId();
}

/// Collects the points of a batch per attempt and metric, in stream order.
class Collector {
public:
    using Key = std::pair<std::int64_t, std::string>;

    void beginStep() { m_next = 0; }
    void add(std::int64_t attempt, const std::string& metric, std::int64_t step, double value) {
        Points& points = pointsOf(attempt, metric);
        if (!points.steps.empty() && step <= points.steps.back()) {
            store::mergePoints(points, {{step}, {value}});
            return;
        }
        points.steps.push_back(step);
        points.values.push_back(value);
    }
    [[nodiscard]] const std::map<Key, Points>& all() const { return m_points; }

private:
    /// Steps mostly have the metrics of the previous step, in the same order.
    Points& pointsOf(std::int64_t attempt, const std::string& metric) {
        const std::size_t place = m_next++;
        if (place < m_order.size() && m_order[place]->first.second == metric && m_order[place]->first.first == attempt)
            return m_order[place]->second;
        auto& found = *m_points.try_emplace(Key{attempt, metric}).first;
        if (place >= m_order.size()) m_order.resize(place + 1);
        m_order[place] = &found;
        return found.second;
    }

    std::map<Key, Points> m_points;
    std::vector<std::map<Key, Points>::value_type*> m_order;  // of the newest step's metrics
    std::size_t m_next = 0;
};

void insertPoints(store::Database& db, const store::CurveKey& key, const Points& points, std::size_t from,
                  std::size_t to) {
    Query query = db.query(
        "INSERT INTO metric_chunks (run, attempt, metric, first_step, last_step, num_points, points) VALUES (?, ?, ?, ?, ?, ?, ?)");
    query.bind(1, key.run)
        .bind(2, key.attempt)
        .bind(3, key.metric)
        .bind(4, points.steps[from])
        .bind(5, points.steps[to - 1])
        .bind(6, static_cast<std::int64_t>(to - from));
    query.bindBlob(7, store::packPoints(points, from, to)).run();
}

/// Writes points from a chunk's first one on: full chunks with their levels, and what is left as whole pieces of kTailPoints and a tail.
Result<void> writeChunks(store::Database& db, const store::CurveKey& key, const Points& points) {
    for (std::size_t from = 0; from < points.steps.size(); from += store::kChunkPoints) {
        const std::size_t to = std::min(from + store::kChunkPoints, points.steps.size());
        if (to - from < store::kChunkPoints) {
            const std::size_t tail = to - (to - from) % store::kTailPoints;
            if (tail > from) insertPoints(db, key, points, from, tail);
            if (to > tail) insertPoints(db, key, points, tail, to);
            return {};
        }
        insertPoints(db, key, points, from, to);
        if (auto written = store::writeLevels(db, key, std::span(points.steps).subspan(from, to - from),
                                              std::span(points.values).subspan(from, to - from));
            !written)
            return written;
    }
    return {};
}

/// Appends the points of a row of metric_chunks.
Result<void> unpackRow(store::Database& db, const SQLite::Column& blob, Points& points) {
    if (store::unpackPoints({static_cast<const char*>(blob.getBlob()), static_cast<std::size_t>(blob.getBytes())},
                            points))
        return {};
    return fail(store::damagedPoints(db));
}

/// Appends points to the last chunk of the metric until it is full, then to new ones; a full chunk gets its levels. Points
/// out of order (a stream that repeats steps) are merged in: a step has one value per attempt, the
/// newest. All chunks but the last are full, in whatever order the points came; the last one is a row or two (kTailPoints).
Result<void> appendPoints(store::Database& db, const store::CurveKey& key, const Points& added) {
    Points points;
    bool fullOnes = false;
    std::int64_t last = 0;  // row read
    std::size_t rows = 0;
    {
        // The row of the first point and all later ones: normally the last one, and only while it is not full.
        Query query = db.query(
            "SELECT points, num_points, last_step, id FROM metric_chunks WHERE run = ?1 AND metric = ?2 AND attempt = ?3 AND first_step >= coalesce((SELECT "
            "max(first_step) FROM metric_chunks WHERE run = ?1 AND metric = ?2 AND attempt = ?3 AND first_step <= ?4), ?4) ORDER BY first_step");
        query.bind(1, key.run).bind(2, key.metric).bind(3, key.attempt).bind(4, added.steps.front());
        while (query.next()) {
            const bool full = query.integer(1) >= static_cast<std::int64_t>(store::kChunkPoints);
            if (full && query.integer(2) < added.steps.front()) continue;
            fullOnes = fullOnes || full;
            last = query.integer(3);
            ++rows;
            if (auto read = unpackRow(db, query.column(0), points); !read) return read;
        }
    }
    const std::int64_t firstRead = points.steps.empty() ? added.steps.front() : points.steps.front();
    const bool follows = rows == 1 && !fullOnes && added.steps.front() > points.steps.back();
    if (follows && points.steps.size() + added.steps.size() < store::kTailPoints) {
        store::mergePoints(points, added);
        db.query("UPDATE metric_chunks SET last_step = ?, num_points = ?, points = ? WHERE id = ?")
            .bind(1, points.steps.back())
            .bind(2, static_cast<std::int64_t>(points.steps.size()))
            .bindBlob(3, store::packPoints(points, 0, points.steps.size()))
            .bind(4, last)
            .run();
        return {};
    }
    if (follows && points.steps.size() % store::kTailPoints == 0 && added.steps.size() < store::kTailPoints) {
        insertPoints(db, key, added, 0, added.steps.size());
        return {};
    }
    std::int64_t from = firstRead;
    {
        // The row before, where the same chunk begins.
        Query query = db.query(
            "SELECT points, first_step FROM metric_chunks WHERE run = ?1 AND metric = ?2 AND attempt = ?3 AND first_step = (SELECT max(first_step) FROM "
            "metric_chunks WHERE run = ?1 AND metric = ?2 AND attempt = ?3 AND first_step < ?4) AND num_points < ?5");
        query.bind(1, key.run).bind(2, key.metric).bind(3, key.attempt).bind(4, firstRead);
        query.bind(5, static_cast<std::int64_t>(store::kChunkPoints));
        if (query.next()) {
            Points before;
            if (auto read = unpackRow(db, query.column(0), before); !read) return read;
            from = query.integer(1);
            store::mergePoints(before, points);
            points = std::move(before);
        }
    }
    if (!points.steps.empty())
        db.query("DELETE FROM metric_chunks WHERE run = ? AND metric = ? AND attempt = ? AND first_step >= ?")
            .bind(1, key.run)
            .bind(2, key.metric)
            .bind(3, key.attempt)
            .bind(4, from)
            .run();
    if (fullOnes) store::dropLevels(db, key, from);
    store::mergePoints(points, added);
    return writeChunks(db, key, points);
}

void storeHeader(store::Database& db, std::int64_t run, const MetricHeader& header) {
    db.query(
          "INSERT INTO attempts (run, attempt, resume_step, world_size, started_unix_ms) VALUES (?, ?, ?, ?, ?) ON CONFLICT (run, attempt) DO UPDATE SET "
          "resume_step = excluded.resume_step, world_size = excluded.world_size, started_unix_ms = excluded.started_unix_ms")
        .bind(1, run)
        .bind(2, header.attempt)
        .bind(3, header.resumeStep)
        .bind(4, header.worldSize)
        .bind(5, header.timeUnixMilliseconds)
        .run();
    db.query(
          "UPDATE runs SET attempts = max(attempts, ?), world_size = coalesce(world_size, nullif(?, 0)) WHERE id = ?")
        .bind(1, header.attempt)
        .bind(2, header.worldSize)
        .bind(3, run)
        .run();
}

void storeEnd(store::Database& db, std::int64_t run, std::int64_t attempt, const MetricEnd& end) {
    db.query(
          "UPDATE attempts SET end_status = ?, exit_code = ?, end_step = ?, ended_unix_ms = ? WHERE run = ? AND attempt = ?")
        .bind(1, end.status)
        .bind(2, std::int64_t{end.exitCode})
        .bind(3, end.step)
        .bind(4, end.timeUnixMilliseconds)
        .bind(5, run)
        .bind(6, attempt)
        .run();
}

void storeEvent(store::Database& db, std::int64_t run, std::int64_t attempt, const MetricEvent& event) {
    db.query("INSERT INTO events (run, attempt, step, name, detail, time_unix_ms) VALUES (?, ?, ?, ?, ?, ?)")
        .bind(1, run)
        .bind(2, attempt)
        .bind(3, event.step)
        .bind(4, event.name)
        .bind(5, event.detail)
        .bind(6, event.timeUnixMilliseconds)
        .run();
}

std::int64_t lastStepOf(store::Database& db, std::int64_t run) {
    Query query = db.query("SELECT last_step FROM runs WHERE id = ?");
    return query.bind(1, run).next() ? query.integer(0) : 0;
}

}  // namespace

Result<std::int64_t> store::applyBatch(Database& db, std::int64_t row, const MetricBatch& batch,
                                       const std::string& file, const StreamCursor& cursor) {
    std::int64_t attempt = cursor.attempt;
    std::int64_t lastStep = lastStepOf(db, row);
    std::int64_t rewinds = cursor.rewinds;
    Collector points;
    for (const MetricRecord& record : batch.records) {
        if (const auto* step = std::get_if<MetricStep>(&record)) {
            points.beginStep();
            for (const auto& [name, value] : step->values) points.add(attempt, name, step->step, value);
            points.add(attempt, "tokens", step->step, static_cast<double>(step->tokens));
            points.add(attempt, "time_unix_ms", step->step, static_cast<double>(step->timeUnixMilliseconds));
            if (step->step <= lastStep) ++rewinds;
            lastStep = std::max(lastStep, step->step);
        } else if (const auto* header = std::get_if<MetricHeader>(&record)) {
            attempt = header->attempt;
            // A later attempt may begin below the last step reached: then its steps are in force.
            lastStep = std::min(lastStep, header->resumeStep);
            ++rewinds;
            storeHeader(db, row, *header);
        } else if (const auto* event = std::get_if<MetricEvent>(&record)) {
            storeEvent(db, row, attempt, *event);
        } else if (const auto* end = std::get_if<MetricEnd>(&record)) {
            storeEnd(db, row, attempt, *end);
        }
    }
    for (const auto& [key, added] : points.all())
        if (auto stored = appendPoints(db, {row, metricId(db, key.second), key.first}, added); !stored)
            return fail(stored.error());
    db.query("UPDATE runs SET last_step = ? WHERE id = ?").bind(1, lastStep).bind(2, row).run();
    db.query(
          "INSERT INTO stream_cursors (run, file, byte_offset, attempt, malformed_lines, inside_line, rewinds) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, file) DO UPDATE SET "
          "byte_offset = excluded.byte_offset, attempt = excluded.attempt, malformed_lines = excluded.malformed_lines, inside_line = excluded.inside_line, "
          "rewinds = excluded.rewinds")
        .bind(1, row)
        .bind(2, file)
        .bind(3, static_cast<std::int64_t>(batch.toOffset))
        .bind(4, attempt)
        .bind(5, cursor.malformedLines + batch.malformedLines)
        .bind(6, std::int64_t{batch.insideLine})
        .bind(7, rewinds)
        .run();
    return lastStep;
}

store::StreamCursor store::cursorOf(Database& db, std::int64_t row, const std::string& file) {
    Query query = db.query(
        "SELECT byte_offset, attempt, malformed_lines, inside_line, rewinds FROM stream_cursors WHERE run = ? AND file = ?");
    if (!query.bind(1, row).bind(2, file).next()) return {};
    return {static_cast<std::uint64_t>(query.integer(0)), query.integer(1), query.integer(2), query.integer(3) != 0,
            query.integer(4)};
}

Result<AppendOutcome> RunStore::append(const RunId& id, const MetricBatch& batch, const std::string& file) {
    return guarded(m_impl->db, [&]() -> Result<AppendOutcome> {
        WriteTransaction transaction(m_impl->db);
        const auto row = m_impl->rowOf(id);
        if (!row) return fail(row.error());
        const store::StreamCursor cursor = store::cursorOf(m_impl->db, *row, file);
        if (cursor.offset != batch.fromOffset) return AppendOutcome{false, cursor.offset, lastStepOf(m_impl->db, *row)};
        const auto lastStep = store::applyBatch(m_impl->db, *row, batch, file, cursor);
        if (!lastStep) return fail(lastStep.error());
        transaction.commit();
        return AppendOutcome{true, batch.toOffset, *lastStep};
    });
}

Result<StreamPosition> RunStore::position(const RunId& id, const std::string& file) {
    return guarded(m_impl->db, [&]() -> Result<StreamPosition> {
        const auto row = m_impl->rowOf(id);
        if (!row) return fail(row.error());
        const store::StreamCursor cursor = store::cursorOf(m_impl->db, *row, file);
        return StreamPosition{cursor.offset, cursor.insideLine, lastStepOf(m_impl->db, *row), cursor.rewinds};
    });
}

Result<std::uint64_t> RunStore::offset(const RunId& id, const std::string& file) {
    const auto stored = position(id, file);
    if (!stored) return fail(stored.error());
    return stored->offset;
}

Result<std::int64_t> RunStore::malformedLines(const RunId& id) {
    return guarded(m_impl->db, [&]() -> Result<std::int64_t> {
        Query query = m_impl->db.query(
            "SELECT coalesce(sum(c.malformed_lines), 0) FROM stream_cursors c JOIN runs r ON r.id = c.run WHERE r.run_id = ?");
        return query.bind(1, id.value).next() ? query.integer(0) : 0;
    });
}

}  // namespace slipway
