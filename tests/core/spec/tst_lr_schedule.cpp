// Learning-rate schedules beyond the rows of examples.csv: shapes, edges, the clamp.
#include "core/spec/lr_schedule.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

class TstLrSchedule : public QObject {
    Q_OBJECT
private slots:
    void shapes_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("shape");
        QTest::addColumn<int>("warmup");
        QTest::addColumn<double>("step");
        QTest::addColumn<double>("expected");  // lr 1, minimum 0.1, 100 steps, decay over the last 20
        const auto row = [](const char* name, LrScheduleKind kind, DecayShape shape, int warmup, double step,
                            double expected) {
            QTest::newRow(name) << static_cast<int>(kind) << static_cast<int>(shape) << warmup << step << expected;
        };
        using enum LrScheduleKind;
        row("first update of ten", Constant, DecayShape::Linear, 10, 1, 0.1);
        row("no warm-up divides by nothing", Cosine, DecayShape::Linear, 0, 0, 1);
        row("constant stays", Constant, DecayShape::Linear, 10, 500, 1);
        row("wsd stable", Wsd, DecayShape::Linear, 10, 80, 1);
        row("wsd linear half", Wsd, DecayShape::Linear, 10, 90, 0.55);
        row("wsd cosine quarter", Wsd, DecayShape::Cosine, 10, 85, 0.1 + 0.9 * 0.5 * (1 + 0.70710678118654752));
        row("wsd 1-sqrt quarter", Wsd, DecayShape::OneMinusSqrt, 10, 85, 0.1 + 0.9 * 0.5);
        row("wsd end", Wsd, DecayShape::OneMinusSqrt, 10, 100, 0.1);
        row("inverse sqrt in warm-up", InverseSqrt, DecayShape::Linear, 16, 8, 0.5);
        row("inverse sqrt at its top", InverseSqrt, DecayShape::Linear, 16, 16, 1);
        row("inverse sqrt, four times the warm-up", InverseSqrt, DecayShape::Linear, 16, 64, 0.5);
        row("inverse sqrt, floor", InverseSqrt, DecayShape::Linear, 16, 6400, 0.1);
        row("inverse sqrt without warm-up", InverseSqrt, DecayShape::Linear, 0, 4, 0.5);
        row("wsd past the end", Wsd, DecayShape::Cosine, 10, 140, 0.1);
        row("cosine past the end", Cosine, DecayShape::Linear, 10, 190, 0.1);
    }
    void shapes() {
        QFETCH(int, kind);
        QFETCH(int, shape);
        QFETCH(int, warmup);
        QFETCH(double, step);
        QFETCH(double, expected);
        LrSchedule schedule;
        schedule.kind = static_cast<LrScheduleKind>(kind);
        schedule.decayShape = static_cast<DecayShape>(shape);
        schedule.warmupSteps = warmup;
        schedule.decaySteps = 20;
        QVERIFY(std::fabs(learningRate(schedule, 1, step, 100) - expected) < 1e-12);
    }
    void decayLongerThanTheRunBeginsAfterWarmUp() {
        LrSchedule schedule;
        schedule.kind = LrScheduleKind::Wsd;
        schedule.warmupSteps = 10;
        schedule.decaySteps = 1000;
        QCOMPARE(learningRate(schedule, 1, 10, 100), 1.0);
        QVERIFY(std::fabs(learningRate(schedule, 1, 55, 100) - 0.55) < 1e-12);
    }
};

SLIPWAY_TEST(TstLrSchedule)
#include "tst_lr_schedule.moc"
