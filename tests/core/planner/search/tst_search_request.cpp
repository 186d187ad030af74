#include "core/planner/search/search_request.h"

#include "core/base/units.h"
#include "core/planner/memory/memory.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

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
        r.onlyRunnable = true;
        const LayoutSearch runnable = searchLayouts(r);
        for (std::size_t i = 0; i < 5; ++i) QCOMPARE(five[i].step.stepSeconds, runnable.best[i].step.stepSeconds);
    }
};

SLIPWAY_TEST(TstSearchRequest)

}  // namespace slipway

#include "tst_search_request.moc"
