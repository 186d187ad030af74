#include "core/metrics/refused_figures.h"
#include "core/metrics/summarise.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

using namespace slipway;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A run of n steps, 4,096 tokens each, first steps slow.
std::vector<MetricSeries> aRun(std::int64_t n, double lastLoss) {
    MetricSeries tokens{"tokens", "tokens", {}, {}};
    MetricSeries seconds{"step_seconds", "s", {}, {}};
    MetricSeries loss{"loss", "", {}, {}};
    MetricSeries memory{"memory_peak_bytes", "bytes", {}, {}};
    for (std::int64_t i = 1; i <= n; ++i) {
        for (MetricSeries* s : {&tokens, &seconds, &loss, &memory}) s->steps.push_back(i);
        tokens.values.push_back(4096.0 * static_cast<double>(i));
        seconds.values.push_back(i <= 2 ? 5.0 : i % 2 == 0 ? 0.48 : 0.52);
        loss.values.push_back(i == n ? lastLoss : 10.0 - 0.05 * static_cast<double>(i));
        memory.values.push_back(i == 3 ? 2e9 : 1e9);
    }
    return {tokens, seconds, loss, memory};
}

}  // namespace

class TstSummarise : public QObject {
    Q_OBJECT

private slots:
    void figures() {
        const Measured m = summarise(aRun(40, 6.5), {6e6, 1e11, "C", 2});
        QCOMPARE(*m.warmupSteps, 8.0);
        QCOMPARE(*m.numSteps, 40.0);
        QCOMPARE(*m.stepSeconds, 0.5);
        QCOMPARE(*m.tokensPerSecond, 8192.0);
        QCOMPARE(*m.tokensPerSecondPerDevice, 4096.0);
        QCOMPARE(*m.mfu, 6e6 * 8192.0 / 1e11);
        QCOMPARE(m.mfuRule, std::string("C"));
        QCOMPARE(*m.memoryPeakBytes, 2e9);
        QCOMPARE(*m.finalLoss, 6.5);
        QCOMPARE(*m.minLoss, 6.5);
        QVERIFY(!m.bubbleFraction && !m.commBytes);
    }

    void unknownStaysUnknown() {
        const Measured none = summarise({}, {});
        const Json json = measuredJson(none);
        QCOMPARE(json.size(), figureInfos().size() + 1);
        for (const auto& item : json.items()) QVERIFY2(item.value().is_null(), item.key().c_str());
        QVERIFY(!summarise(aRun(40, 6.5), {}).mfu);
    }

    // A peak below what the run reached is wrong, and with it the MFU.
    void impossibleFiguresAreLeftOut() {
        const Measured m = summarise(aRun(40, 6.5), {6e6, 4e10, "C", 2});
        QVERIFY(m.tokensPerSecond && !m.mfu && m.mfuRule.empty());
        QVERIFY(textOf(refusedMeasurements(m)).starts_with("The measured MFU exceeds 100 % and was left out"));
        QVERIFY(refusedMeasurements(summarise(aRun(40, 6.5), {6e6, 1e11, "C", 2})).empty());
        QVERIFY(refusedMeasurements(summarise(aRun(40, 6.5), {})).empty());

        // The peak of the run is 2e9 bytes.
        const Measured small = summarise(aRun(40, 6.5), {6e6, 1e11, "C", 2, 1.9e9});
        QVERIFY(!small.memoryPeakBytes && small.mfu && small.finalLoss);
        QVERIFY(textOf(refusedMeasurements(small)).starts_with("The measured memory peak of 1.9"));
        QVERIFY(measuredJson(small)["memory_peak_bytes"].is_null());
        for (const double enough : {0.0, 2e9})
            QCOMPARE(*summarise(aRun(40, 6.5), {6e6, 1e11, "C", 2, enough}).memoryPeakBytes, 2e9);

        const Json json = {{"step_seconds", -0.5}, {"mfu", 1.5}, {"memory_peak_bytes", 1e9}, {"final_loss", -1.0}};
        const RunFigures read = figuresFromJson(json);
        QVERIFY(!read.stepSeconds && !read.mfu);
        QCOMPARE(*read.memoryPeakBytes, 1e9);
        QCOMPARE(*read.finalLoss, -1.0);
        QCOMPARE(textOf(refusedFigures(json)), std::string("step_seconds is negative; mfu is above 100 %"));
        QVERIFY(refusedFigures(measuredJson(m)).empty());
    }
    // The step lines of other programs may not count tokens: they read as 0.
    void uncountedTokensAreUnknown() {
        std::vector<MetricSeries> series = aRun(40, 6.5);
        for (double& tokens : series.front().values) tokens = 0;
        const Measured m = summarise(series, {6e6, 1e11, "C", 2});
        QCOMPARE(*m.stepSeconds, 0.5);
        QVERIFY(!m.totalTokens && !m.tokensPerSecond && !m.tokensPerSecondPerDevice && !m.mfu);
    }

