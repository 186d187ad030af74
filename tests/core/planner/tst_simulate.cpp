// The event simulation against the closed forms, and properties that hold for any stages.
#include "core/planner/schedule/bubble.h"
#include "tests/support/slipway_test.h"

#include <map>

namespace slipway {

class TstSimulate : public QObject {
    Q_OBJECT
private slots:
    void equalStagesGiveTheFormula_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("pp");
        QTest::addColumn<int>("microBatches");
        QTest::addColumn<int>("chunks");
        const auto row = [](ScheduleKind kind, int pp, int m, int v) {
            QTest::addRow("%s p%d m%d v%d", std::string(wordOf(kind)).c_str(), pp, m, v)
                << static_cast<int>(kind) << pp << m << v;
        };
        for (const int pp : {1, 2, 3, 4, 8, 16})
            for (const int m : {1, 2, 4, 7, 8, 16, 64}) {
                row(ScheduleKind::Afab, pp, m, 1);
                row(ScheduleKind::OneFOneB, pp, m, 1);
            }
        for (const int pp : {2, 4, 8})
            for (const int times : {1, 2, 4})
                for (const int v : {2, 4}) row(ScheduleKind::InterleavedOneFOneB, pp, pp * times, v);
    }
    void equalStagesGiveTheFormula() {
        QFETCH(int, kind);
        QFETCH(int, pp);
        QFETCH(int, microBatches);
        QFETCH(int, chunks);
        const auto schedule = makeSchedule(static_cast<ScheduleKind>(kind), pp, microBatches, chunks);
        QVERIFY(schedule.has_value());
        const std::vector<StageSeconds> stages(static_cast<std::size_t>(schedule->numStages),
                                               StageSeconds{1.0 / chunks, 1.0 / chunks, 1.0 / chunks, 0, 0});
        const SimulatedSchedule played = simulateSchedule(*schedule, stages);
        const double expected = bubbleFraction(static_cast<ScheduleKind>(kind), pp, microBatches, chunks);
        QVERIFY2(qAbs(played.bubble() - expected) < 1e-12,
                 qPrintable(QString::number(played.bubble()) + " != " + QString::number(expected)));
        QVERIFY(qAbs(played.totalSeconds -
                     3 * microBatches *
                         (1 + bubbleOverhead(static_cast<ScheduleKind>(kind), pp, microBatches, chunks))) < 1e-9);
    }
    void spansOfARankDoNotOverlap() {
        const auto schedule = makeSchedule(ScheduleKind::InterleavedOneFOneB, 4, 8, 2);
        std::vector<StageSeconds> stages;
        for (int i = 0; i < 8; ++i) stages.push_back({1 + 0.1 * i, 1.3, 0.7, 0.2, 0.1});
        const SimulatedSchedule played = simulateSchedule(*schedule, stages);
        std::map<std::int64_t, double> last;
        std::map<std::int64_t, int> passes;
        for (const TimeSpan& span : played.spans) {
            QVERIFY(span.startSeconds >= last[span.rank] - 1e-12 && span.endSeconds >= span.startSeconds);
            last[span.rank] = span.endSeconds;
            passes[span.rank] += span.kind == ActionKind::Forward || span.kind == ActionKind::BackwardFull;
        }
        for (const auto& [rank, count] : passes) QCOMPARE(count, 2 * 8 * 2);
        QCOMPARE(passes.size(), std::size_t{4});
    }
    void slowTransfersAndUnevenStagesCost() {
        const auto schedule = makeSchedule(ScheduleKind::OneFOneB, 4, 8, 1);
        const auto total = [&](double send, double lastStage) {
            std::vector<StageSeconds> stages(4, StageSeconds{1, 1, 1, send, send});
            stages.back() = {lastStage, lastStage, lastStage, send, send};
            return simulateSchedule(*schedule, stages, false).totalSeconds;
        };
        QCOMPARE(total(0, 1), 33.0);
        QVERIFY(total(0.5, 1) > total(0, 1));
        // The slow last stage sets the pace: its eight micro-batches, and one pass through the others.
        QCOMPARE(total(0, 2), 8 * 6.0 + 3 * 3.0);
    }
    void messagesArriveAfterTheyAreSent() {
        const auto schedule = makeSchedule(ScheduleKind::Afab, 2, 1, 1);
        const SimulatedSchedule played = simulateSchedule(*schedule, {{1, 1, 1, 0.25, 0}, {2, 1, 1, 0, 0.5}});
        // F0 1, send 0.25, F1 2, B1 2, send 0.5, B0 2
        QCOMPARE(played.totalSeconds, 7.75);
    }
    void zeroBubbleFormulas() {
        QCOMPARE(bubbleUnits(ScheduleKind::ZbH1, 4, 1), 1.0);
        QCOMPARE(bubbleUnits(ScheduleKind::ZbV, 4, 2), 0.0);
        QCOMPARE(bubbleFraction(ScheduleKind::OneFOneB, 8, 32, 1), 7.0 / 39);
    }
};

SLIPWAY_TEST(TstSimulate)

}  // namespace slipway

#include "tst_simulate.moc"
