// Bytes per parameter of what the bundled trainer holds.
#include "core/planner/memory/policy.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

class TstPolicy : public QObject {
    Q_OBJECT
private slots:
    void trainer_data() {
        QTest::addColumn<int>("precision");
        QTest::addColumn<bool>("rounded");
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("bytes");
        const auto row = [](Precision precision, bool rounded, OptimizerKind kind, double bytes) {
            QTest::addRow("%s%s %s", wordOf(precision).data(), rounded ? " rounded" : "", wordOf(kind).data())
                << static_cast<int>(precision) << rounded << static_cast<int>(kind) << bytes;
        };
        row(Precision::Fp64, false, OptimizerKind::AdamW, 8 + 8 + 16);
        row(Precision::Fp32, false, OptimizerKind::AdamW, 4 + 4 + 8);
        row(Precision::Tf32, false, OptimizerKind::AdamW, 4 + 4 + 8);
        row(Precision::Bf16, false, OptimizerKind::AdamW, 2 + 4 + 4 + 8);
        row(Precision::Bf16, true, OptimizerKind::AdamW, 2 + 4 + 8);
        row(Precision::Bf16, true, OptimizerKind::Lion, 2 + 4 + 4);
        row(Precision::Fp8, false, OptimizerKind::AdamW, 2 + 4 + 4 + 8);
        // The option is of bf16 runs alone.
        row(Precision::Fp16, true, OptimizerKind::AdamW, 2 + 4 + 4 + 8);
    }
    void trainer() {
        QFETCH(int, precision);
        QFETCH(bool, rounded);
        QFETCH(int, kind);
        QFETCH(double, bytes);
        TrainSpec train;
        train.precision = static_cast<Precision>(precision);
        train.stochasticRounding = rounded;
        OptimizerSpec optimizer;
        optimizer.kind = static_cast<OptimizerKind>(kind);
        QCOMPARE(trainerStatePolicy(train, optimizer).totalBytes(), bytes);
    }
};
SLIPWAY_TEST(TstPolicy)
#include "tst_policy.moc"
