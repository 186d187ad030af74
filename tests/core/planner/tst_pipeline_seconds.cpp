// The recursion against the simulated list of actions.
#include "core/planner/schedule/pipeline_seconds.h"
#include "tests/support/slipway_test.h"

#include <random>

namespace slipway {

class TstPipelineSeconds : public QObject {
    Q_OBJECT
private slots:
    void equalsTheSimulatedSchedule_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("1f1b") << static_cast<int>(ScheduleKind::OneFOneB);
        QTest::newRow("afab") << static_cast<int>(ScheduleKind::Afab);
        QTest::newRow("interleaved") << static_cast<int>(ScheduleKind::InterleavedOneFOneB);
    }
    void equalsTheSimulatedSchedule() {
        QFETCH(int, kind);
        std::mt19937 random(7);
        std::uniform_real_distribution<double> seconds(0.5, 2);
        for (int i = 0; i < 300; ++i) {
            PipelineShape shape;
            shape.kind = static_cast<ScheduleKind>(kind);
            const bool interleaved = shape.kind == ScheduleKind::InterleavedOneFOneB;
            shape.pp = 2 + static_cast<std::int64_t>(random() % 7);
            shape.virtualStages = interleaved ? 2 + static_cast<std::int64_t>(random() % 3) : 1;
            shape.numMicroBatches = 1 + static_cast<std::int64_t>(random() % 60);
            if (interleaved) shape.numMicroBatches *= shape.pp;
            QVERIFY(hasRecursion(shape));
            // Equal stages with unequal ends as a model has them, or all unequal; transfers from none to long.
            const bool even = random() % 2 == 0;
            const double forward = seconds(random), transfer = random() % 3 * 0.3 * seconds(random);
            std::vector<StageSeconds> stages;
            for (std::int64_t s = 0; s < shape.numStages(); ++s) {
                const double own = even && s > 0 && s + 1 < shape.numStages() ? forward : seconds(random);
                stages.push_back({own, 1.1 * own, 0.9 * own, transfer, 1.3 * transfer});
            }
            const auto schedule = makeSchedule(shape.kind, shape.pp, shape.numMicroBatches, shape.virtualStages);
            QVERIFY(schedule.has_value());
            const double sample = simulateSchedule(*schedule, stages, false).totalSeconds;
            QVERIFY(qAbs(pipelineSeconds(shape, stages, true) / sample - 1) < 1e-10);
            for (StageSeconds& s : stages) s.sendForward = s.sendBackward = 0;
            const double withoutTransfers = simulateSchedule(*schedule, stages, false).totalSeconds;
            for (StageSeconds& s : stages) s.sendForward = s.sendBackward = transfer;
            QVERIFY(qAbs(pipelineSeconds(shape, stages, false) / withoutTransfers - 1) < 1e-10);
        }
    }
    void manyMicroBatchesCostAPeriodEach() {
        // Equal stages without transfers: (m + (p - 1) / v) passes of a rank.
        const PipelineShape shape{ScheduleKind::InterleavedOneFOneB, 4, 400000, 2};
        const std::vector<StageSeconds> stages(8, {1, 1, 1, 0, 0});
        QVERIFY(qAbs(pipelineSeconds(shape, stages, true) / (6 * (400000 + 3 / 2.0)) - 1) < 1e-12);
    }
    void otherKindsHaveNone() {
        QVERIFY(!hasRecursion({ScheduleKind::ZbH1, 4, 8, 1}));
        QVERIFY(!hasRecursion({ScheduleKind::InterleavedOneFOneB, 4, 6, 2}));
        QVERIFY(!hasRecursion({ScheduleKind::OneFOneB, 4, 8, 2}));
        QVERIFY(hasRecursion({ScheduleKind::ZbV, 1, 8, 2}));
    }
};

SLIPWAY_TEST(TstPipelineSeconds)

}  // namespace slipway

#include "tst_pipeline_seconds.moc"
