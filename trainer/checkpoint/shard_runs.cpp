#include "trainer/checkpoint/shard_runs.h"

#include <algorithm>

namespace slipway::trainer {

std::vector<ShardRun> runsOf(const ParamShard& shard) {
    const std::vector<std::int64_t> local = shard.localShape();
    const std::size_t dims = local.size();
    std::vector<std::int64_t> offset(dims, 0);
    for (const ShardSlice& slice : shard.slices) offset[static_cast<std::size_t>(slice.dim)] = slice.offset;
    // Dimensions after the last cut one are complete: with it they form one contiguous block.
    std::size_t cut = dims;
    while (cut > 0 && local[cut - 1] == shard.globalShape[cut - 1]) --cut;
    const std::size_t outerDims = cut == 0 ? 0 : cut - 1;
    std::vector<std::int64_t> stride(dims, 1);
    for (std::size_t d = dims; d-- > 1;) stride[d - 1] = stride[d] * shard.globalShape[d];
    std::int64_t block = 1, outer = 1;
    for (std::size_t d = 0; d < dims; ++d) (d < outerDims ? outer : block) *= local[d];

    const std::int64_t begin = shard.flatOffset.value_or(0);
    const std::int64_t end = shard.flatLength ? begin + *shard.flatLength : outer * block;
    std::vector<ShardRun> runs;
    if (block == 0) return runs;
    for (std::int64_t row = begin / block; row < outer && row * block < end; ++row) {
        std::int64_t global = 0;
        std::int64_t rest = row;
        for (std::size_t d = outerDims; d-- > 0;) {
            global += (offset[d] + rest % local[d]) * stride[d];
            rest /= local[d];
        }
        if (cut > 0) global += offset[outerDims] * stride[outerDims];
        const std::int64_t first = std::max(begin, row * block);
        const std::int64_t last = std::min(end, (row + 1) * block);
        if (first < last) runs.push_back({global + first - row * block, first - begin, last - first});
    }
    return runs;
}

std::vector<ShardCopy> takeFrom(const std::vector<ShardRun>& source, std::vector<ShardRun>& missing) {
    std::vector<ShardCopy> copies;
    std::vector<ShardRun> left;
    std::size_t at = 0;
    for (ShardRun want : missing) {
        while (want.length > 0) {
            while (at < source.size() && source[at].global + source[at].length <= want.global) ++at;
            if (at == source.size() || source[at].global >= want.global + want.length) break;
            const ShardRun& have = source[at];
            if (const std::int64_t gap = have.global - want.global; gap > 0) {
                left.push_back({want.global, want.local, gap});
                want = {want.global + gap, want.local + gap, want.length - gap};
            }
            const std::int64_t skipped = want.global - have.global;
            const std::int64_t length = std::min(want.length, have.length - skipped);
            copies.push_back({have.local + skipped, want.local, length});
            want = {want.global + length, want.local + length, want.length - length};
        }
        if (want.length > 0) left.push_back(want);
    }
    missing = std::move(left);
    return copies;
}

std::string boxText(const ParamShard& shard) {
    std::string text;
    for (const ShardSlice& slice : shard.slices) {
        if (slice.offset == 0 && slice.length == shard.globalShape[static_cast<std::size_t>(slice.dim)]) continue;
        if (!text.empty()) text += ',';
        text += std::to_string(slice.dim) + ':' + std::to_string(slice.offset) + '+' + std::to_string(slice.length);
    }
    return text;
}

ParamShard wholeOf(const ParamShard& shard) {
    ParamShard whole = shard;
    whole.slices.clear();
    whole.flatOffset.reset();
    whole.flatLength.reset();
    return whole;
}

}  // namespace slipway::trainer
