// Where each parameter's gradient is in the flat buffer, and how the buffer is cut into buckets and ZeRO shards.
// Pure arithmetic. The order is that in which gradients become ready in the backward pass: last parameter first; then
// those that must be summed over tp and over the tied stages, which are reduced last, and the experts' own, first
// parameter first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slipway::trainer {

/// What the layout must know of one parameter, in model order.
struct FlatItem {
    std::int64_t elements = 0;
    bool sumOverTp = false;
    bool tied = false;
    bool expert = false;
    bool sumOverCopies = false;  ///< over the ranks of tp that hold the same slice; not with sumOverTp
};

/// A range of elements of the flat buffer.
struct FlatRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    [[nodiscard]] std::int64_t length() const { return end - begin; }
    bool operator==(const FlatRange&) const = default;
};

/// The part of one parameter that is in a range.
struct FlatSegment {
    std::size_t item = 0;     ///< index into the items
    FlatRange range;          ///< in the flat buffer
    std::int64_t offset = 0;  ///< first element inside the parameter
};

struct BucketLayout {
    std::vector<FlatRange> items;            ///< per item, in the items' order
    std::vector<FlatRange> buckets;          ///< in the order of reduction; lengths are multiples of their shards
    std::vector<std::int64_t> bucketShards;  ///< into how many blocks each bucket is cut
    std::vector<bool> bucketOfExperts;       ///< weights of experts, whose replicas are along edp
    std::vector<std::vector<std::size_t>> bucketItems;
    std::vector<std::size_t> bucketOf;  ///< per item
    std::size_t numEarlyBuckets = 0;    ///< buckets before the first that waits for tp or tied sums
    FlatRange tpSum;                    ///< all items with sumOverTp
    FlatRange copySum;                  ///< all items with sumOverCopies
    FlatRange tiedSum;                  ///< all tied items
    std::int64_t elements = 0;          ///< with padding

    [[nodiscard]] bool isCut(std::size_t bucket) const { return bucketShards[bucket] > 1; }
    /// Where the block of a bucket begins in a buffer that holds one block of each; the number of buckets gives its
    /// length.
    [[nodiscard]] std::int64_t ownedBegin(std::size_t bucket) const;
    /// Block `shard` of a bucket.
    [[nodiscard]] FlatRange shardOf(std::size_t bucket, std::int64_t shard) const;
    /// The parts of parameters in a range, in buffer order; padding is left out.
    [[nodiscard]] std::vector<FlatSegment> segments(const FlatRange& range) const;
};

/// A bucket is closed when it holds bucketElements or more. Items that are summed over tp, its copies or tied stages
/// never share a bucket with others, so that the others can be reduced earlier.
/// @param expertShards of buckets of experts; 0: as the others
BucketLayout makeBucketLayout(const std::vector<FlatItem>& items, std::int64_t bucketElements, std::int64_t shards,
                              std::int64_t expertShards = 0);

/// Each unit is one bucket (ZeRO-2, ZeRO-3), last unit first; items of a unit are neighbours. @param unitOf per item, 0
/// .. ascending. Sums over tp and tied stages are made on the owned blocks, so `tpSum`, `copySum` and `tiedSum` stay
/// empty. A unit holds experts or none.
BucketLayout makeUnitLayout(const std::vector<FlatItem>& items, const std::vector<std::size_t>& unitOf,
                            std::int64_t shards, std::int64_t expertShards = 0);

}  // namespace slipway::trainer
