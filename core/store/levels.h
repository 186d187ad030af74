// The rows of metric_levels and curve_outlines. Private to this room.
#pragma once

#include "core/metrics/metric_series.h"
#include "core/store/store_impl.h"

namespace slipway::store {

constexpr std::size_t kFinePoints = 20;  ///< in a bucket of level 1
constexpr std::size_t kOutlineBuckets =
    50;  ///< of an outline at most: a page of the index. More than half of them are always there
constexpr int kFine = 1;
constexpr int kCoarse = 2;

std::string packBuckets(const std::vector<SeriesBucket>& buckets);
/// Appends the buckets of a blob; false when it is damaged.
bool unpackBuckets(const SQLite::Column& blob, std::vector<SeriesBucket>& out);

void writeLevel(Database& db, const CurveKey& key, int level, const std::vector<SeriesBucket>& buckets);
/// The rows of a level with a step of [from, to], and their buckets in order.
Result<std::vector<SeriesBucket>> readLevel(Database& db, const CurveKey& key, int level, std::int64_t from,
                                            std::int64_t to);
bool hasOutlineBacklog(Database& db);
/// Whether full chunks of an index of before lack their levels; until they have them, no outline is written.
bool hasLevelBacklog(Database& db);

bool hasOutline(Database& db, std::int64_t run, std::int64_t metric);  ///< of any attempt
/// Empty when the curve has no full chunk, or is of before and was not filled yet.
Result<std::vector<SeriesBucket>> readOutline(Database& db, const CurveKey& key);
/// Writes level 1 of a new full chunk, the curve's last, and adds it to the outline.
Result<void> addToOutline(Database& db, const CurveKey& key, const std::vector<SeriesBucket>& fine);
/// Before chunks from a step on are rewritten.
void dropOutline(Database& db, const CurveKey& key);
/// Writes the outlines of the newest runs without them, until `maxCurves` are written or no run is left.
Result<void> fillOutlines(Database& db, std::size_t maxCurves);

}  // namespace slipway::store
