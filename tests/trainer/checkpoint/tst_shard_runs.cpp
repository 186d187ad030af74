// The arithmetic of resharding against brute force on small tensors, and who writes what against what a plan must be.
#include "tests/support/slipway_test.h"
#include "trainer/checkpoint/shard_runs.h"
#include "trainer/checkpoint/write_plan.h"

#include <map>
#include <set>

using namespace slipway;
using namespace slipway::trainer;

namespace {

struct Random {
    unsigned state = 1;
    std::int64_t below(std::int64_t n) {
        state = state * 1664525u + 1013904223u;
        return static_cast<std::int64_t>(state >> 8) % n;
    }
};

ParamShard randomShard(Random& random, const std::vector<std::int64_t>& shape) {
    ParamShard shard;
    shard.name = "w";
    shard.globalShape = shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (random.below(2) == 0) continue;
        const std::int64_t offset = random.below(shape[d]);
        shard.slices.push_back({Axis::Tp, static_cast<std::int64_t>(d), offset, 1 + random.below(shape[d] - offset)});
    }
    if (random.below(2) == 0) {
        const std::int64_t elements = shard.localElements();
        shard.flatOffset = random.below(elements);
        shard.flatLength = 1 + random.below(elements - *shard.flatOffset);
    }
    return shard;
}

// The global index of every element of the shard's tensor, one by one.
std::vector<std::int64_t> elementsOf(const ParamShard& shard) {
    std::vector<std::int64_t> all;
    const auto local = shard.localShape();
    for (std::int64_t i = 0; i < shard.localElements(); ++i) {
        std::int64_t rest = i, global = 0, stride = 1;
        for (std::size_t d = local.size(); d-- > 0;) {
            std::int64_t place = rest % local[d];
            for (const ShardSlice& slice : shard.slices)
                if (slice.dim == static_cast<std::int64_t>(d)) place += slice.offset;
            global += place * stride;
            rest /= local[d];
            stride *= shard.globalShape[d];
        }
        all.push_back(global);
    }
    if (!shard.flatOffset) return all;
    return {all.begin() + *shard.flatOffset, all.begin() + *shard.flatOffset + *shard.flatLength};
}

}  // namespace

class TstShardRuns : public QObject {
    Q_OBJECT
private slots:
    void runsAreTheElements() {
        Random random;
        for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{7}, {5, 6}, {3, 4, 5}, {1}, {6, 1, 4}})
            for (int i = 0; i < 60; ++i) {
                const ParamShard shard = randomShard(random, shape);
                std::vector<std::int64_t> found;
                std::int64_t end = -1;
                for (const ShardRun& run : runsOf(shard)) {
                    QVERIFY(run.global > end && run.length > 0);
                    QCOMPARE(run.local, static_cast<std::int64_t>(found.size()));
                    end = run.global + run.length - 1;
                    for (std::int64_t k = 0; k < run.length; ++k) found.push_back(run.global + k);
                }
                QVERIFY(found == elementsOf(shard));
            }
    }

    void fewRunsWhereMemoryIsWhole() {
        ParamShard shard;
        shard.globalShape = {8, 4, 2};
        QCOMPARE(runsOf(shard).size(), static_cast<std::size_t>(1));
        shard.slices = {{Axis::Tp, 0, 2, 3}};
        QVERIFY((runsOf(shard) == std::vector<ShardRun>{{16, 0, 24}}));
        shard.slices = {{Axis::Tp, 1, 2, 2}};
        QCOMPARE(runsOf(shard).size(), static_cast<std::size_t>(8));
    }

    // A target filled from random sources: each element comes from its place, none twice, and what nobody has stays
    // missing.
    void takingFromSeveralSources() {
        Random random;
        for (int i = 0; i < 200; ++i) {
            const std::vector<std::int64_t> shape{4, 6};
            const ParamShard target = randomShard(random, shape);
            const auto wanted = elementsOf(target);
            std::vector<ShardRun> missing = runsOf(target);
            std::vector<std::int64_t> filled(wanted.size(), -1);
            std::set<std::int64_t> held;
            for (int s = 0; s < 3; ++s) {
                const ParamShard source = randomShard(random, shape);
                const auto has = elementsOf(source);
                held.insert(has.begin(), has.end());
                for (const ShardCopy& copy : takeFrom(runsOf(source), missing))
                    for (std::int64_t k = 0; k < copy.length; ++k) {
                        auto& place = filled[static_cast<std::size_t>(copy.to + k)];
                        QCOMPARE(place, static_cast<std::int64_t>(-1));
                        place = has[static_cast<std::size_t>(copy.from + k)];
                    }
            }
            std::size_t left = 0;
            for (const ShardRun& run : missing) left += static_cast<std::size_t>(run.length);
            std::size_t holes = 0;
            for (std::size_t k = 0; k < wanted.size(); ++k) {
                if (held.contains(wanted[k]))
                    QCOMPARE(filled[k], wanted[k]);
                else
                    ++holes;
            }
            QCOMPARE(left, holes);
        }
    }

    // Every element that anybody holds is written by exactly one rank that holds it, and replicas share the load.
    void plansWriteOnce() {
        Random random;
        for (int i = 0; i < 100; ++i) {
            std::vector<std::vector<Holding>> ranks(4);
            std::map<std::string, std::set<std::int64_t>> held;
            for (auto& rank : ranks)
                for (int k = 0; k < 6; ++k) {
                    const std::int64_t begin = random.below(20);
                    Holding h{"w" + std::to_string(random.below(4)) + "|0:" + std::to_string(random.below(2)), begin,
                              begin + random.below(20)};
                    for (std::int64_t e = h.begin; e < h.end; ++e) held[h.key].insert(e);
                    rank.push_back(std::move(h));
                }
            QVERIFY(holdingsFrom(toText(ranks[1])).size() == ranks[1].size());
            std::map<std::string, std::set<std::int64_t>> written;
            const auto plan = planWrites(ranks);
            for (std::size_t rank = 0; rank < ranks.size(); ++rank)
                for (const WritePart& part : plan[rank]) {
                    const Holding& h = ranks[rank][part.index];
                    QVERIFY(h.begin <= part.begin && part.begin < part.end && part.end <= h.end);
                    for (std::int64_t e = part.begin; e < part.end; ++e) QVERIFY(written[h.key].insert(e).second);
                }
            QVERIFY(written == held);
        }
        // Four replicas of eight equal tensors: two each.
        std::vector<Holding> all;
        for (int k = 0; k < 8; ++k) all.push_back({"t" + std::to_string(k), 0, 100});
        for (const auto& parts : planWrites({all, all, all, all})) QCOMPARE(parts.size(), static_cast<std::size_t>(2));
        // The small ones even out what the large one costs, whatever the order of their names.
        std::vector<std::int64_t> loads;
        const std::vector<Holding> uneven{{"a", 0, 1}, {"b", 0, 1}, {"c", 0, 100}};
        for (const auto& parts : planWrites({uneven, uneven})) {
            loads.push_back(0);
            for (const WritePart& part : parts) loads.back() += part.end - part.begin;
        }
        std::sort(loads.begin(), loads.end());
        QCOMPARE(loads, (std::vector<std::int64_t>{2, 100}));
        const Holding sent{"model.layers.0.w.exp_avg|0:1+2,1:3+4", 5, 9};
        const auto back = holdingsFrom(toText({sent, sent}));
        QVERIFY(back.size() == 2 && back[1].key == sent.key && back[1].begin == 5 && back[1].end == 9);
    }
};

SLIPWAY_TEST(TstShardRuns)
#include "tst_shard_runs.moc"
