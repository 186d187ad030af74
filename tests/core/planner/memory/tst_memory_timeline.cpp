#include "core/planner/memory/memory.h"
#include "core/planner/memory/memory_timeline.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <algorithm>

namespace slipway {

class TstMemoryTimeline : public QObject {
    Q_OBJECT

    static StageMemory stage() {
        const MemoryBreakdown rest{10, 20, 120, 0, 0, 0, 1}, forward{10, 20, 120, 50, 7, 0, 3},
            backward{10, 20, 120, 50, 0, 5, 2}, update{10, 20, 120, 0, 0, 90, 4};
        return {0, 0, 1, update, {rest, forward, backward, update}};
    }
    static RunConfig config(const char* model) {
        RunConfig c;
        c.model = findModelPreset(model)->model;
        c.train.seqLen = 2048;
        c.train.microBatchSize = 1;
        c.train.globalBatchSize = 64;
        c.train.device = DeviceKind::Gpu;
        c.train.precision = Precision::Bf16;
        return c;
    }
    static Plan planOf(const RunConfig& c) { return makePlan(c, *findDevicePreset("NVIDIA H100 SXM 80 GB")); }

private slots:
    void momentsHoldWhatExistsByThen_data() {
        QTest::addColumn<bool>("early");
        QTest::addColumn<QList<double>>("totals");
        // start, first forward, first backward, first update, second step
        QTest::newRow("made before the first step") << true << QList<double>{151, 210, 207, 244, 244};
        QTest::newRow("made during the first step") << false << QList<double>{11, 70, 87, 244, 244};
    }
    void momentsHoldWhatExistsByThen() {
        QFETCH(bool, early);
        QFETCH(QList<double>, totals);
        const auto moments =
            memoryTimeline(stage(), early ? StateAllocation::BeforeFirstStep : StateAllocation::DuringFirstStep);
        QCOMPARE(static_cast<qsizetype>(moments.size()), totals.size());
        for (std::size_t i = 0; i < moments.size(); ++i) {
            QCOMPARE(static_cast<std::size_t>(moments[i].phase), i);
            QCOMPARE(moments[i].bytes.totalBytes(), totals[static_cast<qsizetype>(i)]);
        }
    }

    // Muon makes matrices whole: its update is the peak, and the passes before it keep their activations and no buffers of its.
    void theOptimizersMomentLeavesThePassesTheirs() {
        RunConfig c = config("llama3-8b");
        c.train.seqLen = 256;
        c.train.globalBatchSize = 8;
        c.optimizer.kind = OptimizerKind::Muon;
        c.parallel.dp = 8;
        c.parallel.zeroStage = 1;
        c.parallel.bucketBytes = std::int64_t{1} << 40;
        const Plan plan = planOf(c);
        QVERIFY(!plan.memory.empty());
        const StageMemory& rank = plan.memory[plan.worstStage];
        const StepMoments& m = rank.moments;
        QVERIFY(m.update.totalBytes() > m.backward.totalBytes() && m.update.activationBytes == 0);
        QVERIFY(m.forward.activationBytes > 0 && m.forward.logitsBytes > 0);
        QVERIFY(m.forward.bufferBytes < 0.01 * m.update.bufferBytes);
        double most = 0;
        for (const MemoryMoment& moment : memoryTimeline(rank, StateAllocation::BeforeFirstStep))
            most = std::max(most, moment.bytes.totalBytes());
        QCOMPARE(most, plan.memoryPeakBytes);
    }

    // A GPU sorts the embedding's rows into a whole table before they are added; a CPU adds row by row.
    void theEmbeddingsTableIsATemporary_data() {
        QTest::addColumn<int>("tp");
        QTest::addColumn<bool>("gpu");
        QTest::addColumn<int>("tables");
        QTest::newRow("one rank") << 1 << true << 1;
        QTest::newRow("two ranks") << 2 << true << 1;
        QTest::newRow("CPU") << 1 << false << 0;
    }
    void theEmbeddingsTableIsATemporary() {
        QFETCH(int, tp);
        QFETCH(bool, gpu);
        QFETCH(int, tables);
        const auto backward = [&](std::int64_t more) {
            RunConfig c = config("llama3-8b");
            c.train.seqLen = 256;
            c.train.device = gpu ? DeviceKind::Gpu : DeviceKind::Cpu;
            c.train.recompute.policy = RecomputePolicy::Full;
            c.parallel.pp = 4;
            c.parallel.tp = tp;
            c.model.vocabSize += more;
            const ClusterSpec cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
            return stageMemory(c, cluster, makePipeline(c)).front().moments.backward.bufferBytes;
        };
        constexpr std::int64_t kMore = 65536;
        QCOMPARE(backward(kMore) - backward(0), static_cast<double>(tables * kMore / tp) * 4096 * 4);
    }

    void theStackDecides() {
        ClusterSpec cluster;
        QCOMPARE(allocationOf(cluster), StateAllocation::BeforeFirstStep);
        cluster.stack = SoftwareStack{};
        QCOMPARE(allocationOf(cluster), StateAllocation::DuringFirstStep);
    }

    void theSecondStepIsThePlansPeak() {
        RunConfig c = config("llama3-8b");
        c.parallel.dp = 8;
        const Plan plan = planOf(c);
        QVERIFY(!plan.memory.empty());
        const auto moments = memoryTimeline(plan.memory[plan.worstStage], allocationOf(plan.cluster));
        QCOMPARE(moments.back().bytes.totalBytes(), plan.memoryPeakBytes);
    }
};

SLIPWAY_TEST(TstMemoryTimeline)

}  // namespace slipway

#include "tst_memory_timeline.moc"
