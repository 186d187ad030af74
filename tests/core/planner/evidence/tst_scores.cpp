// What a validation counts, and what it leaves out of its fits.
#include "core/planner/evidence/forecast_run.h"
#include "core/planner/evidence/score.h"
#include "core/planner/evidence/validation.h"
#include "tests/core/planner/evidence/toy_run.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway {

class TstScores : public QObject {
    Q_OBJECT
private slots:
    void regret() {
        // Cell a: the favourite is 50 % slower than the best, which is second. Cell b has one run: no choice.
        const std::vector<Competitor> runs = {{"a", 1, 3}, {"a", 2, 2}, {"a", 3, 4}, {"b", 1, 9}};
        QCOMPARE(meanRegret(runs, 1), 0.5);
        QCOMPARE(meanRegret(runs, 2), 0.0);
        QVERIFY(std::isnan(meanRegret({{"b", 1, 9}}, 1)));
    }

    /// A layout that failed costs as much as the slowest run where it is chosen, and nothing where the forecast says so.
    void failedLayoutsCompete() {
        constexpr double kFails = std::numeric_limits<double>::infinity();
        const std::vector<Competitor> runs = {{"a", 1, kFails}, {"a", 2, 2}, {"a", 3, 4}};
        QCOMPARE(meanRegret(runs, 1), 1.0);
        QCOMPARE(meanRegret(runs, 2), 0.0);
        QCOMPARE(meanRegret({{"a", kFails, kFails}, {"a", 2, 2}, {"a", 3, 4}}, 1), 0.0);
        QVERIFY(std::isnan(meanRegret({{"a", 1, kFails}, {"a", 2, 2}}, 1)));
    }

    void scoresAndNoise() {
        MeasuredTable table;
        for (const double factor : {1.0, 1.2, 1.1}) {
            table.runs.push_back(toyRun(1, 1, 16));
            table.runs.back().stepSeconds = factor * forecastStepSeconds(table.runs.back());
        }
        table.runs.push_back(toyRun(2, 1, 8));
        table.runs.back().fits = false;
        table.numRows = 5;
        table.refused["a reason"] = {{}, 1};
        const ValidationReport report = validateForecasts(table, nullptr);
        QCOMPARE(report.all.rows, std::size_t{4});
        QVERIFY(std::abs(report.all.stepMedian - (1 - 1 / 1.1)) < 1e-9);
        QCOMPARE(report.all.fitAccuracy, 0.0);  // it fits a whole H100 easily
        QCOMPARE(report.noise.repeatedLayouts, std::size_t{1});
        QVERIFY(std::abs(report.noise.stepMost - 0.1 / 1.1) < 1e-9);
        const Json json = validationJson(report);
        QCOMPARE(json["rows"].get<int>(), 5);
        QCOMPARE(json["refused"]["a reason"].get<int>(), 1);
        QVERIFY(json["memory"]["median_error"].is_null());
        QVERIFY(json["step_time"].contains("top5_regret_mean"));
        QVERIFY(json["groups"].size() >= 3);
        // A forecast as good as the repetitions are: they differ by 10 % at most from their mean.
        const Scores& floor = report.noise.scores;
        QVERIFY(floor.stepMedian > 0 && floor.stepMedian < 0.13);
        QVERIFY(floor.stepP90 >= floor.stepMedian);
        QCOMPARE(floor.fitAccuracy, 1.0);
        QVERIFY(std::abs(json["noise_floor"]["step_time"]["median_error"].get<double>() - floor.stepMedian) < 1e-12);
        QCOMPARE(validateForecasts(table, nullptr).noise.scores.stepMedian, floor.stepMedian);
    }

    void mixturesAreAGroup() {
        MeasuredTable table;
        for (const bool moe : {false, true, false}) {
            table.runs.push_back(toyRun(1, 1, 16));
            if (moe) table.runs.back().config.model.moe = MoeSpec{};
            table.runs.back().stepSeconds = 1;
        }
        const ValidationReport report = validateForecasts(table, nullptr);
        const auto found = std::find_if(report.groups.begin(), report.groups.end(),
                                        [](const auto& group) { return group.first == "mixtures of experts"; });
        QVERIFY(found != report.groups.end());
        QCOMPARE(found->second.rows, std::size_t{1});
    }

