#include "core/metrics/metric_series.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <limits>
#include <random>

using namespace slipway;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

MetricSeries aSeries(const std::vector<double>& values, std::int64_t firstStep = 1) {
    MetricSeries out{"loss", "nats/token", {}, values};
    for (std::size_t i = 0; i < values.size(); ++i) out.steps.push_back(firstStep + static_cast<std::int64_t>(i));
    return out;
}

}  // namespace

class TstMetricSeries : public QObject {
    Q_OBJECT

private slots:
    void thinKeepsSpikes() {
        std::vector<double> values(100000, 1.0);
        values[54321] = 99;
        values[77777] = -99;
        const ThinSeries out = thin(aSeries(values), 500);
        QCOMPARE(out.buckets.size(), std::size_t{500});
        QVERIFY(!out.raw);
        std::int64_t count = 0;
        std::int64_t maxStep = 0;
        std::int64_t minStep = 0;
        for (std::size_t i = 0; i < out.buckets.size(); ++i) {
            const SeriesBucket& b = out.buckets[i];
            if (i > 0) QCOMPARE(b.firstStep, out.buckets[i - 1].lastStep + 1);
            if (b.max == 99) maxStep = b.maxStep;
            if (b.min == -99) minStep = b.minStep;
            count += b.count;
        }
        QCOMPARE(count, 100000);
        QCOMPARE(maxStep, 54322);
        QCOMPARE(minStep, 77778);
    }

    void thinMarksNonFinite() {
        std::vector<double> values(1000, 2.0);
        values[10] = kNan;
        values[11] = kInf;
        for (std::size_t i = 500; i < 520; ++i) values[i] = kNan;
        const ThinSeries out = thin(aSeries(values), 100);
        QCOMPARE(out.totalNonFinite, 22);
        QCOMPARE(out.nonFinite.size(), std::size_t{22});
        QCOMPARE(out.nonFinite[0].step, 11);
        QVERIFY(std::isnan(out.nonFinite[0].value));
        QCOMPARE(out.nonFinite[1].value, kInf);
        QCOMPARE(out.buckets[1].nonFinite, 2);
        QCOMPARE(out.buckets[1].max, 2.0);  // an infinity is no extreme of the curve
        QCOMPARE(out.buckets[50].nonFinite, 10);
        QVERIFY(std::isnan(out.buckets[50].min) && std::isnan(out.buckets[50].mean));
    }

    void thinGivesPointsWhereTheyFit() {
        const ThinSeries out = thin(aSeries({3, 1, kNan, 2}), 10);
        QVERIFY(out.raw);
        QCOMPARE(out.buckets.size(), std::size_t{4});
        QCOMPARE(out.buckets[1].min, 1.0);
        QCOMPARE(out.buckets[1].max, 1.0);
        QCOMPARE(out.buckets[3].last, 2.0);
        QVERIFY(thin(MetricSeries{}, 10).buckets.empty());
        QCOMPARE(thin(aSeries({1, 2, 3}), 0).buckets.size(), std::size_t{1});
    }

    void thinFollowsStepsNotPoints() {
        // Dense at first, sparse later: bucket borders are steps, so a curve does not bend with the logging rate.
        MetricSeries s{"x", "", {}, {}};
        for (std::int64_t i = 0; i < 100; ++i) s.steps.push_back(i);
        for (std::int64_t i = 1; i < 10; ++i) s.steps.push_back(100 * i + 99);
        s.values.assign(s.steps.size(), 1);
        const ThinSeries out = thin(s, 10);
        QCOMPARE(out.buckets.size(), std::size_t{10});
        QCOMPARE(out.buckets[0].count, 100);
        QCOMPARE(out.buckets[9].count, 1);
    }

    void smoothAgainstDirectSum() {
        // s_n = sum w^(n-i) (1-w) x_i / (1 - w^n), summed directly.
        const double w = 0.7;
        const std::vector<double> x = {4, kNan, 2, 8, kInf, 1, 3};
        const MetricSeries out = smooth(aSeries(x), w);
        std::vector<double> seen;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (!std::isfinite(x[i])) {
                QVERIFY(std::isnan(x[i]) ? std::isnan(out.values[i]) : out.values[i] == x[i]);
                continue;
            }
            seen.push_back(x[i]);
            double sum = 0;
            for (std::size_t k = 0; k < seen.size(); ++k)
                sum += std::pow(w, static_cast<double>(seen.size() - 1 - k)) * (1 - w) * seen[k];
            const double expected = sum / (1 - std::pow(w, static_cast<double>(seen.size())));
            QVERIFY(std::fabs(out.values[i] - expected) < 1e-12);
        }
        QCOMPARE(out.values[0], 4.0);
        QVERIFY(smooth(aSeries(x), 0).values[3] == 8);
        QCOMPARE(smooth(aSeries({0.1, 0.1, 0.1}), 0.99).values[2], 0.1);
    }

    void slices() {
        const MetricSeries s = aSeries({1, 2, 3, 4, 5}, 10);
        QCOMPARE(slice(s, 11, 13).values, (std::vector<double>{2, 3, 4}));
        QCOMPARE(slice(s, 0, 100).size(), std::size_t{5});
        QVERIFY(slice(s, 20, 30).empty());
        QVERIFY(slice(s, 13, 11).empty());
    }

    void valuesAtSteps() {
        const MetricSeries tokens{"tokens", "tokens", {2, 4, 8}, {200, 400, 800}};
        QCOMPARE(valuesAt(tokens, {1, 2, 3, 4, 6, 8, 9}), (std::vector<double>{200, 200, 300, 400, 600, 800, 800}));
        QVERIFY(std::isnan(valuesAt({}, {1})[0]));
    }

    void medians() {
        QCOMPARE(median({3, 1, 2}), 2.0);
        QCOMPARE(median({4, 1, 3, 2}), 2.5);
        QCOMPARE(median({kNan, 5, kInf}), 5.0);
        QVERIFY(std::isnan(median({kNan})));
    }
};

SLIPWAY_TEST(TstMetricSeries)
#include "tst_metric_series.moc"
