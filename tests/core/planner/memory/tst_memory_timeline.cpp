#include "core/planner/memory/memory_timeline.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

namespace slipway {

class TstMemoryTimeline : public QObject {
    Q_OBJECT

    static MemoryBreakdown peak() { return {10, 20, 120, 50, 7, 5, 3}; }

private slots:
    void momentsHoldWhatExistsByThen_data() {
        QTest::addColumn<bool>("early");
        QTest::addColumn<QList<double>>("totals");
        // start, first forward, first backward, first update, second step
        QTest::newRow("made before the first step") << true << QList<double>{153, 215, 215, 153, 215};
        QTest::newRow("made during the first step") << false << QList<double>{13, 75, 95, 153, 215};
    }
    void momentsHoldWhatExistsByThen() {
        QFETCH(bool, early);
        QFETCH(QList<double>, totals);
        const auto moments =
            memoryTimeline(peak(), early ? StateAllocation::BeforeFirstStep : StateAllocation::DuringFirstStep);
        QCOMPARE(static_cast<qsizetype>(moments.size()), totals.size());
        for (std::size_t i = 0; i < moments.size(); ++i) {
            QCOMPARE(static_cast<std::size_t>(moments[i].phase), i);
            QCOMPARE(moments[i].bytes.totalBytes(), totals[static_cast<qsizetype>(i)]);
            QVERIFY(moments[i].bytes.totalBytes() <= peak().totalBytes());
        }
    }

    void theStackDecides() {
        ClusterSpec cluster;
        QCOMPARE(allocationOf(cluster), StateAllocation::BeforeFirstStep);
        cluster.stack = StackProfile{};
        QCOMPARE(allocationOf(cluster), StateAllocation::DuringFirstStep);
    }

    void theSecondStepIsThePlansPeak() {
        RunConfig c;
        c.model = findModelPreset("llama3-8b")->model;
        c.train.seqLen = 2048;
        c.train.globalBatchSize = 64;
        c.train.device = DeviceKind::Gpu;
        c.train.precision = Precision::Bf16;
        c.parallel.dp = 8;
        const Plan plan = makePlan(c, *findDevicePreset("NVIDIA H100 SXM 80 GB"));
        QVERIFY(!plan.memory.empty());
        const auto moments = memoryTimeline(plan.memory[plan.worstStage].bytes, allocationOf(plan.cluster));
        QCOMPARE(moments.back().bytes.totalBytes(), plan.memoryPeakBytes);
    }
};

SLIPWAY_TEST(TstMemoryTimeline)

}  // namespace slipway

#include "tst_memory_timeline.moc"
