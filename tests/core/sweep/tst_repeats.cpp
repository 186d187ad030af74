#include "core/base/json.h"
#include "core/sweep/repeats.h"
#include "core/sweep/search_points.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;

namespace {

SweepFile fileOf(const char* axes, Issues& issues) {
    return sweepFileFromJson(
        Json::parse(std::string(R"({"schema": 1, "name": "s", "base": {"train": {"seed": 7}},)") + axes + "}"), issues);
}

}  // namespace

class TstRepeats : public QObject {
    Q_OBJECT

private slots:
    void repeatsAreSeeds() {
        Issues issues;
        const SweepFile file =
            fileOf(R"("axes": [{"field": "parallel.tp", "values": [1, 2]}, {"repeats": 3}])", issues);
        QVERIFY(issues.empty());
        const std::vector<Trial> trials = expandSweep(file);
        QCOMPARE(trials.size(), std::size_t{6});
        QCOMPARE(trials[4].config.train.seed, 8);
        QCOMPARE(trials[4].config.parallel.tp, 2);
        for (const char* bad : {"0", "2.5", "1001", "\"3\""}) {
            Issues found;
            (void)fileOf((std::string(R"("axes": [{"repeats": )") + bad + "}]").c_str(), found);
            QCOMPARE(QString::fromStdString(found.at(0).field), QString("/axes/0/repeats"));
        }
    }

    void quartilesOfTheCompleted() {
        Issues issues;
        const SweepFile file =
            fileOf(R"("axes": [{"field": "parallel.tp", "values": [1, 2]}, {"repeats": 5}])", issues);
        SweepResult result;
        for (const Trial& trial : expandSweep(file)) {
            TrialResult out;
            out.name = trial.name;
            out.config = trial.config;
            out.status = trial.index == 3 ? TrialStatus::Failed : TrialStatus::Completed;
            out.measured.stepSeconds = static_cast<double>((trial.index * 7) % 5 + 1);  // 1, 3, 5, 2, 4
            result.trials.push_back(std::move(out));
        }
        const std::vector<RepeatGroup> groups = groupRepeats(result);
        QVERIFY(hasRepeats(groups));
        QCOMPARE(groups.size(), std::size_t{2});
        QCOMPARE(QString::fromStdString(groups[1].name), QString("tp 2"));
        QCOMPARE(groups[0].completed, std::size_t{4});
        const RepeatFigure& four = groups[0].figures.at(0);  // 1, 3, 4, 5
        QCOMPARE(four.median, 3.5);
        QCOMPARE(four.low, 2.5);
        QCOMPARE(four.high, 4.25);
        QCOMPARE(groups[1].figures.at(0).median, 3.0);
        QCOMPARE(toJson(groups)[1]["measured"]["step_seconds"]["q3"].get<double>(), 4.0);
    }

    // Numbers are scaled, by their logarithm over a wide range; words are equally far apart; the seed is no axis.
    void placesOfTrials() {
        Issues issues;
        const SweepFile file = fileOf(
            R"("axes": [{"field": "optimizer.lr", "values": [1e-4, 1e-3, 1e-2]},
                        {"field": "train.recompute.policy", "values": ["none", "full"]}, {"repeats": 2}],
               "points": [{"name": "named", "optimizer.lr": 1e-3}])",
            issues);
        std::vector<Trial> trials = expandSweep(file);
        trials[1].skipReason = "no room";
        trials[2].forecastJson =
            R"({"step_seconds": 2.0, "step": {"step_seconds_low": 1.0, "step_seconds_high": 4.0}})";
        const std::vector<SearchPoint> points = searchPoints(file, trials, SweepObjective::StepSeconds);
        QCOMPARE(points.size(), std::size_t{13});
        QCOMPARE(points[0].place.size(), std::size_t{3});
        QVERIFY(points[0].place == points[1].place);
        QVERIFY(std::abs(points[4].place[0] - 0.5) < 1e-12);
        QVERIFY(std::abs(std::hypot(points[0].place[1] - points[2].place[1], points[0].place[2] - points[2].place[2]) -
                         1) < 1e-12);
        QVERIFY(!points[1].canRun && points[0].canRun);
        QVERIFY(points[12].isNamed && !points[11].isNamed);
        QCOMPARE(points[2].forecast, 2.0);
        QVERIFY(std::abs(points[2].spread - std::log(4.0) / 2.5632) < 1e-4);
        QVERIFY(std::isnan(points[0].forecast));
    }

    void costsOfObjectives() {
        RunFigures figures;
        figures.stepSeconds = 2;
        figures.mfu = 0.4;
        QCOMPARE(*costOf(figures, SweepObjective::StepSeconds), 2.0);
        QCOMPARE(*costOf(figures, SweepObjective::Mfu), 2.5);
        QVERIFY(!costOf(figures, SweepObjective::FinalLoss));
    }
};

SLIPWAY_TEST(TstRepeats)
#include "tst_repeats.moc"
