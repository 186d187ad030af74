// Levels: coarser resolutions of the curves, written with every full chunk of points, and read when a chart would have
// more points than it can show.
#include "core/store/chunk.h"
#include "core/store/levels.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

namespace slipway {

using store::guarded;
using store::kCoarse;
using store::kFine;
using store::kFinePoints;
using store::kOutlineBuckets;
using store::Points;
using store::Query;
using store::WriteTransaction;

namespace {

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
static_assert(std::endian::native == std::endian::little, "buckets are stored in the machine's order");
static_assert(sizeof(SeriesBucket) == 80 && std::is_trivially_copyable_v<SeriesBucket>, "as stored");

/// Steps of one attempt that are read together: a full chunk with its level, or points.
struct Piece {
    store::CurveKey key;
    std::int64_t from = 0, to = 0;      ///< requested steps in force
    std::optional<SeriesBucket> whole;  ///< of level 2; absent: read the points
    std::vector<SeriesBucket> outline;  ///< of all full chunks of the attempt, if it is fine enough
};

/// Builds the curve of a run's metric between two steps.
class CurveReader {
public:
    CurveReader(store::Database& db, std::int64_t run, std::int64_t metric) : m_db(db), m_run(run), m_metric(metric) {}

    /// Finds the pieces; false if attempts overlap (a wrong header), where only points are reliable. @param outlines are fine enough
    Result<bool> find(std::int64_t from, std::int64_t to, bool outlines) {
        std::int64_t before = kFirst;  // last step of the pieces so far
        for (const auto& [attempt, last] : store::attemptsInForce(m_db, m_run)) {
            const store::CurveKey key{m_run, m_metric, attempt};
            const std::int64_t end = std::min(to, last);
            std::vector<SeriesBucket> outline;
            if (outlines && beginsWithin(key, from)) {
                auto stored = store::readOutline(m_db, key);
                if (!stored) return fail(stored.error());
                outline = std::move(*stored);
            }
            std::int64_t lastFull = kFirst;
            if (!outline.empty() && outline.front().firstStep >= from && outline.back().lastStep <= end) {
                if (outline.front().firstStep <= before && before != kFirst) return false;
                before = lastFull = outline.back().lastStep;
                m_outlineWidth = std::max(m_outlineWidth, static_cast<std::size_t>(outline.front().count));
                m_pieces.push_back({key, outline.front().firstStep, before, {}, std::move(outline)});
            } else if (auto added = findFull(key, from, end, before); !added) {
                return fail(added.error());
            } else if (!*added) {
                return false;
            } else {
                lastFull = **added;
            }
            const auto tail = tailOf(key, lastFull, from, end);
            if (!tail) continue;
            if (tail->from <= before && before != kFirst) return false;
            m_pieces.push_back(*tail);
            before = tail->to;
        }
        return true;
    }

    /// The pieces at the finest level with not many more buckets than maxBuckets.
    Result<ThinSeries> read(std::size_t maxBuckets) {
        const auto chunks = static_cast<std::size_t>(
            std::count_if(m_pieces.begin(), m_pieces.end(), [](const Piece& p) { return p.whole.has_value(); }));
        const bool outlined = m_outlineWidth > 0;
        const bool points = !outlined && chunks * store::kChunkPoints <= maxBuckets * kFinePoints;
        // With what is before the first full chunk, and after the last.
        const bool coarse = outlined ? m_outlineWidth >= store::kChunkPoints : chunks + 2 >= maxBuckets;
        for (const Piece& piece : m_pieces) {
            ThinSeries part;
            if (!piece.outline.empty()) {
                if (auto added = addOutline(piece, part); !added) return fail(added.error());
            } else if (piece.whole && !points) {
                if (auto added = addFull(piece, coarse, part); !added) return fail(added.error());
            } else {
                const auto read = pointsOf(piece);
                if (!read) return fail(read.error());
                part = thin(*read, read->size());
                const std::size_t width = outlined ? m_outlineWidth : coarse ? read->size() : kFinePoints;
                if (!points) part.buckets = bucketsOf(read->steps, read->values, width);
                part.raw = points;
            }
            append(m_out, part);
        }
        if (!points || m_out.buckets.size() > maxBuckets) m_out = thin(m_out, maxBuckets);
        return std::move(m_out);
    }

private:
    [[nodiscard]] bool beginsWithin(const store::CurveKey& key, std::int64_t from) {
        Query query =
            m_db.query("SELECT min(first_step) FROM metric_chunks WHERE run = ? AND metric = ? AND attempt = ?");
        return query.bind(1, key.run).bind(2, key.metric).bind(3, key.attempt).next() && !query.isNull(0) &&
               query.integer(0) >= from;
    }

