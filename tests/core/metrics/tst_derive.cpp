#include "core/metrics/derive.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

class TstDerive : public QObject {
    Q_OBJECT

private slots:
    void throughput() {
        const MetricSeries tokens{"tokens", "tokens", {1, 2, 3}, {1000, 2000, 3500}};
        const MetricSeries seconds{"step_seconds", "s", {1, 2, 3}, {0.5, 0.25, 0.5}};
        const MetricSeries rate = tokensPerSecond(tokens, seconds);
        QCOMPARE(rate.steps, (std::vector<std::int64_t>{1, 2, 3}));
        QCOMPARE(rate.values, (std::vector<double>{2000, 4000, 3000}));
        QCOMPARE(perDevice(rate, 4).values, (std::vector<double>{500, 1000, 750}));
    }

    void sparseRecordsCountTokensPerStep() {
        const MetricSeries tokens{"tokens", "tokens", {10, 20}, {10000, 20000}};
        const MetricSeries seconds{"step_seconds", "s", {10, 15, 20}, {0.5, 0.5, 0.5}};
        const MetricSeries rate = tokensPerSecond(tokens, seconds);
        QCOMPARE(rate.steps, (std::vector<std::int64_t>{10, 20}));
        QCOMPARE(rate.values, (std::vector<double>{2000, 2000}));
    }

    void mfuNeedsABasis() {
        const MetricSeries rate{"tokens_per_second", "tokens/s", {1}, {1e6}};
        // 1e6 tokens/s * 6e9 FLOP/token over 2e16 FLOP/s = 0.3
        QCOMPARE(modelFlopsUtilisation(rate, {6e9, 2e16, "C", 8}).values, std::vector<double>{0.3});
        QVERIFY(modelFlopsUtilisation(rate, {6e9, {}, "C", 8}).empty());
        QVERIFY(modelFlopsUtilisation(rate, {{}, 2e16, "C", 8}).empty());
        QVERIFY(modelFlopsUtilisation(rate, {6e9, 0.0, "C", 8}).empty());
    }
};

SLIPWAY_TEST(TstDerive)
#include "tst_derive.moc"
