#include "core/base/units.h"
#include "core/planner/memory/memory.h"
#include "core/planner/presets.h"
#include "core/planner/search/explain_layout.h"
#include "core/planner/search/search_request.h"
#include "tests/support/slipway_test.h"

#include <set>

namespace slipway {

class TstSearchRequest : public QObject {
    Q_OBJECT

    static LayoutRequest request() {
        LayoutRequest r;
        r.config.train.device = DeviceKind::Gpu;
        r.config.train.precision = Precision::Bf16;
        r.config.parallel.dp = 8;
        r.config.train.globalBatchSize = 64;
        r.cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        r.cluster.numNodes = 1;
        return r;
    }

    /// Of one family, but for ranks swapped between data and context parallelism.
    static bool isOfTheClass(const FoundLayout& a, const FoundLayout& b) {
        const auto of = [](const FoundLayout& l) {
            return swapClassOf(familyOf(l.parallel, l.microBatchSize, l.recompute));
        };
        return of(a) == of(b);
    }

private slots:
    void nodesAreAddedOnlyWhereTheyLack_data() {
        QTest::addColumn<std::int64_t>("devices");
        QTest::addColumn<std::int64_t>("nodes");
        QTest::newRow("fits") << std::int64_t{8} << std::int64_t{1};
        QTest::newRow("one more") << std::int64_t{9} << std::int64_t{2};
        QTest::newRow("many") << std::int64_t{512} << std::int64_t{64};
    }
    void nodesAreAddedOnlyWhereTheyLack() {
        QFETCH(std::int64_t, devices);
        QFETCH(std::int64_t, nodes);
        LayoutRequest r = request();
        r.devices = {4, devices};
        growCluster(r);
        QCOMPARE(r.cluster.numNodes, nodes);
        r.cluster.numNodes = 100;
        growCluster(r);
        QCOMPARE(r.cluster.numNodes, std::int64_t{100});
        r.cluster.numNodes = 1;
        r.cluster.device.kind = DeviceKind::Cpu;
        growCluster(r);
        QCOMPARE(r.cluster.numNodes, std::int64_t{1});
    }

    void memoryIsLimitedPerRank() {
        LayoutRequest r = request();
        const double own = r.cluster.device.memoryBytes;
        limitMemory(r, 2 * own);
        QCOMPARE(capacityPerRank(r.config, r.cluster), own);
        limitMemory(r, 10 * kGiB);
        QCOMPARE(capacityPerRank(r.config, r.cluster), 10 * kGiB);
        LayoutRequest unknown = request();
        unknown.cluster.device.memoryBytes = 0;
        limitMemory(unknown, 5 * kGiB);
        QCOMPARE(capacityPerRank(unknown.config, unknown.cluster), 5 * kGiB);
        // The ranks of a CPU share what its node has.
        LayoutRequest cpu = request();
        cpu.cluster.device.kind = DeviceKind::Cpu;
        cpu.cluster.device.memoryBytes = 64 * kGiB;
        limitMemory(cpu, kGiB);
        QCOMPARE(capacityPerRank(cpu.config, cpu.cluster), kGiB);
    }

    // A limit that nothing can meet is told with its reason: the model's (8 heads, 4 of keys), the batch's, or the
    // search's options.
    void impossibleLimitsAreTold_data() {
        QTest::addColumn<QString>("limit");
        QTest::addColumn<QString>("told");
        QTest::addColumn<QString>("reason");
        QTest::newRow("illegal") << "tp=3"
                                 << "tp=3"
                                 << "model.num_heads is 8, not a multiple of parallel.tp = 3";
        QTest::newRow("no option") << "pp=3"
                                   << "pp=3"
                                   << "Values of this search: 1, 2, 4, 8.";
        QTest::newRow("one of two") << "tp=2,3"
                                    << "tp=3"
                                    << "model.num_heads is 8";
        QTest::newRow("no experts") << "ep=2"
                                    << "ep=2"
                                    << "model.moe";
        QTest::newRow("batch") << "micro_batch_size=5"
                               << "micro_batch_size=5"
                               << "not a multiple of micro_batch_size";
        QTest::newRow("range") << "tp>=9"
                               << "tp>=9"
                               << "Values of this search: 1, 2, 4, 8.";
        QTest::newRow("sharding") << "zero_stage=5"
                                  << "zero_stage=5"
                                  << "0, 1, 2, 3";
        QTest::newRow("possible") << "tp=2..4"
                                  << ""
                                  << "";
        QTest::newRow("none") << "schedule=zb_h1"
                              << ""
                              << "";
    }
    void impossibleLimitsAreTold() {
        QFETCH(QString, limit);
        QFETCH(QString, told);
        QFETCH(QString, reason);
        LayoutRequest r = request();
        r.config.model.numHeads = 8;
        r.config.model.numKvHeads = 4;
        QVERIFY(r.limits.set(limit.toStdString()));
        const auto impossible = impossibleLimits(r);
        QCOMPARE(impossible.size(), std::size_t(told.isEmpty() ? 0 : 1));
        if (impossible.empty()) return;
        QCOMPARE(QString::fromStdString(impossible.front().limit), told);
        QString reasons;
        for (const Message& one : impossible.front().reasons) reasons += QString::fromStdString(textOf(one)) + '\n';
        QVERIFY2(reasons.contains(reason), qPrintable(reasons));
    }

