// Metric points as bytes: count int64 steps, then count doubles, in this machine's (little-endian) order. Private to
// this room.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::store {

struct Points {
    std::vector<std::int64_t> steps;
    std::vector<double> values;
};

/// Points after which a chunk is full (measured: 8 to 13 ms for 200 series of 8,000; rows take 24 or more for 1,000).
constexpr std::size_t kChunkPoints = 1000;

/// The last points of a chunk that is not full are a row of their own, until they are this many: a live curve rewrites only them.
constexpr std::size_t kTailPoints = 50;

/// The part [from, to) as one blob.
std::string packPoints(const Points& points, std::size_t from, std::size_t to);
/// Appends the blob's points; false when its length does not match a number of points.
bool unpackPoints(std::string_view blob, Points& out);
/// Adds later points; for an existing step the new value wins.
void mergePoints(Points& into, const Points& later);

}  // namespace slipway::store
