// Positions of the parameters' gradients in the flat buffer, and its partition into buckets and ZeRO shards. Pure
// arithmetic. The order is that of gradients becoming ready in the backward pass: last parameter first; then those
// to be summed over tp and over the tied stages, which are reduced last, and the experts' own, first parameter
// first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slipway::trainer {

/// Facts of one parameter for the layout, in model order.
struct FlatItem {
    std::int64_t elements = 0;
    bool sumOverTp = false;
    bool tied = false;
    bool expert = false;
    bool sumOverCopies = false;  ///< over the tp ranks with the same slice; not with sumOverTp
};

/// A range of elements of the flat buffer.
struct FlatRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    [[nodiscard]] std::int64_t length() const { return end - begin; }
    bool operator==(const FlatRange&) const = default;
};

/// The part of one parameter inside a range.
struct FlatSegment {
    std::size_t item = 0;     ///< index into the items
    FlatRange range;          ///< in the flat buffer
    std::int64_t offset = 0;  ///< first element inside the parameter
};

struct BucketLayout {
    std::vector<FlatRange> items;            ///< per item, in the items' order
    std::vector<FlatRange> buckets;          ///< in the order of reduction; lengths are multiples of their shards
    std::vector<std::int64_t> bucketShards;  ///< number of blocks of each bucket
    std::vector<bool> bucketOfExperts;       ///< weights of experts, with replicas along edp
    std::vector<std::vector<std::size_t>> bucketItems;
    std::vector<std::size_t> bucketOf;  ///< per item
    std::size_t numEarlyBuckets = 0;    ///< number of buckets before the first that waits for tp or tied sums
    FlatRange tpSum;                    ///< all items with sumOverTp
    FlatRange copySum;                  ///< all items with sumOverCopies
    FlatRange tiedSum;                  ///< all tied items
    std::int64_t elements = 0;          ///< with padding

    [[nodiscard]] bool isCut(std::size_t bucket) const { return bucketShards[bucket] > 1; }
    /// Begin of a bucket's block in a buffer with one block of each; for the number of buckets, the buffer's
    /// length.
    [[nodiscard]] std::int64_t ownedBegin(std::size_t bucket) const;
    /// Block `shard` of a bucket.
    [[nodiscard]] FlatRange shardOf(std::size_t bucket, std::int64_t shard) const;
    /// The parts of parameters in a range, in buffer order; padding is omitted.
    [[nodiscard]] std::vector<FlatSegment> segments(const FlatRange& range) const;
};

/// A bucket is closed at bucketElements or more. Items summed over tp, its copies or tied stages never share a bucket
/// with others, so that the others can be reduced earlier. @param expertShards of buckets of experts; 0: like the
/// others
BucketLayout makeBucketLayout(const std::vector<FlatItem>& items, std::int64_t bucketElements, std::int64_t shards,
                              std::int64_t expertShards = 0);

/// Each unit is one bucket (ZeRO-2, ZeRO-3), last unit first; items of a unit are adjacent. @param unitOf per item, 0
/// .. ascending. Sums over tp and tied stages are computed on the owned blocks, so `tpSum`, `copySum` and `tiedSum`
/// stay empty. A unit has only experts or none.
BucketLayout makeUnitLayout(const std::vector<FlatItem>& items, const std::vector<std::size_t>& unitOf,
                            std::int64_t shards, std::int64_t expertShards = 0);

}  // namespace slipway::trainer
