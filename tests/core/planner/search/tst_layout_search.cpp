// The search against plain loops over every combination, the fast evaluation against makePlan.
#include "core/planner/memory/host_memory.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/planner/search/layout_evaluator.h"
#include "core/planner/search/layout_search.h"
#include "core/planner/search/pareto_front.h"
#include "tests/core/planner/search/random_request.h"
#include "tests/support/slipway_test.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <utility>

namespace slipway {

namespace {

/// Layers as the axis documents them, counted here once more: what the ends give goes one by one to the stage between
/// them with the fewest layers, the later of equals.
std::optional<std::vector<std::int64_t>> dealt(const RunConfig& c, LayerSplit split) {
    if (split == LayerSplit::Even) return std::vector<std::int64_t>{};
    ParallelLayout even = c.parallel;
    even.layersPerStage.clear();
    std::vector<std::int64_t> layers = even.stageLayers(c.model.numLayers);
    const std::int64_t fewer = split == LayerSplit::Last1 || split == LayerSplit::Ends1 ? 1 : 2;
    const bool both = split == LayerSplit::Ends1 || split == LayerSplit::Ends2;
    if (layers.size() < (both ? 3U : 2U)) return {};
    std::int64_t spare = fewer;
    layers.back() -= fewer;
    if (both) layers.front() -= fewer, spare += fewer;
    if (layers.back() < 1 || (both && layers.front() < 1)) return {};
    if (layers.size() == 2) layers.front() += std::exchange(spare, 0);
    for (; spare > 0; --spare) *std::min_element(layers.rbegin() + 1, layers.rend() - 1) += 1;
    return layers;
}

/// Nothing that has no effect, as SearchSpace leaves it out.
bool hasIdleOptions(const ParallelLayout& p) {
    return (p.sequenceParallel && p.tp == 1) || (p.cpKind != CpKind::Ring && p.cp == 1) ||
           (p.zeroStage > 0 && p.dp * p.cp == 1) || (p.dpShard && (p.zeroStage == 0 || *p.dpShard * p.cp == 1)) ||
           (p.pp == 1 && (p.virtualStages > 1 || p.schedule != ScheduleKind::OneFOneB));
}

/// One layout, evaluated by validate and makePlan, if it is legal, allowed and fits.
void evaluate(const LayoutRequest& r, RunConfig c, LayerSplit split, std::vector<FoundLayout>& all) {
    ParallelLayout& p = c.parallel;
    if (hasIdleOptions(p) || (p.pp == 1 && split != LayerSplit::Even)) return;
    using A = SearchAxis;
    const auto number = [](auto word) { return static_cast<std::int64_t>(word); };
    for (const auto& [axis, value] :
         {std::pair{A::Tp, p.tp}, std::pair{A::Schedule, number(p.schedule)}, std::pair{A::LayerSplit, number(split)},
          std::pair{A::Recompute, number(c.train.recompute.policy)}, std::pair{A::CpKind, number(p.cpKind)},
          std::pair{A::DpShard, p.dpShard.value_or(p.dp)}, std::pair{A::Etp, p.etp},
          std::pair{A::Offload, number(p.offload)}})
        if (!r.limits.allows(axis, value)) return;
    if (hasErrors(validate(c))) return;
    const auto layers = dealt(c, split);
    if (!layers) return;
    p.layersPerStage = *layers;
    if (r.onlyRunnable && !trainerSupports(c).empty()) return;
    const Plan plan = makePlan(c, r.cluster);
    if (plan.memoryPeakBytes > plan.memoryCapacityBytes) return;
    if (r.nodeBytes && nodeHostMemory(c, r.cluster, plan.memoryPeakBytes).neededBytes() > *r.nodeBytes) return;
    all.push_back({p, c.train.microBatchSize, c.train.recompute.policy, plan.step, plan.memoryPeakBytes, plan.cost});
}

/// ZeRO and who shards together.
void withSharding(const LayoutRequest& r, const RunConfig& config, LayerSplit split, std::vector<FoundLayout>& all) {
    for (std::int64_t zero = 0; zero <= 3; ++zero)
        for (std::int64_t shard = 1; shard <= config.parallel.dp; ++shard) {
            if (config.parallel.dp % shard != 0) continue;
            for (const auto& offload : enumNames(Offload{})) {
                RunConfig c = config;
                c.parallel.zeroStage = zero;
                if (shard < c.parallel.dp) c.parallel.dpShard = shard;
                c.parallel.offload = offload.value;
                evaluate(r, c, split, all);
            }
        }
}

void withPipeline(const LayoutRequest& r, RunConfig c, std::vector<FoundLayout>& all) {
    for (const auto& kind : enumNames(ScheduleKind{}))
        for (std::int64_t v = 1; v <= c.model.numLayers; ++v)
            for (const auto& split : enumNames(LayerSplit{})) {
                c.parallel.schedule = kind.value;
                c.parallel.virtualStages = v;
                if (!hasIdleOptions(c.parallel) && !hasErrors(validate(c))) withSharding(r, c, split.value, all);
            }
}

void withOptions(const LayoutRequest& r, RunConfig c, std::vector<FoundLayout>& all) {
    for (std::int64_t micro = 1; micro <= c.train.globalBatchSize; ++micro)
        for (const bool sp : {false, true})
            for (const auto& exchange : enumNames(CpKind{}))
                for (const auto& policy : enumNames(RecomputePolicy{})) {
                    c.train.microBatchSize = micro;
                    c.parallel.sequenceParallel = sp;
                    c.parallel.cpKind = exchange.value;
                    c.train.recompute.policy = policy.value;
                    for (const bool async : {false, true}) {
                        c.parallel.asyncTp = async;
                        const bool matters = SearchSpace(c, r.cluster, 1).overlapsTp();
                        if (!async || (sp && matters)) withPipeline(r, c, all);
                    }
                }
}

/// Every combination.
std::vector<FoundLayout> bruteForce(const LayoutRequest& r) {
    std::vector<FoundLayout> all;
    const std::int64_t world = r.config.parallel.worldSize();
    for (std::int64_t tp = 1; tp <= world; ++tp)
        for (std::int64_t pp = 1; pp <= world; ++pp)
            for (std::int64_t cp = 1; cp <= world; ++cp) {
                if (world % (tp * pp * cp) != 0) continue;
                if (!r.tpAcrossNodes && tp > r.cluster.devicesPerNode) continue;
                for (std::int64_t ep = 1; ep <= (r.config.model.moe ? 4 : 1); ++ep)
                    for (std::int64_t etp = 1; etp <= (r.config.model.moe ? tp : 1); ++etp) {
                        if (tp % etp != 0) continue;
                        RunConfig c = r.config;
                        c.parallel.tp = tp;
                        c.parallel.pp = pp;
                        c.parallel.cp = cp;
                        c.parallel.dp = world / (tp * pp * cp);
                        c.parallel.ep = ep;
                        c.parallel.etp = etp;
                        withOptions(r, c, all);
                    }
            }
    return all;
}

bool near(double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

/// On a few threads, each taking what is next.
void onThreads(std::size_t count, const std::function<void(std::size_t)>& body) {
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (std::size_t i = next++; i < count; i = next++) body(i);
        });
}

/// Keys of families in order, without those of a family before them that shares the same ranks otherwise between dp and
/// cp, has as many tokens of a micro-batch on each, or other chunks, and takes the same time within 1 % (and memory,
/// where that is asked for): counted once more here.
std::vector<std::array<double, 3>> withoutSwaps(const std::map<LayoutFamily, std::array<double, 3>>& families,
                                                SearchObjective objective) {
    std::vector<std::pair<std::array<double, 3>, LayoutFamily>> sorted;
    for (const auto& [family, key] : families) sorted.emplace_back(key, family);
    std::sort(sorted.begin(), sorted.end());
    const auto isNear = [](double a, double b) { return a <= 1.01 * b && a >= 0.99 * b; };
    const std::size_t step = objective == SearchObjective::Speed ? 0 : 1;  // Incumbents::key()
    std::vector<std::pair<std::array<double, 3>, LayoutFamily>> kept;
    for (const auto& [key, f] : sorted) {
        const bool again = std::any_of(kept.begin(), kept.end(), [&](const auto& one) {
            const LayoutFamily& g = one.second;
            bool alike = f[2] * f[3] == g[2] * g[3] && f[8] * g[2] == g[8] * f[2];
            for (const std::size_t axis : std::array<std::size_t, 6>{0, 1, 4, 5, 6, 9})
                alike = alike && f[axis] == g[axis];
            return alike && isNear(key[step], one.first[step]) &&
                   (objective != SearchObjective::Memory || isNear(key[0], one.first[0]));
        });
        if (!again) kept.emplace_back(key, f);
    }
    std::vector<std::array<double, 3>> keys;
    for (const auto& [key, family] : kept) keys.push_back(key);
    return keys;
}

double counted(const LayoutSearch& found, const std::string& reason) {
    for (const SearchCount& c : found.counts)
        if (c.reason == reason) return c.layouts;
    return 0;
}

}  // namespace

