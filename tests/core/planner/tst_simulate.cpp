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
        for (const int pp : {2, 3, 4, 6, 8})
            for (const int m : {2 * pp, 3 * pp + 1, 4 * pp}) {
                row(ScheduleKind::ZbH1, pp, m, 1);
                row(ScheduleKind::DualPipeV, pp, m, 2);
                if (pp % 2 == 0 && m % 2 == 0) row(ScheduleKind::DualPipe, pp, m, 1);
            }
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
        const SimulatedSchedule simulated = simulateSchedule(*schedule, stages);
        const double expected = bubbleFraction(static_cast<ScheduleKind>(kind), pp, microBatches, chunks);
        QVERIFY2(qAbs(simulated.bubble() - expected) < 1e-12,
                 qPrintable(QString::number(simulated.bubble()) + " != " + QString::number(expected)));
        QVERIFY(qAbs(simulated.totalSeconds -
                     3 * microBatches *
                         (1 + bubbleOverhead(static_cast<ScheduleKind>(kind), pp, microBatches, chunks))) < 1e-9);
    }
    // DeepSeek-V3 (2412.19437), sec. 3.2.1: each pass of a pair hides its communication under the other's computing.
    void pairsOfDualPipeOverlap_data() {
        QTest::addColumn<double>("forwardComm");
        QTest::addColumn<double>("backwardComm");
        QTest::addColumn<double>("saved");
        // Computing: 1 forward, 2 backward.
        QTest::newRow("no communication, no gain") << 0.0 << 0.0 << 0.0;
        QTest::newRow("all of it hides") << 0.5 << 0.75 << 1.25;
        QTest::newRow("a backward's has only the forward to hide under") << 0.0 << 5.0 << 1.0;
        QTest::newRow("a forward's has the backward") << 5.0 << 0.0 << 2.0;
        QTest::newRow("communication alone remains") << 50.0 << 50.0 << 3.0;
    }
    void pairsOfDualPipeOverlap() {
        QFETCH(double, forwardComm);
        QFETCH(double, backwardComm);
        QFETCH(double, saved);
        StageSeconds s{1 + forwardComm, 1 + backwardComm, 1};
        const StageSeconds exposed = s;
        s.forwardCommSeconds = forwardComm;
        s.backwardCommSeconds = backwardComm;
        QCOMPARE(pairOverlapSeconds(s, s), saved);
        const auto busy = [](ScheduleKind kind, int m, const StageSeconds& stage) {
            const int chunks = kind == ScheduleKind::DualPipeV ? 2 : 1;
            const std::vector<StageSeconds> stages(static_cast<std::size_t>(4 * chunks), stage);
            return simulateSchedule(*makeSchedule(kind, 4, m, chunks), stages).busySeconds;
        };
        for (const ScheduleKind kind : {ScheduleKind::DualPipe, ScheduleKind::DualPipeV}) {
            const auto with = busy(kind, 64, s), without = busy(kind, 64, exposed);
            const auto longer = busy(kind, 66, s);
            // Once full, every micro-batch of a rank's two chunks (DualPipe: of its two directions) is part of two
            // pairs.
            const double pairs = kind == ScheduleKind::DualPipe ? 2 : 4;
            for (std::size_t rank = 0; rank < with.size(); ++rank) {
                const double perPass = exposed.forward + exposed.backwardInput + exposed.backwardWeight;
                QVERIFY(qAbs(longer[rank] - with[rank] - pairs * (perPass - saved)) < 1e-9);
                QVERIFY(saved > 0 ? with[rank] < without[rank] : qAbs(with[rank] - without[rank]) < 1e-9);
            }
        }
        // Other schedules have no pairs.
        const auto plain = busy(ScheduleKind::OneFOneB, 64, s), same = busy(ScheduleKind::OneFOneB, 64, exposed);
        QVERIFY(plain == same);
    }
    void spansOfARankDoNotOverlap() {
        const auto schedule = makeSchedule(ScheduleKind::InterleavedOneFOneB, 4, 8, 2);
        std::vector<StageSeconds> stages;
        for (int i = 0; i < 8; ++i) stages.push_back({1 + 0.1 * i, 1.3, 0.7, 0.2, 0.1});
        const SimulatedSchedule simulated = simulateSchedule(*schedule, stages);
        std::map<std::int64_t, double> last;
        std::map<std::int64_t, int> passes;
        for (const TimeSpan& span : simulated.spans) {
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
        const SimulatedSchedule simulated = simulateSchedule(*schedule, {{1, 1, 1, 0.25, 0}, {2, 1, 1, 0, 0.5}});
        // F0 1, send 0.25, F1 2, B1 2, send 0.5, B0 2
        QCOMPARE(simulated.totalSeconds, 7.75);
    }
    void zeroBubbleVHasNoneFromFirstToLastPass() {
        // Qi 2023, table 1: none when F = B = W. A step that begins on all ranks together still waits for the fill.
        for (const int pp : {2, 3, 4, 8})
            for (const int m : {2 * pp, 3 * pp + 1}) {
                const auto schedule = makeSchedule(ScheduleKind::ZbV, pp, m, 2);
                const std::vector<StageSeconds> stages(static_cast<std::size_t>(2 * pp), StageSeconds{1, 1, 1, 0, 0});
                const SimulatedSchedule simulated = simulateSchedule(*schedule, stages);
                QCOMPARE(simulated.longestSpanSeconds, 6.0 * m * (1 + bubbleOverhead(ScheduleKind::ZbV, pp, m, 2)));
                QCOMPARE(simulated.totalSeconds, 6.0 * (m + (pp - 1) / 6.0));
            }
    }
    void zeroBubbleH1WithUnequalPasses_data() {
        QTest::addColumn<double>("f");
        QTest::addColumn<double>("b");
        QTest::addColumn<double>("w");
        QTest::newRow("equal") << 1.0 << 1.0 << 1.0;
        QTest::newRow("attention-heavy") << 1.0 << 1.25 << 0.75;
        QTest::newRow("recomputing") << 1.0 << 2.0 << 0.75;
    }
    void zeroBubbleH1WithUnequalPasses() {
        // (p - 1)(F + B - W) over m (F + B + W); Qi 2023, table 1.
        QFETCH(double, f);
        QFETCH(double, b);
        QFETCH(double, w);
        const int pp = 4, m = 12;
        const std::vector<StageSeconds> stages(pp, StageSeconds{f, b, w, 0, 0});
        const auto total = [&](ScheduleKind kind) {
            return simulateSchedule(*makeSchedule(kind, pp, m, 1), stages).totalSeconds;
        };
        QCOMPARE(total(ScheduleKind::ZbH1), m * (f + b + w) + (pp - 1) * (f + b - w));
        QCOMPARE(total(ScheduleKind::OneFOneB), m * (f + b + w) + (pp - 1) * (f + b + w));
    }
    void unevenStagesAndTransfersPlayThrough() {
        for (const auto& [kind, word, help, label] : enumNames(ScheduleKind{})) {
            const bool two = kind == ScheduleKind::InterleavedOneFOneB || kind == ScheduleKind::ZbV ||
                             kind == ScheduleKind::DualPipeV;
            const auto schedule = makeSchedule(kind, 4, 8, two ? 2 : 1);
            QVERIFY(schedule.has_value());
            std::vector<StageSeconds> stages;
            for (std::int64_t i = 0; i < schedule->numStages; ++i)
                stages.push_back({1 + 0.1 * double(i), 1.3, 0.7, 0.2, 0.1});
            const SimulatedSchedule simulated = simulateSchedule(*schedule, stages);
            double busy = 0, work = 0;
            for (const double seconds : simulated.busySeconds) busy += seconds;
            for (const StageSeconds& s : stages) work += 8 * (s.forward + s.backwardInput + s.backwardWeight);
            QVERIFY2(qAbs(busy - work) < 1e-9, word.data());  // every pass of every stage, once
            QVERIFY(simulated.totalSeconds > busy / 4);
        }
    }
    void zeroBubbleFormulas() {
        QCOMPARE(bubbleUnits(ScheduleKind::ZbH1, 4, 1), 1.0);
        QCOMPARE(bubbleUnits(ScheduleKind::ZbV, 4, 2), 0.0);
        // deepseek-ai/DualPipe: (PP/2 - 1)(F&B + B - 3W) with F = 1, B = 2, W = 1, over 3 (3 + 3 on the V) units of
        // work.
        QCOMPARE(bubbleUnits(ScheduleKind::DualPipe, 8, 1), 3 * (3 + 2 - 3) / 3.0);
        QCOMPARE(bubbleUnits(ScheduleKind::DualPipeV, 4, 2), 3 * (3 + 2 - 3) / 6.0);
        QCOMPARE(bubbleFraction(ScheduleKind::OneFOneB, 8, 32, 1), 7.0 / 39);
    }
};

SLIPWAY_TEST(TstSimulate)

}  // namespace slipway

#include "tst_simulate.moc"