    /// Fitted to clusters of up to 16 nodes, only larger ones are evaluated; the share of intervals that hold is counted.
    void largerClustersAreLeftOut() {
        MeasuredTable table;
        for (const std::int64_t nodes : {2, 16, 32, 64})
            for (const std::int64_t microBatch : {1, 2}) {
                MeasuredRun run = toyRun(1, microBatch, 8 * nodes);
                run.cluster.numNodes = nodes;
                run.stepSeconds = (nodes == 64 ? 9 : 2) * forecastStepSeconds(run);
                table.runs.push_back(run);
            }
        const ValidationReport report = leaveOut(table, LeaveOut::Nodes);
        QCOMPARE(report.rows.size(), std::size_t{4});
        for (const ForecastRow& row : report.rows) QVERIFY(row.run->cluster.numNodes > kFittedNodes);
        QCOMPARE(report.all.stepHeld, 0.5);
    }

    /// Cells a and b run at half and a third of the textbook's speed. Left out, each is forecast by the other; folds of
    /// layouts leave some of both in and see that.
    void cellsAreLeftOut() {
        MeasuredTable table;
        for (const auto& [cell, slowness] : {std::pair{"a", 2.0}, {"b", 3.0}})
            for (const std::int64_t microBatch : {1, 2, 4, 8}) {
                MeasuredRun run = toyRun(1, microBatch, 8);
                run.cell = cell;
                run.stepSeconds = slowness * forecastStepSeconds(run);
                table.runs.push_back(run);
            }
        const ValidationReport report = leaveOut(table, LeaveOut::Cells);
        QCOMPARE(report.rows.size(), std::size_t{8});
        for (const ForecastRow& row : report.rows) {
            // Drawn towards what software usually needs, which is between the two.
            const double ratio = row.stepSeconds / *row.run->stepSeconds;
            QVERIFY2(row.run->cell == "a" ? ratio > 1.2 : ratio < 0.85, qPrintable(QString::number(ratio)));
        }
    }

    void headToHead() {
        MeasuredTable table;
        for (const double factor : {1.25, 0.8}) {
            table.runs.push_back(toyRun(1, 1, 16));
            MeasuredRun& run = table.runs.back();
            run.stepSeconds = factor * forecastStepSeconds(run);
            run.rival = RivalForecast{"Other", 1.1 * *run.stepSeconds, 0};
        }
        table.runs.push_back(toyRun(1, 1, 16));
        MeasuredRun& mixture = table.runs.back();
        mixture.config.model.moe = MoeSpec{};
        mixture.config.model.moe->expertFfnHiddenSize = mixture.config.model.ffnHiddenSize;
        mixture.stepSeconds = 2 * forecastStepSeconds(mixture);
        mixture.rival = RivalForecast{"Other", *mixture.stepSeconds, 0};
        table.runs.push_back(toyRun(1, 2, 16));  // the other planner says nothing of it
        table.runs.back().stepSeconds = 1;
        const auto rivals = validateForecasts(table, nullptr).rivals;
        QCOMPARE(rivals.size(), std::size_t{1});
        const HeadToHead& r = rivals.at("Other").at(RivalKind::Dense);
        QCOMPARE(r.rows, std::size_t{2});
        const HeadToHead& mixtures = rivals.at("Other").at(RivalKind::Mixture);
        QVERIFY(mixtures.rows == 1 && std::abs(mixtures.ourStep.mean - 0.5) < 1e-9);
        QVERIFY(std::abs(r.ourStep.mean - (0.2 + 0.25) / 2) < 1e-9);
        QVERIFY(std::abs(r.ourStep.worst - 0.25) < 1e-9);
        QVERIFY(std::abs(r.theirStep.mean - 0.1) < 1e-9);
        QVERIFY(std::isnan(r.ourMemory.mean));
    }
};
SLIPWAY_TEST(TstScores)

}  // namespace slipway

#include "tst_scores.moc"
