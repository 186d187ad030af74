// The scaling book's exercises as layouts (jax-ml/scaling-book).
#include "core/planner/time/tpu_layout.h"
#include "tests/support/slipway_test.h"

#include <cmath>

namespace slipway {

class TstTpuLayout : public QObject {
    Q_OBJECT
private slots:
    void layouts_data() {
        QTest::addColumn<int>("pods");
        QTest::addColumn<double>("batch");
        QTest::addColumn<double>("ffn");
        QTest::addColumn<bool>("later");
        QTest::addColumn<int>("fsdp");
        QTest::addColumn<int>("tp");
        QTest::addColumn<double>("ratio");
        QTest::newRow("70B on a pod") << 1 << 4194304.0 << 28672.0 << false << 2240 << 4
                                      << std::sqrt(453.578 / 468.114);
        QTest::newRow("70B on 4 pods") << 4 << 4194304.0 << 28672.0 << false << 1120 << 8 << 1.9687;
        QTest::newRow("70B on 4 pods, later edition") << 4 << 4194304.0 << 28672.0 << true << 1120 << 8 << 0.98435;
        QTest::newRow("405B on 8 pods, 4M") << 8 << 4194304.0 << 53248.0 << false << 560 << 16 << 2.043;
        QTest::newRow("405B on 8 pods, 16M") << 8 << 16777216.0 << 53248.0 << false << 1120 << 8 << 1.0215;
    }
    void layouts() {
        QFETCH(int, pods);
        QFETCH(double, batch);
        QFETCH(double, ffn);
        QFETCH(bool, later);
        QFETCH(int, fsdp);
        QFETCH(int, tp);
        QFETCH(double, ratio);
        TpuQuestion q;
        q.chipsPerPod = 8960;
        q.numPods = pods;
        q.batchTokens = batch;
        q.ffnWidth = ffn;
        q.edition = later ? RooflineEdition::MaxOfBoth : RooflineEdition::SumOfBoth;
        const TpuLayout l = tpuLayout(q);
        QCOMPARE(l.fsdp, std::int64_t{fsdp});
        QCOMPARE(l.tp, std::int64_t{tp});
        QCOMPARE(l.usedChips, std::int64_t{8960 * pods});
        QCOMPARE(l.idleChips, std::int64_t{0});
        QVERIFY2(qAbs(l.commRatio / ratio - 1) < 1e-3, qPrintable(QString::number(l.commRatio)));
        QVERIFY(qAbs(l.peakCeiling - std::min(1.0, 1 / l.commRatio)) < 1e-12);
        QVERIFY(qAbs(l.bestFsdp * l.bestTp - 8960) < 1e-6);
        QVERIFY(pods == 1 ? std::isinf(l.dcnMargin) : qAbs(l.dcnMargin - batch / pods / 73440) < 1e-6);
    }
    void chosenDegreesShowIdleChips() {
        // The book's 2048 x 4 on a pod of 8,960.
        TpuQuestion q;
        q.chipsPerPod = 8960;
        q.batchTokens = 4194304;
        q.ffnWidth = 28672;
        q.fsdp = 2048;
        q.tp = 4;
        const TpuLayout l = tpuLayout(q);
        QCOMPARE(l.usedChips, std::int64_t{8192});
        QCOMPARE(l.idleChips, std::int64_t{768});
        QVERIFY(qAbs(l.fsdpTokenLimit - 850) < 1e-9 && qAbs(l.tpLimit - 11.2439) < 1e-3);
        q.fsdp.reset();
        QCOMPARE(tpuLayout(q).fsdp, std::int64_t{2240});
    }
};

SLIPWAY_TEST(TstTpuLayout)

}  // namespace slipway

#include "tst_tpu_layout.moc"
