// Outlines: the coarsest level, one row of a curve's full chunks, whatever their number.
#include "core/metrics/series_bucket.h"
#include "core/store/levels.h"

#include <limits>

namespace slipway::store {

namespace {

constexpr auto kAnyStep = std::numeric_limits<std::int64_t>::max();

/// Adds buckets of kFinePoints. When one too many would begin, neighbours are joined and buckets become twice as wide: the same outline
/// follows from the same points, in whatever pieces they came.
void grow(std::vector<SeriesBucket>& outline, const std::vector<SeriesBucket>& fine) {
    for (const SeriesBucket& bucket : fine) {
        if (!outline.empty() && outline.back().count < outline.front().count) {
            join(outline.back(), bucket);
            continue;
        }
        if (outline.size() == kOutlineBuckets) {
            for (std::size_t i = 0; i < kOutlineBuckets / 2; ++i) {
                outline[i] = outline[2 * i];
                join(outline[i], outline[2 * i + 1]);
            }
            outline.resize(kOutlineBuckets / 2);
        }
        outline.push_back(bucket);
    }
}

void writeOutline(Database& db, const CurveKey& key, const std::vector<SeriesBucket>& outline) {
    db.query(
          "INSERT INTO curve_outlines (run, metric, attempt, buckets) VALUES (?, ?, ?, ?) ON CONFLICT (run, metric, attempt) DO UPDATE SET buckets = excluded.buckets")
        .bind(1, key.run)
        .bind(2, key.metric)
        .bind(3, key.attempt)
        .bindBlob(4, packBuckets(outline))
        .run();
}

/// From level 1 of all full chunks. Level 1 of a single chunk is then the outline, and has no other row.
Result<void> rebuildOutline(Database& db, const CurveKey& key) {
    const auto fine = readLevel(db, key, kFine, std::numeric_limits<std::int64_t>::min(), kAnyStep);
    if (!fine) return fail(fine.error());
    if (fine->empty()) return {};
    std::vector<SeriesBucket> outline;
    grow(outline, *fine);
    writeOutline(db, key, outline);
    if (fine->size() == kOutlineBuckets)
        db.query("DELETE FROM metric_levels WHERE run = ? AND metric = ? AND attempt = ? AND level = ?")
            .bind(1, key.run)
            .bind(2, key.metric)
            .bind(3, key.attempt)
            .bind(4, std::int64_t{kFine})
            .run();
    return {};
}

}  // namespace

bool hasOutline(Database& db, std::int64_t run, std::int64_t metric) {
    return db.query("SELECT 1 FROM curve_outlines WHERE run = ? AND metric = ? LIMIT 1")
        .bind(1, run)
        .bind(2, metric)
        .next();
}

Result<std::vector<SeriesBucket>> readOutline(Database& db, const CurveKey& key) {
    std::vector<SeriesBucket> out;
    Query query = db.query("SELECT buckets FROM curve_outlines WHERE run = ? AND metric = ? AND attempt = ?");
    if (query.bind(1, key.run).bind(2, key.metric).bind(3, key.attempt).next() && !unpackBuckets(query.column(0), out))
        return fail(damagedPoints(db));
    return out;
}

Result<void> addToOutline(Database& db, const CurveKey& key, const std::vector<SeriesBucket>& fine) {
    auto outline = readOutline(db, key);
    if (!outline) return fail(outline.error());
    const bool isFirst = outline->empty();
    if (!isFirst && outline->size() == kOutlineBuckets && outline->back().count == kFinePoints)
        writeLevel(db, key, kFine, *outline);  // no longer the only chunk
    writeLevel(db, key, kFine, fine);
    if (hasLevelBacklog(db)) return {};
    if (isFirst) return rebuildOutline(db, key);
    grow(*outline, fine);
    writeOutline(db, key, *outline);
    return {};
}

void dropOutline(Database& db, const CurveKey& key) {
    db.query("DELETE FROM curve_outlines WHERE run = ? AND metric = ? AND attempt = ?")
        .bind(1, key.run)
        .bind(2, key.metric)
        .bind(3, key.attempt)
        .run();
}

bool hasOutlineBacklog(Database& db) {
    return db.query("SELECT 1 FROM outline_backlog LIMIT 1").next();
}

Result<void> fillOutlines(Database& db, std::size_t maxCurves) {
    std::size_t written = 0;
    while (written < maxCurves) {
        std::int64_t run = 0;
        {
            Query query = db.query("SELECT max(run) FROM outline_backlog");
            if (!query.next() || query.isNull(0)) return {};
            run = query.integer(0);
        }
        std::vector<CurveKey> curves;
        {
            // By the rows of level 2, one of each full chunk: the chunks themselves are long.
            Query query = db.query(
                "SELECT DISTINCT l.metric, l.attempt FROM metric_names n JOIN metric_levels l ON l.run = ? AND l.metric = n.id AND l.level = ?");
            query.bind(1, run).bind(2, std::int64_t{kCoarse});
            while (query.next()) curves.push_back({run, query.integer(0), query.integer(1)});
        }
        for (const CurveKey& key : curves) {
            ++written;
            const auto known = readOutline(db, key);
            if (known && !known->empty()) continue;  // it grew in the meantime
            if (auto rebuilt = rebuildOutline(db, key); !rebuilt) return rebuilt;
        }
        db.query("DELETE FROM outline_backlog").run();
        db.query("INSERT INTO outline_backlog (run) SELECT id FROM runs WHERE id < ? ORDER BY id DESC LIMIT 1")
            .bind(1, run)
            .run();
        ++written;  // runs without curves cost time too
    }
    return {};
}

}  // namespace slipway::store
