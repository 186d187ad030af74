#include "core/base/json.h"
#include "core/base/units.h"
#include "core/metrics/derive.h"
#include "core/metrics/summarise.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace slipway;

class TstDerive : public QObject {
    Q_OBJECT

private slots:
    void perplexities() {
        QCOMPARE(perplexity(0), 1.0);
        QVERIFY(std::fabs(perplexity(8.2074) - 3667.9) < 0.5);  // as a training guide prints the pair
        QCOMPARE(asciiText(formatPerplexity(perplexity(8.2074))), std::string("3,668"));
        QCOMPARE(formatPerplexity(perplexity(2.5)), std::string("12.18"));
        QCOMPARE(formatPerplexity(perplexity(710)), std::string("above 1.8e308"));
        QVERIFY(std::isnan(perplexity(std::nan(""))));
    }
    void samples() {
        RunFigures figures;
        QVERIFY(!samplesPerSecond(figures, 8));
        figures.tokensPerSecond = 4096;
        QCOMPARE(samplesPerSecond(figures, 1024).value(), 4.0);
        QVERIFY(!samplesPerSecond(figures, {}) && !finalPerplexity(figures));
        figures.finalLoss = 1000;
        const Json shown = shownJson(figures, 1024);
        QCOMPARE(shown["samples_per_second"].get<double>(), 4.0);
        QVERIFY(shown["perplexity"].is_string() && shown["eval_perplexity"].is_null());  // infinite, and said
        QCOMPARE(measuredJson(figures).contains("perplexity"), false);                   // stored nowhere
    }
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