    void nothingFoundExceedsTheLimit() {
        LayoutRequest r = request();
        r.limit = 50;
        limitMemory(r, 2 * kGiB);
        const LayoutSearch found = searchLayouts(r);
        QVERIFY(!found.best.empty());
        for (const FoundLayout& l : found.best) QVERIFY(l.memoryPeakBytes <= 2 * kGiB);
    }

    // What is measured can be trained here; a config that cannot at all is listed as it is.
    void whatIsBenchmarkedCanRun() {
        LayoutRequest r = request();
        r.limit = 5;
        const LayoutSearch found = searchLayouts(r);
        const auto five = layoutsToBenchmark(r, found, 5);
        QCOMPARE(five.size(), std::size_t{5});
        for (const FoundLayout& l : five) QVERIFY(trainerSupports(l.applied(r.config)).empty());
        r.onlyRunnable = r.distinct = true;
        const LayoutSearch runnable = searchLayouts(r);
        for (std::size_t i = 0; i < 5; ++i) QCOMPARE(five[i].step.stepSeconds, runnable.best[i].step.stepSeconds);
    }

    // An entry names the layouts that the forecast cannot tell from it, and no others.
    void alternativesAreOfTheFamily() {
        LayoutRequest r = request();
        r.limit = 5;
        r.distinct = true;
        std::size_t named = 0;
        for (const FoundLayout& entry : searchLayouts(r).best) {
            std::set<std::string> own{configHash(entry.applied(r.config))};
            const auto others = alternativesTo(r, entry);
            for (const FoundLayout& l : others) {
                QVERIFY(own.insert(configHash(l.applied(r.config))).second);
                QVERIFY(isOfTheClass(l, entry));
                QVERIFY(l.step.stepSeconds >= entry.step.stepSeconds * (1 - 1e-9));
                QVERIFY(l.step.stepSeconds <= entry.step.stepSeconds * (1 + kSameForecast));
                QVERIFY(!changesText(r.config, entry, l).empty());
            }
            // As many as a list of every layout has.
            LayoutRequest every = r;
            every.distinct = false;
            every.limit = 2000;
            std::size_t count = 0;
            for (const FoundLayout& l : searchLayouts(every).best)
                count += isOfTheClass(l, entry) && l.step.stepSeconds >= entry.step.stepSeconds * (1 - 1e-9) &&
                                 l.step.stepSeconds <= entry.step.stepSeconds * (1 + kSameForecast)
                             ? 1
                             : 0;
            QCOMPARE(others.size() + 1, count);
            named += others.size();
        }
        QVERIFY(named > 0);
    }

    // Whatever the list is ordered by, an entry's alternatives come by speed.
    void alternativesComeBySpeed() {
        LayoutRequest r = request();
        r.limit = 3;
        r.distinct = true;
        r.devices = {4, 8};
        r.objective = SearchObjective::Memory;
        std::size_t named = 0;
        for (const FoundLayout& entry : searchLayouts(r).best) {
            LayoutRequest other = r;
            other.objective = SearchObjective::Speed;
            const auto others = alternativesTo(r, entry), expected = alternativesTo(other, entry);
            QCOMPARE(others.size(), expected.size());
            for (std::size_t i = 0; i < others.size(); ++i) {
                QCOMPARE(others[i].step.stepSeconds, expected[i].step.stepSeconds);
                QCOMPARE(others[i].parallel.worldSize(), entry.parallel.worldSize());
            }
            named += others.size();
        }
        QVERIFY(named > 1);
    }

