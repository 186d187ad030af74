// A plan is made while a slider moves: at most 5 ms, layouts of a large cluster included.
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <chrono>

namespace slipway {

class TstPlanSpeed : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
#ifdef __SANITIZE_ADDRESS__
        QSKIP("times mean nothing under a sanitizer");
#endif
    }
    void plan_data() {
        QTest::addColumn<int>("nodes");
        QTest::addColumn<int>("globalBatch");
        QTest::newRow("405B on 2,048 devices") << 256 << 2048;
        QTest::newRow("405B on 16,384 devices") << 2048 << 16384;
        QTest::newRow("405B with 4,096 micro-batches") << 256 << 65536;
    }
    void plan() {
        QFETCH(int, nodes);
        QFETCH(int, globalBatch);
        RunConfig c;
        c.model = findModelPreset("llama3.1-405b")->model;
        c.train.seqLen = 8192;
        c.train.microBatchSize = 1;
        c.train.globalBatchSize = globalBatch;
        c.train.precision = Precision::Bf16;
        c.train.device = DeviceKind::Gpu;
        c.parallel.tp = 8;
        c.parallel.pp = 16;
        c.parallel.dp = nodes / 16;
        c.parallel.sequenceParallel = true;
        c.parallel.zeroStage = 1;
        ClusterSpec cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        cluster.numNodes = nodes;
        QVERIFY(!hasErrors(validate(c)));
        double best = 1e9;
        for (int i = 0; i < 10; ++i) {
            const auto start = std::chrono::steady_clock::now();
            const Plan plan = makePlan(c, cluster);
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
            QVERIFY(plan.step.stepSeconds > 0);
        }
        qInfo("%.2f ms", best * 1e3);
        QVERIFY(best < 0.005);
    }
    void ranking() {
        RunConfig c;
        c.model = findModelPreset("llama3-70b")->model;
        c.train.seqLen = 8192;
        c.train.globalBatchSize = 1024;
        c.train.precision = Precision::Bf16;
        c.train.device = DeviceKind::Gpu;
        c.parallel.dp = 512;
        ClusterSpec cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        cluster.numNodes = 64;
        const auto start = std::chrono::steady_clock::now();
        const auto choices = rankLayouts(c, cluster, 5);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        QCOMPARE(choices.size(), std::size_t{5});
        for (const LayoutChoice& l : choices)
            qInfo("tp %lld pp %lld dp %lld zero %lld sp %d mbs %lld recompute %d: %.2f s, %.1f GB",
                  static_cast<long long>(l.parallel.tp), static_cast<long long>(l.parallel.pp),
                  static_cast<long long>(l.parallel.dp), static_cast<long long>(l.parallel.zeroStage),
                  l.parallel.sequenceParallel, static_cast<long long>(l.microBatchSize), static_cast<int>(l.recompute),
                  l.stepSeconds, l.memoryPeakBytes / 1e9);
        qInfo("ranking layouts of 70B on 512 devices takes %.0f ms", seconds * 1e3);
        QVERIFY(seconds < 1);
    }
};

SLIPWAY_TEST(TstPlanSpeed)

}  // namespace slipway

#include "tst_plan_speed.moc"