class TstLayoutSearch : public QObject {
    Q_OBJECT

    static void compareWithBruteForce(const LayoutRequest& request) {
        const LayoutSearch found = searchLayouts(request);
        const std::vector<FoundLayout> all = bruteForce(request);
        SearchRanking ranking(request.objective, request.limit);
        std::vector<std::array<double, 3>> keys;
        for (const FoundLayout& l : all) keys.push_back(ranking.key(figuresOf(l)));
        std::sort(keys.begin(), keys.end());
        QCOMPARE(found.best.size(), std::min(all.size(), request.limit));
        for (std::size_t i = 0; i < found.best.size(); ++i)
            QVERIFY(near(ranking.key(figuresOf(found.best[i]))[0], keys[i][0]));
        // Those that are no slower than the middle one: the same, as far as they go.
        LayoutRequest quick = request;
        quick.objective = SearchObjective::Speed;
        quick.limit = all.size() + 1;
        std::vector<double> seconds;
        for (const FoundLayout& l : all) seconds.push_back(l.step.stepSeconds);
        std::sort(seconds.begin(), seconds.end());
        if (!seconds.empty()) {
            quick.slowestStepSeconds = seconds[seconds.size() / 2];
            const auto slower = std::upper_bound(seconds.begin(), seconds.end(), quick.slowestStepSeconds);
            const LayoutSearch quickest = searchLayouts(quick);
            QCOMPARE(quickest.best.size(), static_cast<std::size_t>(slower - seconds.begin()));
            for (std::size_t i = 0; i < quickest.best.size(); ++i)
                QVERIFY(near(quickest.best[i].step.stepSeconds, seconds[i]));
        }
        // One of each family: the best of them, and no family twice.
        LayoutRequest distinct = request;
        distinct.distinct = true;
        std::map<LayoutFamily, std::array<double, 3>> families;
        for (const FoundLayout& l : all) {
            const auto key = ranking.key(figuresOf(l));
            const auto [best, isNew] = families.try_emplace(familyOf(l.parallel, l.microBatchSize, l.recompute), key);
            if (!isNew) best->second = std::min(best->second, key);
        }
        const std::vector<std::array<double, 3>> rows = withoutSwaps(families, request.objective);
        const LayoutSearch different = searchLayouts(distinct);
        QCOMPARE(different.best.size(), std::min(rows.size(), request.limit));
        std::set<LayoutFamily> listed;
        for (std::size_t i = 0; i < different.best.size(); ++i) {
            const FoundLayout& l = different.best[i];
            QVERIFY(near(ranking.key(figuresOf(l))[0], rows[i][0]));
            QVERIFY(listed.insert(familyOf(l.parallel, l.microBatchSize, l.recompute)).second);
        }
        QCOMPARE(different.front.size(), found.front.size());
        // The front by its definition: nothing is better everywhere, and everything is covered by it.
        const auto beats = [](const LayoutFigures& a, const LayoutFigures& b) {
            return a.stepSeconds < b.stepSeconds * (1 - 1e-9) && a.memoryBytes < b.memoryBytes * (1 - 1e-9);
        };
        for (const FoundLayout& l : all) {
            const LayoutFigures f = figuresOf(l);
            bool covered = false;
            for (const FoundLayout& best : found.front) {
                const LayoutFigures g = figuresOf(best);
                QVERIFY(!beats(f, g));
                covered = covered ||
                          (g.stepSeconds <= f.stepSeconds * (1 + 1e-9) && g.memoryBytes <= f.memoryBytes * (1 + 1e-9));
            }
            QVERIFY(covered);
        }
        // Every layout is looked at: estimated, or ruled out (some of the latter would not fit either).
        const double seen = counted(found, "estimated") + counted(found, "no_better");
        QVERIFY(seen >= static_cast<double>(all.size()));
        LayoutRequest whole = request;
        whole.prune = false;
        QCOMPARE(counted(searchLayouts(whole), "estimated"), static_cast<double>(all.size()));
    }

private slots:
    void equalsBruteForce_data() {
        QTest::addColumn<int>("seed");
#ifdef __SANITIZE_ADDRESS__
        constexpr int kSeeds = 8;  // a hundred times slower, and the same code
#else
        constexpr int kSeeds = 200;
#endif
        for (int seed = 0; seed < kSeeds; ++seed) QTest::newRow(qPrintable(QString::number(seed))) << seed;
    }
    void equalsBruteForce() {
        QFETCH(int, seed);
        std::mt19937 random(static_cast<unsigned>(seed));
        compareWithBruteForce(randomRequest(random));
    }
    // Mixtures of experts from a seed of each run's own; SLIPWAY_SEED repeats one.
    void mixturesEqualBruteForce() {
        bool isSet = false;
        const uint given = qEnvironmentVariable("SLIPWAY_SEED").toUInt(&isSet);
        const unsigned seed = isSet ? given : std::random_device{}();
        qInfo("SLIPWAY_SEED=%u", seed);
        std::mt19937 random(seed);
        for (int i = 0; i < 8 && !QTest::currentTestFailed(); ++i) {
            LayoutRequest request = randomRequest(random);
            MoeSpec& moe = request.config.model.moe.emplace();
            moe.numExperts = 4;
            moe.expertFfnHiddenSize = 256;
            moe.numDenseLayers = static_cast<std::int64_t>(random() % 2);
            moe.numSharedExperts = static_cast<std::int64_t>(random() % 2);
            compareWithBruteForce(request);
        }
    }
    // Buckets of the base have no effect with ZeRO-2 and 3: what is found is legal, and planned as it was evaluated.
    void bucketsOfTheBase() {
        int withUnits = 0;
        for (unsigned seed = 0; seed < 12; ++seed) {
            std::mt19937 random(seed);
            LayoutRequest request = randomRequest(random);
            request.config.parallel.bucketBytes = 1000000;
            for (const FoundLayout& l : searchLayouts(request).best) {
                const RunConfig config = l.applied(request.config);
                QVERIFY(!hasErrors(validate(config)));
                withUnits += config.parallel.zeroStage >= 2 && config.parallel.dp > 1 ? 1 : 0;
                QVERIFY(near(makePlan(config, request.cluster).step.stepSeconds, l.step.stepSeconds));
            }
        }
        QVERIFY(withUnits > 0);
    }
    void countsAddUp() {
        for (unsigned seed = 100; seed < 120; ++seed) {
            std::mt19937 random(seed);
            const LayoutSearch found = searchLayouts(randomRequest(random));
            double sum = 0;
            for (const SearchCount& c : found.counts) sum += c.layouts;
            QCOMPARE(sum, found.numLayouts);
        }
    }
    // The requests above have layouts that their nodes hold, and others.
    void nodesDecide() {
        int decided = 0;
        for (unsigned seed = 0; seed < 60; ++seed) {
            std::mt19937 random(seed);
            LayoutRequest request = randomRequest(random);
            if (!request.nodeBytes) continue;
            const LayoutSearch evaluated = evaluateLayouts(request);
            const double fit = counted(evaluated, "fits") + counted(evaluated, "undecided");
            if (fit > 0 && counted(evaluated, "host_does_not_fit") > 0) ++decided;
            // What the nodes do not hold would fit but for them.
            request.nodeBytes = kUnknown;
            const LayoutSearch roomy = evaluateLayouts(request);
            QCOMPARE(counted(roomy, "host_does_not_fit"), 0.0);
            QCOMPARE(counted(roomy, "fits") + counted(roomy, "undecided"),
                     fit + counted(evaluated, "host_does_not_fit"));
        }
        QVERIFY2(decided > 5, qPrintable(QString::number(decided)));
    }
    void pruningAndThreadsChangeNothing() {
        for (unsigned seed = 200; seed < 215; ++seed) {
            std::mt19937 random(seed);
            LayoutRequest request = randomRequest(random);
            request.distinct = seed % 2 == 1;
            const LayoutSearch pruned = searchLayouts(request);
            request.run = onThreads;
            const LayoutSearch threaded = searchLayouts(request);
            request.prune = false;
            const LayoutSearch whole = searchLayouts(request);
            for (const LayoutSearch* other : {&threaded, &whole}) {
                QCOMPARE(other->best.size(), pruned.best.size());
                QCOMPARE(other->front.size(), pruned.front.size());
                for (std::size_t i = 0; i < pruned.best.size(); ++i)
                    QCOMPARE(configHash(other->best[i].applied(request.config)),
                             configHash(pruned.best[i].applied(request.config)));
                for (std::size_t i = 0; i < pruned.front.size(); ++i)
                    QCOMPARE(configHash(other->front[i].applied(request.config)),
                             configHash(pruned.front[i].applied(request.config)));
            }
            QCOMPARE(threaded.counts.size(), pruned.counts.size());
            for (std::size_t i = 0; i < pruned.counts.size(); ++i) {
                QCOMPARE(threaded.counts[i].reason, pruned.counts[i].reason);
                QCOMPARE(threaded.counts[i].layouts, pruned.counts[i].layouts);
            }
        }
    }
    void fastEqualsPlan_data() {
        QTest::addColumn<QString>("model");
        for (const char* model : {"llama3-8b", "llama3.1-405b", "mixtral-8x7b", "deepseek-v3"})
            QTest::newRow(model) << model;
    }
    void fastEqualsPlan() {
        QFETCH(QString, model);
        RunConfig config;
        config.model = findModelPreset(model.toStdString())->model;
        config.train.seqLen = 4096;
        config.train.globalBatchSize = 512;
        config.train.precision = Precision::Bf16;
        config.train.device = DeviceKind::Gpu;
        config.checkpoint.everySteps = 100;
        ClusterSpec cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        cluster.numNodes = 32;
        std::mt19937 random(17);
        SearchLimits every;
        QVERIFY(every.set("schedule=afab,1f1b,interleaved_1f1b,zb_h1,zb_v,dualpipe,dualpipe_v"));
        const SearchSpace space(config, cluster, 256, every);
        int compared = 0, bounds = 0;
        LayoutEvaluator fast(config, cluster);
        while (compared < 250) {
            const Degrees& d = space.degrees[random() % space.degrees.size()];
            const std::int64_t micro = space.microBatchSizes[random() % 5];
            if (config.train.globalBatchSize % (micro * d.dp) != 0) continue;
            const auto options = space.layerOptions(d);
            LayerOptions chosen = options[random() % options.size()];
            chosen.recompute = static_cast<RecomputePolicy>(random() % 3);
            fast.setLayers(d, micro, chosen);
            if (hasErrors(validate(fast.config()))) continue;
            const auto pipelines = space.pipelines(d.pp);
            const auto shardings = space.shardings(d);
            // Several layouts from one table, as the search does.
            for (int i = 0; i < 4; ++i) {
                const PipelineChoice choice = pipelines[random() % pipelines.size()];
                if (!fast.setPipeline(choice)) continue;
                const Sharding sharding = shardings[random() % shardings.size()];
                const Offload offload = space.offloads[random() % space.offloads.size()];
                const double peak = fast.peakBytes(sharding, offload);
                if (hasErrors(validate(fast.config()))) continue;
                const double bound = fast.boundSeconds();
                const double ownBound = fast.boundSeconds(sharding, offload);
                LeastPipeline unknown;
                unknown.kinds = {};
                const double groupBound = fast.boundSeconds(unknown);
                const StepEstimate step = fast.estimate(sharding, offload);
                const Plan plan = makePlan(fast.config(), cluster);
                QVERIFY(near(peak, plan.memoryPeakBytes));
                const double host = nodeHostMemory(fast.config(), cluster, peak).neededBytes();
                QVERIFY(fast.hostFits(sharding, offload, peak, host * (1 + 1e-9)));
                QVERIFY(!fast.hostFits(sharding, offload, peak, host * (1 - 1e-9)));
                QVERIFY(near(step.stepSeconds, plan.step.stepSeconds));
                QVERIFY(near(step.tokensPerSecond, plan.step.tokensPerSecond));
                QVERIFY(near(step.bubbleSimulated, plan.step.bubbleSimulated) || step.bubbleSimulated < 1e-9);
                QVERIFY(near(step.commBytes, plan.step.commBytes));
                QVERIFY(near(step.stepSecondsHigh, plan.step.stepSecondsHigh));
                QVERIFY(bound <= plan.step.stepSeconds);
                QVERIFY(ownBound <= plan.step.stepSeconds);
                QVERIFY(groupBound <= bound * (1 + 1e-9));
                // What the bound speaks of: the passes, without what follows them.
                const StepEstimate& whole = plan.step;
                bounds += bound > 0.7 * (whole.stepSeconds - whole.dpExposedSeconds - whole.optimizerSeconds) ? 1 : 0;
                ++compared;
            }
        }
        QVERIFY2(bounds > compared / 2, "the bound is too loose to prune with");
    }
};

SLIPWAY_TEST(TstLayoutSearch)

}  // namespace slipway

#include "tst_layout_search.moc"