    // A list of every variant is not what is measured.
    void fiveFamiliesAreBenchmarked() {
        LayoutRequest r = request();
        r.limit = 5;
        r.onlyRunnable = true;
        std::set<LayoutFamily> families;
        for (const FoundLayout& l : layoutsToBenchmark(r, searchLayouts(r), 5))
            families.insert(familyOf(l.parallel, l.microBatchSize, l.recompute));
        QCOMPARE(families.size(), std::size_t{5});
    }

    void familiesAreUsefullyDifferent() {
        const ParallelLayout plain;
        const auto family = [](const ParallelLayout& p, std::int64_t microBatch = 2,
                               RecomputePolicy recompute = RecomputePolicy::None) {
            return familyOf(p, microBatch, recompute);
        };
        std::set<LayoutFamily> seen{family(plain), family(plain, 4), family(plain, 2, RecomputePolicy::Full),
                                    family(plain, 2, RecomputePolicy::Selective)};
        std::size_t count = 4;
        for (auto degree : {&ParallelLayout::dp, &ParallelLayout::tp, &ParallelLayout::pp, &ParallelLayout::cp,
                            &ParallelLayout::ep, &ParallelLayout::virtualStages}) {
            ParallelLayout p = plain;
            p.*degree = 2;
            seen.insert(family(p));
            ++count;
        }
        ParallelLayout scheduled = plain;
        scheduled.schedule = ScheduleKind::Afab;
        seen.insert(family(scheduled));
        QCOMPARE(seen.size(), count + 1);
        ParallelLayout away = plain;
        away.offload = Offload::All;
        away.zeroStage = 1;
        QVERIFY(family(away) == family(plain));
    }

    // dp 8 with one sequence and dp 4, cp 2 with two of half the length are one to the forecast: one entry, which the
    // other stands behind.
    void swapsStandBehindOneEntry() {
        LayoutRequest r = request();
        r.config.model = findModelPreset("llama3-8b")->model;
        r.config.train.seqLen = 8192;
        r.config.train.globalBatchSize = 128;
        r.devices = {64};
        growCluster(r);
        r.distinct = true;
        r.limit = 5;
        r.onlyRunnable = true;
        const LayoutSearch found = searchLayouts(r);
        const std::vector<FoundLayout> five = layoutsToBenchmark(r, found, 5);
        QCOMPARE(five.size(), std::size_t{5});
        LayoutRequest every = r;
        every.distinct = false;
        every.limit = 3000;
        const std::vector<FoundLayout> all = searchLayouts(every).best;
        std::size_t swapped = 0;
        std::set<std::string> behind;
        for (std::size_t i = 0; i < five.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(!isOfTheClass(five[i], five[j]) ||
                        five[i].step.stepSeconds > five[j].step.stepSeconds * (1 + kSameForecast));
            behind.insert(configHash(five[i].applied(r.config)));
            for (const FoundLayout& l : alternativesTo(r, five[i])) {
                QVERIFY(l.step.stepSeconds >= five[i].step.stepSeconds * (1 - 1e-9));
                behind.insert(configHash(l.applied(r.config)));
                if (l.parallel.cp == five[i].parallel.cp) continue;
                ++swapped;
                const std::string change = changesText(r.config, five[i], l);
                QVERIFY2(change.find("dp ") != std::string::npos && change.find("cp ") != std::string::npos,
                         change.c_str());
            }
        }
        QVERIFY(swapped > 3);
        // Nothing as fast as the fifth is missing: every layout is an entry or stands behind one.
        for (const FoundLayout& l : all) {
            if (l.step.stepSeconds > five.back().step.stepSeconds) break;
            const bool slower = std::any_of(five.begin(), five.end(), [&](const FoundLayout& entry) {
                return isOfTheClass(l, entry) && l.step.stepSeconds > entry.step.stepSeconds * (1 + kSameForecast);
            });
            QVERIFY2(slower || behind.contains(configHash(l.applied(r.config))),
                     layoutText(l.parallel, l.microBatchSize, l.recompute).c_str());
        }
    }

    void changesAreNamed() {
        const LayoutRequest r = request();
        FoundLayout from, to;
        from.parallel.dp = to.parallel.dp = 8;
        from.parallel.zeroStage = to.parallel.zeroStage = 1;
        to.parallel.dpShard = 4;
        to.parallel.offload = Offload::Optimizer;
        QCOMPARE(changesText(r.config, from, to), std::string("dp_shard 4, offload optimizer"));
        QCOMPARE(changesText(r.config, from, from), std::string());
    }
};

SLIPWAY_TEST(TstSearchRequest)

}  // namespace slipway

#include "tst_search_request.moc"
