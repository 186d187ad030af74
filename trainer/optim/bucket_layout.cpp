#include "trainer/optim/bucket_layout.h"

#include <algorithm>
#include <utility>

namespace slipway::trainer {
namespace {

// 16 elements are at least 32 bytes in every number format: shards stay aligned for vector loads.
constexpr std::int64_t kAlignment = 16;

// Order of reduction; items summed over copies, over tp and over tied stages form one contiguous range each, with items
// in two of these sets in between (no run has copies on tied stages and elsewhere as well); experts last.
int category(const FlatItem& item) {
    if (item.expert) return 6;
    if (item.sumOverCopies) return item.tied ? 5 : 1;
    if (item.sumOverTp) return item.tied ? 3 : 2;
    return item.tied ? 4 : 0;
}

void extend(FlatRange& range, const FlatRange& by) {
    if (range.length() == 0) range = by;
    range.end = by.end;
}

// Adds a bucket from `begin` on and returns its end, padded to whole blocks.
std::int64_t addBucket(BucketLayout& layout, std::int64_t begin, std::int64_t end, std::vector<std::size_t> members,
                       bool experts, std::int64_t shards) {
    const std::int64_t unit = kAlignment * shards;
    const FlatRange bucket{begin, begin + (end - begin + unit - 1) / unit * unit};
    for (const std::size_t item : members) layout.bucketOf[item] = layout.buckets.size();
    layout.buckets.push_back(bucket);
    layout.bucketItems.push_back(std::move(members));
    layout.bucketShards.push_back(shards);
    layout.bucketOfExperts.push_back(experts);
    return bucket.end;
}

}  // namespace

std::int64_t BucketLayout::ownedBegin(std::size_t bucket) const {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < bucket; ++i) at += buckets[i].length() / bucketShards[i];
    return at;
}

FlatRange BucketLayout::shardOf(std::size_t bucket, std::int64_t shard) const {
    const std::int64_t length = buckets[bucket].length() / bucketShards[bucket];
    return {buckets[bucket].begin + shard * length, buckets[bucket].begin + (shard + 1) * length};
}

std::vector<FlatSegment> BucketLayout::segments(const FlatRange& range) const {
    std::vector<FlatSegment> found;
    for (std::size_t item = 0; item < items.size(); ++item) {
        const FlatRange cut{std::max(range.begin, items[item].begin), std::min(range.end, items[item].end)};
        if (cut.length() > 0) found.push_back({item, cut, cut.begin - items[item].begin});
    }
    std::sort(found.begin(), found.end(),
              [](const FlatSegment& a, const FlatSegment& b) { return a.range.begin < b.range.begin; });
    return found;
}

BucketLayout makeBucketLayout(const std::vector<FlatItem>& items, std::int64_t bucketElements, std::int64_t shards,
                              std::int64_t expertShards) {
    std::vector<std::size_t> order(items.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return category(items[a]) < category(items[b]); });
    // Experts share a bucket, and in model order a layer's grouped product can use them as one tensor in
    // place.
    std::reverse(std::find_if(order.begin(), order.end(), [&](std::size_t item) { return items[item].expert; }),
                 order.end());

    BucketLayout layout;
    layout.items.resize(items.size());
    layout.bucketOf.resize(items.size());
    std::int64_t at = 0;
    FlatRange open{0, 0};
    std::vector<std::size_t> members;
    const auto close = [&] {
        if (members.empty()) return;
        const bool experts = items[members.front()].expert;
        at = addBucket(layout, open.begin, at, std::exchange(members, {}), experts,
                       experts && expertShards > 0 ? expertShards : shards);
        open = {at, at};
    };
    bool lateBegun = false;
    bool expertsBegun = false;
    for (const std::size_t item : order) {
        const bool late = category(items[item]) != 0;
        if (late && !lateBegun) {
            close();
            layout.numEarlyBuckets = layout.buckets.size();
            lateBegun = true;
        }
        if (items[item].expert && !expertsBegun) {
            close();
            expertsBegun = true;
        }
        // A table gets its own bucket: earlier buckets need not wait for it, and Muon does not gather it together with
        // matrices.
        if (!late && items[item].elements >= bucketElements) close();
        layout.items[item] = {at, at + items[item].elements};
        if (items[item].sumOverTp) extend(layout.tpSum, layout.items[item]);
        if (items[item].sumOverCopies) extend(layout.copySum, layout.items[item]);
        if (items[item].tied) extend(layout.tiedSum, layout.items[item]);
        at += items[item].elements;
        members.push_back(item);
        if (!late && at - open.begin >= bucketElements) close();
    }
    close();
    if (!lateBegun) layout.numEarlyBuckets = layout.buckets.size();
    layout.elements = at;
    return layout;
}

BucketLayout makeUnitLayout(const std::vector<FlatItem>& items, const std::vector<std::size_t>& unitOf,
                            std::int64_t shards, std::int64_t expertShards) {
    BucketLayout layout;
    layout.items.resize(items.size());
    layout.bucketOf.resize(items.size());
    std::int64_t at = 0;
    for (std::size_t end = items.size(); end > 0;) {
        std::size_t begin = end - 1;
        while (begin > 0 && unitOf[begin - 1] == unitOf[end - 1]) --begin;
        const std::int64_t first = at;
        std::vector<std::size_t> members;
        for (std::size_t item = begin; item < end; ++item) {
            layout.items[item] = {at, at + items[item].elements};
            members.push_back(item);
            at += items[item].elements;
        }
        const bool experts = items[begin].expert;
        at = addBucket(layout, first, at, std::move(members), experts,
                       experts && expertShards > 0 ? expertShards : shards);
        end = begin;
    }
    layout.numEarlyBuckets = layout.buckets.size();
    layout.elements = at;
    return layout;
}

}  // namespace slipway::trainer
