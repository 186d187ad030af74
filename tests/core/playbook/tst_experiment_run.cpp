// An experiment becomes a sweep with repeats, and its measurements come back from a sweep's result and from a record.
#include "core/playbook/experiment_run.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

namespace slipway::test {

namespace {

Experiment sample() {
    Experiment e;
    e.id = "L99";
    e.repeats = 3;
    e.sweepJson =
        R"({"base": {"train": {"num_steps": 8}}, "axes": [{"list": [{"name": "one"}, {"name": "DP 2", "parallel.dp": 2}]}]})";
    e.shortSweepJson = R"({"base": {"train": {"num_steps": 4}}})";
    Claim claim;
    claim.id = "speed";
    claim.metric = "step_seconds";
    claim.point = "DP 2";
    claim.baseline = "one";
    claim.expected = 0.5;
    e.claims = {claim};
    return e;
}

ClusterSpec computer() {
    ClusterSpec machine;
    machine.device.kind = DeviceKind::Cpu;
    machine.device.memoryBytes = 16e9;
    machine.device.memoryBytesPerSecond = 20e9;
    machine.device.peakFp32Flops = 100e9;
    machine.devicesPerNode = 2;
    machine.intraNode = {2e9, 40e-6};
    return machine;
}

}  // namespace

class TstExperimentRun : public QObject {
    Q_OBJECT

private slots:
    void repeatsAreOutermost() {
        const auto file = sweepOf(sample(), false);
        QVERIFY(file.has_value());
        const std::vector<Trial> trials = expandSweep(*file);
        QCOMPARE(trials.size(), std::size_t(6));
        QCOMPARE(trials[0].name, std::string("repeat 1, one"));
        QCOMPARE(trials[1].name, std::string("repeat 1, DP 2"));
        QCOMPARE(trials[2].name, std::string("repeat 2, one"));
        QCOMPARE(trials[5].config.train.seed, std::int64_t(3));
    }
    void shortReplacesMembers() {
        QCOMPARE(expandSweep(*sweepOf(sample(), true)).front().config.train.numSteps, std::int64_t(4));
        QCOMPARE(expandSweep(*sweepOf(sample(), false)).front().config.train.numSteps, std::int64_t(8));
    }
    void refusesAMistakeInTheSweep() {
        Experiment e = sample();
        e.sweepJson = R"({"base": {"train": {"num_step": 8}}})";
        QVERIFY(!sweepOf(e, false).has_value());
        e.sweepJson.clear();
        QCOMPARE(sweepOf(e, false).error().code, std::string("no_sweep"));
    }
    void measurementsMakeARoundTrip() {
        SweepResult result;
        for (int repeat = 1; repeat <= 3; ++repeat)
            for (const char* point : {"one", "DP 2"}) {
                TrialResult trial;
                trial.name = "repeat " + std::to_string(repeat) + ", " + point;
                trial.status = TrialStatus::Completed;
                trial.measured.stepSeconds = std::string(point) == "one" ? 1.0 + repeat * 0.001 : 0.5;
                trial.forecast.stepSeconds = std::string(point) == "one" ? 1.0 : 0.6;
                result.trials.push_back(trial);
            }
        result.trials.back().status = TrialStatus::Failed;  // repeat 3 of DP 2
        const Experiment e = sample();
        const Measurements all = measurementsOf(result);
        QCOMPARE(all.of(e.claims.front()).baseline.size(), std::size_t(3));
        QCOMPARE(all.of(e.claims.front()).point.size(), std::size_t(2));
        QCOMPARE(*all.forecastOf(e.claims.front()), 0.6);
        QCOMPARE(evaluateClaims(e, all, false).front().judgement.verdict,
                 Verdict::Inconclusive);  // two repeats on one side
        const Json record = recordOf(e, all, {});
        const Measurements again = measurementsOf(*parseJson(dumpJson(record, false), "record"));
        QCOMPARE(again.measured, all.measured);
        QCOMPARE(again.forecast, all.forecast);
    }
    /// Other programs change times; losses and bytes stay what they are.
    void timesOfABusyMachineDecideNothing() {
        Measurements all;
        all.measured["step_seconds"] = {{"one", {1, 1, 1}}, {"DP 2", {0.5, 0.5, 0.5}}};
        all.measured["final_loss"] = {{"one", {2, 2, 2}}, {"DP 2", {1, 1, 1}}};
        Experiment e = sample();
        QCOMPARE(evaluateClaims(e, all, false).front().judgement.verdict, Verdict::Agrees);
        QCOMPARE(evaluateClaims(e, all, true).front().judgement.verdict, Verdict::Inconclusive);
        e.claims.front().metric = "final_loss";
        QCOMPARE(evaluateClaims(e, all, true).front().judgement.verdict, Verdict::Agrees);
        QVERIFY(wasBusy(2.0, 2) && !wasBusy(0.9, 2));
    }
    void readsTheTrainersBenchmark() {
        Measurements all;
        addCommBench(Json::parse(R"({"comm": [{"operation": "all_reduce", "bytes": 1024, "seconds": 0.25}]})"), all);
        addCommBench(Json::parse(R"({"comm": [{"operation": "all_reduce", "bytes": 1024, "seconds": 0.35}]})"), all);
        QCOMPARE(all.measured["seconds"]["all_reduce 1024"], (std::vector<double>{0.25, 0.35}));
    }
    void simulatesPairs() {
        Measurements all;
        for (std::uint64_t seed = 1; seed <= 3; ++seed) addNearDuplicates(seed, true, all);
        for (const char* point : {"9 x 13, similarity 0.8", "14 x 8, similarity 0.8"}) {
            QCOMPARE(all.measured["caught_share"][point].size(), std::size_t(3));
            QCOMPARE(all.measured["formula_share"][point].size(), std::size_t(3));
        }
        QVERIFY(all.measured["caught_share"].count("9 x 13, similarity 0.5") == 0);  // of the whole form
    }
    void countsWhatItCosts() {
        const ExperimentCost cost = *costOf(sample(), false, computer());
        QCOMPARE(cost.points, std::size_t(2));
        QCOMPARE(cost.runs, std::size_t(6));
        QCOMPARE(costOf(sample(), false, computer(), 5)->runs, std::size_t(10));
        QVERIFY(cost.device.empty() && cost.skipped.empty());
        // Half the steps take less, but not half as long: each run starts its processes.
        const double whole = *cost.seconds, half = *costOf(sample(), true, computer())->seconds;
        QVERIFY2(half < whole && half > whole / 2 && half > 6, qPrintable(QString::number(half)));
    }
    /// A point that does not fit is named once, not once a repeat.
    void namesWhatDoesNotFit() {
        ClusterSpec small = computer();
        small.device.memoryBytes = 1e6;
        const ExperimentCost cost = *costOf(sample(), false, small);
        QCOMPARE(cost.runs, std::size_t(0));
        QCOMPARE(cost.skipped.size(), std::size_t(2));
        QCOMPARE(cost.skipped.front().run, std::string("one"));
    }
    void otherHardwareIsPlannedOnTheLibrarys() {
        Experiment e = sample();
        e.need = ExperimentNeed::Cluster;
        e.sweepJson =
            R"({"base": {"train": {"device": "gpu", "precision": "bf16", "global_batch_size": 128}}, "axes": [{"list": [{"name": "DP 64", "parallel.dp": 64}]}]})";
        const ExperimentCost cost = *costOf(e, false, computer());
        QCOMPARE(cost.device, std::string("NVIDIA H100 SXM 80 GB"));
        QVERIFY2(cost.runs == 3 && cost.seconds, cost.skipped.empty() ? "" : cost.skipped.front().reason.c_str());
    }
    void benchmarksHaveACost() {
        Experiment e = sample();
        e.sweepJson.clear();
        QCOMPARE(costOf(e, false, computer()).error().code, std::string("no_sweep"));
        e.bench = "near_duplicates";
        QCOMPARE(costOf(e, true, computer())->points, std::size_t(6));
        QCOMPARE(costOf(e, false, computer())->runs, std::size_t(42));
        QVERIFY(*costOf(e, true, computer())->seconds > 0);
    }
};

}  // namespace slipway::test

using slipway::test::TstExperimentRun;
SLIPWAY_TEST(TstExperimentRun)

#include "tst_experiment_run.moc"
