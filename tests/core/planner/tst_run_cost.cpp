// Cost in all: identities, published figures, and unknown that stays unknown.
#include "core/planner/cost/run_cost.h"
#include "core/planner/presets.h"
#include "core/planner/variants/scaling_curve.h"
#include "tests/support/slipway_test.h"

#include <cmath>

namespace slipway {

class TstRunCost : public QObject {
    Q_OBJECT
private slots:
    void unknownStaysUnknown() {
        const RunCost cost = runCost({.busySeconds = 3600, .devices = 16});
        QCOMPARE(cost.deviceHours, 16.0);
        QCOMPARE(cost.wallSeconds, 3600.0);
        QCOMPARE(cost.ettr, 1.0);
        QVERIFY(!cost.money && !cost.energyKwh && !cost.carbonKg && !cost.mtbfSeconds && !cost.failures);
        // A grid's carbon says nothing without the device's power.
        QVERIFY(!runCost({.busySeconds = 3600, .devices = 16, .gramsPerKwh = 400}).carbonKg);
    }
    void moneyEnergyCarbon() {
        const RunCost cost = runCost({.busySeconds = 7200,
                                      .devices = 1000,
                                      .pricePerHour = 2.5,
                                      .powerWatts = 700,
                                      .powerUsageEffectiveness = 1.2,
                                      .gramsPerKwh = 380});
        QCOMPARE(*cost.money, 2000 * 2.5);
        QVERIFY(qAbs(*cost.energyKwh - 2000 * 0.7 * 1.2) < 1e-9);
        QVERIFY(qAbs(*cost.carbonKg - 2000 * 0.7 * 1.2 * 0.38) < 1e-9);
    }
    void llama3IsAboutNinetyPercentEffective() {
        // 54 days, 16,384 GPUs, 419 interruptions, more than 90 % effective (Llama 3, sec. 3.3.4).
        CostQuestion q{.busySeconds = 54.0 * 86400 * 0.9, .devices = 16384};
        q.nodeMtbfSeconds = llama3Reliability().nodeMtbfSeconds;
        q.checkpointSeconds = 30;
        q.restartSeconds = 300;
        const RunCost cost = runCost(q);
        QVERIFY(qAbs(*cost.mtbfSeconds / 3600 - 3.09) < 0.01);  // one every three hours
        QVERIFY(cost.ettr > 0.88 && cost.ettr < 0.95);
        QVERIFY(qAbs(*cost.failures - 419) < 25);
        QCOMPARE(cost.wallSeconds, cost.busySeconds / cost.ettr);
        QCOMPARE(cost.deviceHours, cost.wallSeconds / 3600 * 16384);
    }
    void bestIntervalIsBest() {
        CostQuestion q{.busySeconds = 1e6, .devices = 1024};
        q.nodeMtbfSeconds = 100 * 86400;
        q.checkpointSeconds = 60;
        q.restartSeconds = 600;
        const RunCost best = runCost(q);
        QVERIFY(qAbs(*best.bestIntervalSeconds - std::sqrt(2 * 60 * 100 * 86400 / 128.0)) < 1e-6);
        for (const double times : {0.25, 0.5, 2.0, 4.0}) {
            q.checkpointEverySeconds = *best.bestIntervalSeconds * times;
            const RunCost other = runCost(q);
            QVERIFY(other.ettr < best.ettr && other.wallSeconds > best.wallSeconds);
            QCOMPARE(*other.bestIntervalSeconds, *best.bestIntervalSeconds);
        }
    }
    void checkpointsCostWithoutFailuresToo() {
        const RunCost cost = runCost({.busySeconds = 1000, .checkpointSeconds = 25, .checkpointEverySeconds = 100});
        QVERIFY(qAbs(cost.ettr - 0.8) < 1e-12 && qAbs(cost.wallSeconds - 1250) < 1e-9 && !cost.failures);
        const RunCost instant = runCost({.busySeconds = 1000, .nodeMtbfSeconds = 1e6, .restartSeconds = 100});
        QVERIFY(instant.ettr > 0.99 && std::isfinite(instant.wallSeconds));
    }
    void strongAndWeakScaling() {
        RunConfig c;
        c.model = findModelPreset("llama3-8b")->model;
        c.train.precision = Precision::Bf16;
        c.train.device = DeviceKind::Gpu;
        c.train.seqLen = 4096;
        c.train.globalBatchSize = 64;
        c.train.microBatchSize = 1;
        c.parallel.dp = 8;
        c.parallel.tp = 1;
        c.parallel.zeroStage = 1;
        const ClusterSpec h100 = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        const auto strong = scalingCurve(c, h100, ScalingMode::Strong, 5),
                   weak = scalingCurve(c, h100, ScalingMode::Weak, 5);
        QCOMPARE(strong.size(), std::size_t{5});
        QCOMPARE(strong[2].devices, std::int64_t{32});
        QCOMPARE(strong[0].efficiency, 1.0);
        QCOMPARE(weak[3].globalBatchSize, std::int64_t{512});
        for (std::size_t i = 1; i < 4; ++i) {
            QVERIFY(strong[i].efficiency < strong[i - 1].efficiency);
            QVERIFY(weak[i].efficiency >= strong[i].efficiency);
            QVERIFY(strong[i].stepSeconds < strong[i - 1].stepSeconds);
        }
        // 128 replicas cannot share 64 sequences.
        QVERIFY(!strong[4].obstacle.empty() && std::isnan(strong[4].efficiency));
        QVERIFY(weak[4].obstacle.empty() || weak[4].obstacle.find("global_batch") == std::string::npos);
    }
};

SLIPWAY_TEST(TstRunCost)

}  // namespace slipway

#include "tst_run_cost.moc"
