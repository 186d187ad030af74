// The arithmetic of factors in float8 (fp8.h) on a device: bodies of CUDA kernels like those of
// row_programs.h, which tests run on a CPU. Besides rank(), size() and max(v), Lanes has meet() (a barrier)
// and raise(place, v): *place = the larger of both, in any order of blocks. A tile is read once for any of its
// two outputs.
#pragma once

#include "trainer/kernels/cuda_rows.h"
#include "trainer/kernels/row_packs.h"

#include <cmath>
#include <cstdint>

namespace slipway::trainer {

/// Below this a tensor counts as zero; its scale stays finite.
constexpr double kLeastLargest = 1e-12;
/// Values of one block where all have one scale.
constexpr std::int64_t kLargestSegment = 32768;
/// Rows and columns of a tile.
constexpr std::int64_t kFp8Tile = 64;
/// Padding after the transposed rows of a tile, so that adjacent lanes write to different banks of shared
/// memory.
constexpr std::int64_t kFp8Gap = 4;

/// The largest value of e5m2 (wide range) and of e4m3.
constexpr float fp8Most(bool wideRange) {
    return wideRange ? 57344.0F : 448.0F;
}

/// The larger one; NaN if either is.
SLIPWAY_DEVICE float largerOf(float a, float b) {
    return a >= b || a != a ? a : b;
}

/// The largest magnitude of one block's values.
template <class T, bool kWhole, class Lanes>
SLIPWAY_DEVICE void largestOfSegment(Lanes& lanes, const T* x, std::int64_t length, float* largest) {
    float most = 0;
    eachPack<T, kWhole>(lanes, length, [&](std::int64_t i, std::int64_t n) {
        const Pack<T> in = loadPack<kWhole>(x + i, n);
        for (std::int64_t j = 0; j < n; ++j) most = largerOf(most, std::fabs(static_cast<float>(in.at[j])));
    });
    most = lanes.max(most);
    if (lanes.rank() == 0) lanes.raise(largest, most);
}

/// Those of a pack of columns over rows [begin, end).
template <class T, bool kWhole, class Lanes>
SLIPWAY_DEVICE void largestOfColumns(Lanes& lanes, const T* x, std::int64_t column, std::int64_t width,
                                     std::int64_t begin, std::int64_t end, float* largest) {
    const std::int64_t n = kWhole || width - column > kPack<T> ? kPack<T> : width - column;
    float most[kPack<T>] = {};
    for (std::int64_t row = begin; row < end; ++row) {
        const Pack<T> in = loadPack<kWhole>(x + row * width + column, n);
        for (std::int64_t j = 0; j < kPack<T>; ++j)
            most[j] = largerOf(most[j], std::fabs(static_cast<float>(in.at[j])));
    }
    for (std::int64_t j = 0; j < n; ++j) lanes.raise(largest + column + j, most[j]);
}

SLIPWAY_DEVICE float fp8Scale(float largest, float most) {
    const float least = static_cast<float>(kLeastLargest);
    return most / (largest < least ? least : largest);
}
/// The cast alone would turn values that round beyond the largest into NaN.
template <class Q>
SLIPWAY_DEVICE Q fp8Value(float x, float scale, float most) {
    const float scaled = x * scale;
    return static_cast<Q>(scaled < -most ? -most : scaled > most ? most : scaled);
}

/// Rows and columns of one tile of x [rows, columns] in float8. @param most the largest value of Q @param turned memory
/// shared by all lanes
template <class T, class Q, bool kWhole, class Lanes>
SLIPWAY_DEVICE void fp8TileOf(Lanes& lanes, const T* x, const Fp8Output& byRow, const Fp8Output& byColumn, float most,
                              std::int64_t rows, std::int64_t columns, std::int64_t tile,
                              Q (*turned)[kFp8Tile + kFp8Gap]) {
    const std::int64_t across = (columns + kFp8Tile - 1) / kFp8Tile;
    const std::int64_t firstRow = tile / across * kFp8Tile, firstColumn = tile % across * kFp8Tile;
    constexpr std::int64_t kPacks = kFp8Tile / kPack<T>, kLine = 16;
    // With one scale for all, both outputs have the same values.
    const bool each = byRow.each || byColumn.each;
    const float one = each ? 0 : fp8Scale((byRow.values != nullptr ? byRow : byColumn).largest[0], most);
    Q* const along = static_cast<Q*>(byRow.values);
    Q* const down = static_cast<Q*>(byColumn.values);
    for (std::int64_t p = lanes.rank(); p < kFp8Tile * kPacks; p += lanes.size()) {
        const std::int64_t r = p / kPacks, c = p % kPacks * kPack<T>, row = firstRow + r, column = firstColumn + c;
        if (row >= rows || column >= columns) continue;
        const std::int64_t n = kWhole || columns - column > kPack<T> ? kPack<T> : columns - column;
        const Pack<T> in = loadPack<kWhole>(x + row * columns + column, n);
        Pack<Q, kPack<T>> to;
        if (along != nullptr || !each) {
            const float scale = each ? fp8Scale(byRow.largest[row], most) : one;
            for (std::int64_t j = 0; j < n; ++j) to.at[j] = fp8Value<Q>(static_cast<float>(in.at[j]), scale, most);
            if (along != nullptr) {
                storePack<kWhole>(along + row * columns + column, to, n);
                if (column == 0 && (each || row == 0)) byRow.inverse[row] = 1.0F / scale;
            }
        }
        if (down == nullptr) continue;
        for (std::int64_t j = 0; j < n; ++j)
            turned[c + j][r] =
                each ? fp8Value<Q>(static_cast<float>(in.at[j]), fp8Scale(byColumn.largest[column + j], most), most)
                     : to.at[j];
    }
    if (down == nullptr) return;
    lanes.meet();
    for (std::int64_t p = lanes.rank(); p < kFp8Tile * (kFp8Tile / kLine); p += lanes.size()) {
        const std::int64_t c = p / (kFp8Tile / kLine), r = p % (kFp8Tile / kLine) * kLine;
        const std::int64_t row = firstRow + r, column = firstColumn + c;
        if (row >= rows || column >= columns) continue;
        const std::int64_t n = kWhole || rows - row > kLine ? kLine : rows - row;
        Pack<Q, kLine> to;
        for (std::int64_t j = 0; j < n; ++j) to.at[j] = turned[c][r + j];
        storePack<kWhole>(down + column * rows + row, to, n);
        if (row == 0 && (each || column == 0))
            byColumn.inverse[column] = 1.0F / (each ? fp8Scale(byColumn.largest[column], most) : one);
    }
}

/// True where a tile may be read and written in complete packs.
template <class T>
bool wholeTiles(std::int64_t rows, std::int64_t columns, const void* x, const Fp8Output& byRow,
                const Fp8Output& byColumn) {
    return wholePacks<T>(columns, {x, byRow.values, byColumn.values}) &&
           (byColumn.values == nullptr || rows % kPackBytes == 0);
}

}  // namespace slipway::trainer