    void divergedRunKeepsItsLoss() {
        const Measured m = summarise(aRun(10, kNan), {});
        QVERIFY(m.finalLoss && std::isnan(*m.finalLoss));
        QCOMPARE(*m.minLoss, 10.0 - 0.45);
        const Json json = measuredJson(m);
        QCOMPARE(json["final_loss"].get<std::string>(), std::string("nan"));
        QVERIFY(std::isnan(*figuresFromJson(json).finalLoss));
    }

    // The held-out loss is that of the last evaluation, whenever that was and whatever it gave.
    void heldOutLoss_data() {
        QTest::addColumn<QList<double>>("evaluations");
        QTest::addColumn<bool>("known");
        QTest::addColumn<double>("last");
        QTest::newRow("none") << QList<double>{} << false << 0.0;
        QTest::newRow("one") << QList<double>{4.5} << true << 4.5;
        QTest::newRow("not the lowest") << QList<double>{4.5, 3.5, 3.75} << true << 3.75;
        QTest::newRow("diverged") << QList<double>{4.5, kNan} << true << kNan;
        QTest::newRow("came back") << QList<double>{kNan, 5.5} << true << 5.5;
    }
    void heldOutLoss() {
        QFETCH(QList<double>, evaluations);
        QFETCH(bool, known);
        QFETCH(double, last);
        auto run = aRun(40, 6.5);
        MetricSeries held{"eval_loss", "nats/token", {}, {}};
        for (qsizetype i = 0; i < evaluations.size(); ++i) {
            held.steps.push_back(10 * (i + 1));
            held.values.push_back(evaluations[i]);
        }
        run.push_back(held);
        const Measured m = summarise(run, {});
        QCOMPARE(m.finalEvalLoss.has_value(), known);
        QCOMPARE(*m.finalLoss, 6.5);
        const Json json = measuredJson(m);
        if (!known) QVERIFY(json["final_eval_loss"].is_null());
        if (!known) return;
        QVERIFY(std::isnan(last) ? std::isnan(*m.finalEvalLoss) : *m.finalEvalLoss == last);
        QVERIFY(std::isnan(last) ? std::isnan(*figuresFromJson(json).finalEvalLoss)
                                 : *figuresFromJson(json).finalEvalLoss == last);
    }

    void jsonRoundTrip() {
        const Measured m = summarise(aRun(40, 6.5), {6e6, 1e11, "C", 2});
        const Measured back = figuresFromJson(measuredJson(m));
        for (const FigureInfo& info : figureInfos())
            QVERIFY2(m.*info.member == back.*info.member, std::string(info.key).c_str());
        QCOMPARE(back.mfuRule, m.mfuRule);
    }

    void readsForecasts() {
        const Json forecast = Json::parse(
            R"({"step_seconds":1.5,"parameters":{"total":8030261248.0,"active":1.0},"mfu":null,"mfu_rule":"C","memory":{"weights":1},"comm_bytes":"many"})");
        const RunFigures f = figuresFromJson(forecast);
        QCOMPARE(*f.stepSeconds, 1.5);
        QCOMPARE(*f.parameters, 8030261248.0);
        QVERIFY(!f.mfu && !f.commBytes);
        QCOMPARE(f.mfuRule, std::string("C"));
    }

    void warmup_data() {
        QTest::addColumn<int>("recorded");
        QTest::addColumn<int>("skipped");
        QTest::newRow("none") << 0 << 0;
        QTest::newRow("one step is all there is") << 1 << 0;
        QTest::newRow("few") << 3 << 1;
        QTest::newRow("a fifth") << 20 << 4;
        QTest::newRow("many") << 100000 << 10;
    }
    void warmup() {
        QFETCH(int, recorded);
        QFETCH(int, skipped);
        QCOMPARE(warmupSteps(recorded), skipped);
    }
};

SLIPWAY_TEST(TstSummarise)
#include "tst_summarise.moc"
