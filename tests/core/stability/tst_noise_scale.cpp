// The noise scale against gradients whose noise is known.
#include "core/stability/noise_scale.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <random>
#include <vector>

using namespace slipway;

class TstNoiseScale : public QObject {
    Q_OBJECT
private slots:
    // Gradients of single sequences are G + noise with tr(S) = 100 dims x 4 and |G|^2 = 100 x 0.25: the scale is 16
    // sequences.
    void findsTheTrueScale() {
        constexpr int kDims = 100;
        std::mt19937_64 random(7);
        std::normal_distribution<double> noise(0, 2);
        NoiseScaleTracker tracker(0.999);
        for (int step = 0; step < 3000; ++step) {
            std::vector<double> sum(kDims, 0);
            double smallNorm = 0, largeNorm = 0;
            for (int sequence = 0; sequence < 16; ++sequence) {
                for (double& value : sum) value += 0.5 + noise(random);
                if (sequence == 3)
                    for (const double value : sum) smallNorm += value / 4 * value / 4;
            }
            for (const double value : sum) largeNorm += value / 16 * value / 16;
            tracker.add(*estimateNoise({4, smallNorm}, {16, largeNorm}));
        }
        QVERIFY2(std::abs(*tracker.noiseScale() / 16 - 1) < 0.05, qPrintable(QString::number(*tracker.noiseScale())));
    }
    void refusesWhatSaysNothing() {
        QVERIFY(!estimateNoise({4, 1}, {4, 1}));
        QVERIFY(!estimateNoise({0, 1}, {4, 1}));
        QVERIFY(!estimateNoise({2, std::nan("")}, {4, 1}));
        QVERIFY(!NoiseScaleTracker().noiseScale());
        // The large batch's norm is so small that the true gradient cannot be told from zero.
        QVERIFY(!estimateNoise({2, 10}, {4, 4})->noiseScale());
    }
    // At the critical batch twice the least steps and twice the least sequences are needed.
    void costAtTheCriticalBatch() {
        const BatchCost cost = batchCost(32, 32);
        QCOMPARE(cost.steps, 2.0);
        QCOMPARE(cost.sequences, 2.0);
        QVERIFY(batchCost(64, 32).steps < 2 && batchCost(64, 32).sequences > 2);
    }
};
SLIPWAY_TEST(TstNoiseScale)
#include "tst_noise_scale.moc"
