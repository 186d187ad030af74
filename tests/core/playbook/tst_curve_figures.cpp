// Figures of claims that are read off recorded curves: values at a step, alarms of the spike rules.
#include "core/playbook/curve_figures.h"
#include "tests/support/slipway_test.h"

#include <cmath>

namespace slipway::test {

namespace {

/// 200 steps at `level`, but for three steps at `spike` from step 150 on.
MetricSeries curve(double level, double spike) {
    MetricSeries series{"loss", "", {}, {}};
    for (std::int64_t step = 1; step <= 200; ++step) {
        series.steps.push_back(step);
        series.values.push_back(step >= 150 && step < 153 ? spike : level + 0.001 * static_cast<double>(step % 7));
    }
    return series;
}

}  // namespace

class TstCurveFigures : public QObject {
    Q_OBJECT

private slots:
    void namesTheSeries() {
        QCOMPARE(seriesOf("noise_scale@150"), std::string("noise_scale"));
        QCOMPARE(seriesOf("mean_3x_alarms"), std::string("loss"));
        for (const char* metric : {"final_loss", "loss@", "loss@x", "off_alarms", "no_rule_alarms"})
            QVERIFY2(seriesOf(metric).empty(), metric);
    }
    void valueAtAStep() {
        const MetricSeries series{"loss", "", {1, 3}, {4.0, 2.0}};
        QCOMPARE(curveFigure("loss@3", series), std::optional(2.0));
        QVERIFY(!curveFigure("loss@2", series) && !curveFigure("loss@4", series));
    }
    /// Four times the level: the 3x rule and the robust one report each of the three steps, the 5x rule none.
    void alarmsOfThreeRules() {
        const MetricSeries spiked = curve(2.8, 11.2);
        QCOMPARE(curveFigure("mean_3x_alarms", spiked), std::optional(3.0));
        QCOMPARE(curveFigure("mean_5x_alarms", spiked), std::optional(0.0));
        QCOMPARE(curveFigure("robust_z_alarms", spiked), std::optional(3.0));
        QCOMPARE(curveFigure("mean_3x_alarms", curve(2.8, 2.8)), std::optional(0.0));
        QVERIFY(!curveFigure("mean_3x_alarms", {}));
    }
    /// One run read at two steps: the later value over the earlier one, repeat by repeat.
    void claimOverTwoMetrics() {
        Experiment e;
        e.id = "L99";
        Claim claim;
        claim.metric = "loss@152";
        claim.baselineMetric = "loss@149";
        claim.point = claim.baseline = "poisoned";
        claim.isPaired = true;
        claim.expected = 4;
        e.claims = {claim};
        SweepResult result;
        for (int repeat = 1; repeat <= 3; ++repeat) {
            TrialResult trial;
            trial.name = "repeat " + std::to_string(repeat) + ", poisoned";
            trial.status = repeat == 3 ? TrialStatus::Failed : TrialStatus::Completed;
            result.trials.push_back(trial);
        }
        Measurements all;
        const auto read = [](const RunId&, const std::string&) { return Result<MetricSeries>(curve(2.8, 11.2)); };
        QVERIFY(addCurveFigures(e, result, read, all).has_value());
        QCOMPARE(all.of(claim).point, std::vector<double>(2, 11.2));
        QCOMPARE(all.of(claim).baseline.size(), std::size_t(2));
        QVERIFY(std::fabs(evaluate(claim, all.of(claim)).measured - 4) < 0.01);
    }
};

}  // namespace slipway::test

using slipway::test::TstCurveFigures;
SLIPWAY_TEST(TstCurveFigures)

#include "tst_curve_figures.moc"
