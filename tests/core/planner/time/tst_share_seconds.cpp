// What hides the reduction of gradients: the last micro-batch's backward passes, from ZeRO-2 on those of each.
#include "core/planner/advice/advice.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <algorithm>

namespace slipway {

class TstShareSeconds : public QObject {
    Q_OBJECT

    /// 70B on 512 devices, tp 8.
    static RunConfig config(std::int64_t zeroStage, std::int64_t microBatches) {
        RunConfig c;
        c.model = findModelPreset("llama3-70b")->model;
        c.train.seqLen = 8192;
        c.train.precision = Precision::Bf16;
        c.train.device = DeviceKind::Gpu;
        c.train.microBatchSize = 1;
        c.train.globalBatchSize = 64 * microBatches;
        c.parallel.tp = 8;
        c.parallel.dp = 64;
        c.parallel.zeroStage = zeroStage;
        return c;
    }
    static ClusterSpec cluster(double slower) {
        ClusterSpec k = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        k.numNodes = 64;
        k.interNode.bytesPerSecond /= slower;
        return k;
    }
    static double exposed(std::int64_t zeroStage, std::int64_t microBatches, double slower) {
        return makePlan(config(zeroStage, microBatches), cluster(slower)).step.dpExposedSeconds;
    }

private slots:
    // Every micro-batch reduces what it adds, and only its last bucket, or what is longer than its backward pass, stands out.
    void eachMicroBatchHidesItsOwnGradients() {
        for (const std::int64_t zeroStage : {2, 3}) {
            const double one = exposed(zeroStage, 1, 0.1), eight = exposed(zeroStage, 8, 0.1);
            QVERIFY2(one > 0 && qAbs(eight / one - 1) < 1e-9, qPrintable(QString("%1 %2").arg(one).arg(eight)));
        }
    }
    // Where a pass hides only a part, the rest is the same for each; weights of ZeRO-2 are gathered once.
    void theRestAddsUp() {
        const double one = exposed(2, 1, 100), two = exposed(2, 2, 100), three = exposed(2, 3, 100);
        QVERIFY(two - one > 0.1 * one);
        QVERIFY(qAbs((three - two) / (two - one) - 1) < 1e-9);
    }
    // Below ZeRO-2 one reduction a step waits for the last micro-batch.
    void theLastMicroBatchHidesTheSum() {
        for (const double slower : {1.0, 100.0}) QCOMPARE(exposed(1, 8, slower), exposed(1, 1, slower));
    }
    void theAdviceKnowsWhichBatchHelps() {
        const auto field = [](std::int64_t zeroStage) {
            const Plan plan = makePlan(config(zeroStage, 8), cluster(1000));
            const auto found = std::find_if(plan.issues.begin(), plan.issues.end(),
                                            [](const Issue& i) { return i.code == "dp_exposed"; });
            return found == plan.issues.end() ? std::string() : found->field;
        };
        QCOMPARE(field(1), std::string("train.global_batch_size"));
        QCOMPARE(field(2), std::string("train.micro_batch_size"));
    }
};

SLIPWAY_TEST(TstShareSeconds)

}  // namespace slipway

#include "tst_share_seconds.moc"