    /// Adds the full chunks of an attempt, chunk by chunk. The first step of the last one, or kFirst; nothing if attempts overlap.
    Result<std::optional<std::int64_t>> findFull(const store::CurveKey& key, std::int64_t from, std::int64_t to,
                                                 std::int64_t& before) {
        const auto full = store::readLevel(m_db, key, kCoarse, from, to);
        if (!full) return fail(full.error());
        for (const SeriesBucket& bucket : *full) {
            if (bucket.lastStep < from) continue;
            if (bucket.firstStep <= before && before != kFirst) return std::nullopt;
            const bool complete = bucket.firstStep >= from && bucket.lastStep <= to;
            m_pieces.push_back({key,
                                std::max(from, bucket.firstStep),
                                std::min(to, bucket.lastStep),
                                complete ? std::optional(bucket) : std::nullopt,
                                {}});
            before = m_pieces.back().to;
        }
        return full->empty() ? kFirst : full->back().firstStep;
    }

    /// What is after the full chunks: at most one chunk.
    [[nodiscard]] std::optional<Piece> tailOf(const store::CurveKey& key, std::int64_t lastFull, std::int64_t from,
                                              std::int64_t to) {
        Query query = m_db.query(
            "SELECT min(first_step), max(last_step) FROM metric_chunks WHERE run = ? AND metric = ? AND attempt = ? AND first_step > ? AND first_step <= ?");
        query.bind(1, key.run).bind(2, key.metric).bind(3, key.attempt).bind(4, lastFull).bind(5, to);
        if (!query.next() || query.isNull(0)) return {};
        const Piece tail{key, std::max(from, query.integer(0)), std::min(to, query.integer(1)), {}, {}};
        return tail.from > tail.to ? std::nullopt : std::optional(tail);
    }

    Result<MetricSeries> pointsOf(const Piece& piece) {
        Points points;
        if (auto read = store::readPoints(m_db, piece.key, piece.from, piece.to, points); !read)
            return fail(read.error());
        return MetricSeries{{}, {}, std::move(points.steps), std::move(points.values)};
    }

    Result<void> addFull(const Piece& piece, bool coarse, ThinSeries& part) {
        part.totalPoints = piece.whole->count;
        part.totalNonFinite = piece.whole->nonFinite;
        part.buckets = {*piece.whole};
        if (!coarse) {
            auto fine = store::readLevel(m_db, piece.key, kFine, piece.from, piece.to);
            if (fine && fine->empty()) fine = store::readOutline(m_db, piece.key);  // the only chunk
            if (!fine) return fail(fine.error());
            if (fine->empty()) return fail(store::damagedPoints(m_db));
            part.buckets = std::move(*fine);
        }
        return part.totalNonFinite == 0 ? Result<void>() : addNonFinite(piece, part);
    }

    Result<void> addOutline(const Piece& piece, ThinSeries& part) {
        part.buckets = piece.outline;
        for (const SeriesBucket& bucket : piece.outline) {
            part.totalPoints += bucket.count;
            part.totalNonFinite += bucket.nonFinite;
            if (bucket.nonFinite == 0) continue;
            if (auto added = addNonFinite({piece.key, bucket.firstStep, bucket.lastStep, {}, {}}, part); !added)
                return added;
        }
        return {};
    }

    /// Point by point.
    Result<void> addNonFinite(const Piece& piece, ThinSeries& part) {
        if (m_out.nonFinite.size() + part.nonFinite.size() >= ThinSeries::kMaxNonFinite) return {};
        const auto read = pointsOf(piece);
        if (!read) return fail(read.error());
        for (const NonFinitePoint& point : thin(*read, 1).nonFinite)
            if (part.nonFinite.size() < ThinSeries::kMaxNonFinite) part.nonFinite.push_back(point);
        return {};
    }

    store::Database& m_db;
    std::int64_t m_run;
    std::int64_t m_metric;
    std::vector<Piece> m_pieces;
    std::size_t m_outlineWidth = 0;  ///< points of a bucket of the widest outline read; 0: none
    ThinSeries m_out;
};

/// Whether the curve has few enough points to read them all for so many buckets. Answered by the index of the chunks alone, so that a
/// short curve is read without its levels, which on a disk are as many pages again as its points.
bool isShort(store::Database& db, std::int64_t run, std::int64_t metric, std::size_t maxBuckets) {
    const auto most = static_cast<std::int64_t>(maxBuckets * kFinePoints / store::kChunkPoints);
    Query query = db.query("SELECT count(*) FROM (SELECT 1 FROM metric_chunks WHERE run = ? AND metric = ? LIMIT ?)");
    return query.bind(1, run).bind(2, metric).bind(3, most + 1).next() && query.integer(0) <= most;
}

}  // namespace

std::string store::packBuckets(const std::vector<SeriesBucket>& buckets) {
    std::string bytes(buckets.size() * sizeof(SeriesBucket), '\0');
    std::memcpy(bytes.data(), buckets.data(), bytes.size());
    return bytes;
}

bool store::unpackBuckets(const SQLite::Column& blob, std::vector<SeriesBucket>& out) {
    const auto bytes = static_cast<std::size_t>(blob.getBytes());
    if (bytes == 0 || bytes % sizeof(SeriesBucket) != 0) return false;
    const std::size_t before = out.size();
    out.resize(before + bytes / sizeof(SeriesBucket));
    std::memcpy(static_cast<void*>(out.data() + before), blob.getBlob(), bytes);
    return true;
}

void store::writeLevel(Database& db, const CurveKey& key, int level, const std::vector<SeriesBucket>& buckets) {
    db.query(
          "INSERT OR REPLACE INTO metric_levels (run, metric, attempt, level, first_step, buckets) VALUES (?, ?, ?, ?, ?, ?)")
        .bind(1, key.run)
        .bind(2, key.metric)
        .bind(3, key.attempt)
        .bind(4, std::int64_t{level})
        .bind(5, buckets.front().firstStep)
        .bindBlob(6, packBuckets(buckets))
        .run();
}

Result<std::vector<SeriesBucket>> store::readLevel(Database& db, const CurveKey& key, int level, std::int64_t from,
                                                   std::int64_t to) {
    std::vector<SeriesBucket> out;
    Query query = db.query(
        "SELECT buckets FROM metric_levels WHERE run = ?1 AND metric = ?2 AND attempt = ?3 AND level = ?4 AND first_step <= ?6 AND first_step >= "
        "coalesce((SELECT max(first_step) FROM metric_levels WHERE run = ?1 AND metric = ?2 AND attempt = ?3 AND level = ?4 AND first_step <= ?5), ?5) "
        "ORDER BY first_step");
    query.bind(1, key.run).bind(2, key.metric).bind(3, key.attempt).bind(4, std::int64_t{level});
    query.bind(5, from).bind(6, to);
    while (query.next()) {
        if (!unpackBuckets(query.column(0), out)) return fail(damagedPoints(db));
    }
    return out;
}

bool store::hasLevelBacklog(Database& db) {
    return db.query("SELECT 1 FROM level_backlog LIMIT 1").next();
}

Result<void> store::writeLevels(Database& db, const CurveKey& key, std::span<const std::int64_t> steps,
                                std::span<const double> values) {
    writeLevel(db, key, kCoarse, bucketsOf(steps, values, steps.size()));
    return addToOutline(db, key, bucketsOf(steps, values, kFinePoints));
}

void store::dropLevels(Database& db, const CurveKey& key, std::int64_t fromStep) {
    dropOutline(db, key);
    for (const int level : {kFine, kCoarse})
        db.query(
              "DELETE FROM metric_levels WHERE run = ? AND metric = ? AND attempt = ? AND level = ? AND first_step >= ?")
            .bind(1, key.run)
            .bind(2, key.metric)
            .bind(3, key.attempt)
            .bind(4, std::int64_t{level})
            .bind(5, fromStep)
            .run();
}

Result<ThinSeries> RunStore::window(const RunId& id, const std::string& metric, std::int64_t stepFrom,
                                    std::int64_t stepTo, std::size_t maxPoints) {
    maxPoints = std::max<std::size_t>(maxPoints, 1);
    return guarded(m_impl->db, [&]() -> Result<ThinSeries> {
        const auto run = m_impl->rowOf(id);
        if (!run) return fail(run.error());
        ThinSeries out;
        if (const auto known = store::knownMetric(m_impl->db, metric)) {
            CurveReader reader(m_impl->db, *run, *known);
            // An outline has more than half of its most buckets, so it has at least a quarter of what is asked here.
            const bool outlines = maxPoints <= 2 * kOutlineBuckets && store::hasOutline(m_impl->db, *run, *known);
            const bool readPoints =
                (!outlines && isShort(m_impl->db, *run, *known, maxPoints)) || store::hasLevelBacklog(m_impl->db);
            const auto found = readPoints ? Result<bool>(false) : reader.find(stepFrom, stepTo, outlines);
            if (!found) return fail(found.error());
            if (!*found) {
                const auto series = store::seriesOf(m_impl->db, *run, metric, stepFrom, stepTo, 0);
                if (!series) return fail(series.error());
                return thin(*series, maxPoints);
            }
            auto read = reader.read(maxPoints);
            if (!read) return read;
            out = std::move(*read);
        }
        out.name = metric;
        out.unit = store::unitOf(metric);
        return out;
    });
}

Result<bool> RunStore::fillLevels(std::size_t maxChunks) {
    return guarded(m_impl->db, [&]() -> Result<bool> {
        store::Database& db = m_impl->db;
        if (!store::hasLevelBacklog(db) && !store::hasOutlineBacklog(db)) return false;
        WriteTransaction transaction(db);
        std::vector<std::int64_t> chunks;
        {
            Query query = db.query("SELECT chunk FROM level_backlog ORDER BY chunk LIMIT ?");
            query.bind(1, static_cast<std::int64_t>(maxChunks));
            while (query.next()) chunks.push_back(query.integer(0));
        }
        for (const std::int64_t chunk : chunks) {
            db.query("DELETE FROM level_backlog WHERE chunk = ?").bind(1, chunk).run();
            store::CurveKey key;
            Points points;
            {
                Query query = db.query("SELECT run, metric, attempt, points FROM metric_chunks WHERE id = ?");
                if (!query.bind(1, chunk).next()) continue;  // rewritten in the meantime
                key = {query.integer(0), query.integer(1), query.integer(2)};
                const SQLite::Column blob = query.column(3);
                if (!store::unpackPoints(
                        {static_cast<const char*>(blob.getBlob()), static_cast<std::size_t>(blob.getBytes())}, points))
                    return fail(store::damagedPoints(db));
            }
            if (points.steps.size() < store::kChunkPoints) continue;
            if (auto written = store::writeLevels(db, key, points.steps, points.values); !written)
                return fail(written.error());
        }
        // Outlines are made of levels, so they come after them.
        if (chunks.empty())
            if (auto written = store::fillOutlines(db, maxChunks); !written) return fail(written.error());
        const bool more = store::hasLevelBacklog(db) || store::hasOutlineBacklog(db);
        transaction.commit();
        return more;
    });
}

}  // namespace slipway
