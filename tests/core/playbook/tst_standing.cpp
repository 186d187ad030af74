// Where a reader is: verdicts, guesses and claims over the shipped playbook and records as runs leave them.
#include "core/playbook/standing.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

namespace slipway::test {

namespace {

const Playbook& shipped() {
    static const Playbook playbook = *readPlaybook(SLIPWAY_SOURCE_DIR "/experiments/playbook");
    return playbook;
}

/// L6 with step times in the given ratio of two micro-batches to one; the other claims come out as expected.
Json recordOfL6(double two, double load = 0) {
    Measurements m;
    m.measured["step_seconds"]["AFAB, m 1"] = {0.99, 1.0, 1.01};
    m.measured["step_seconds"]["AFAB, m 2"] = {two, two, two};
    m.measured["step_seconds"]["AFAB, m 4"] = {0.625, 0.625, 0.625};
    m.measured["step_seconds"]["1F1B, m 4"] = {0.625, 0.625, 0.625};
    Circumstances at;
    at.unixMilliseconds = 1000;
    at.host = "here";
    at.cpus = 2;
    at.load = load;
    at.sweepId = "sweep-1";
    return recordOf(*shipped().experiment("L6"), m, at);
}

ClaimState stateOf(const std::vector<ClaimRow>& rows, const std::string& experiment, const std::string& claim) {
    for (const ClaimRow& row : rows)
        if (row.experiment->id == experiment && row.claim != nullptr && row.claim->id == claim) return row.state;
    qFatal("there is no such claim");
}

}  // namespace

class TstStanding : public QObject {
    Q_OBJECT

private slots:
    void aRecordHasItsVerdictAndItsCircumstances() {
        const Experiment& l6 = *shipped().experiment("L6");
        const Guess guess{"L6", 0.5, 1, ""};
        const ExperimentStanding standing = standingOf(l6, recordOfL6(0.75), &guess);
        QCOMPARE(standing.verdict, Verdict::Agrees);
        QCOMPARE(standing.at->host, std::string("here"));
        QCOMPARE(standing.at->sweepId, std::string("sweep-1"));
        QCOMPARE(*standing.answer, 0.625);
        QCOMPARE(standing.score->relativeError, -0.2);
        QVERIFY(!standing.score->isRight);
        QCOMPARE(standingOf(l6, recordOfL6(0.75, 4), &guess).verdict, Verdict::Inconclusive);  // the computer was busy
        const ExperimentStanding none = standingOf(l6, nullptr, nullptr);
        QCOMPARE(none.verdict, Verdict::NotRun);
        QVERIFY(!none.at && !none.answer && !none.score);
    }
    void calculationsAgreeWithoutARecord() {
        const ExperimentStanding standing = standingOf(*shipped().experiment("P1"), nullptr, nullptr);
        QCOMPARE(standing.verdict, Verdict::Agrees);
        QCOMPARE(standing.computes.size(), shipped().experiment("P1")->computes.size());
    }
    void calibrationCountsFirstGuessesWithAnAnswer() {
        const double bubble = 100.0 / 9;
        const std::vector<Guess> guesses{{"pipelines", bubble, 1, ""},
                                         {"pipelines", 50, 2, ""},  // typed again: does not count
                                         {"L6", 0.5, 3, ""},
                                         {"L7", 1, 4, ""}};  // not run: no answer yet
        const GuessCalibration all = guessCalibrationOf(shipped(), guesses, {recordOfL6(0.75)}, "here");
        QCOMPARE(all.rows.size(), std::size_t(3));
        QCOMPARE(all.answered, std::size_t(2));
        QCOMPARE(all.right, std::size_t(1));
        QVERIFY(std::abs(*all.medianError - 0.1) < 1e-9);  // between 0 and 20 %
        QCOMPARE(all.chapters.size(), std::size_t(1));
        QCOMPARE(all.chapters.front().chapter->id, std::string("pipelines"));
        QVERIFY(!guessCalibrationOf(shipped(), {}, {}, "here").medianError);
    }
    /// An exercise is guessed like a chapter; the current edition's answer counts.
    void exercisesAreGuessed() {
        const Chapter& chapter = *shipped().chapter("exercises");
        const Exercise& exercise = chapter.exercises.front();
        const auto subject = shipped().guessSubject("exercises/llama70b");
        QVERIFY(subject && subject->question == &exercise.guess && !shipped().guessSubject("exercises/llama7b"));
        const GuessCalibration all = guessCalibrationOf(shipped(), {{"exercises/llama70b", 1.97, 1, ""}}, {}, "here");
        QCOMPARE(all.rows.size(), std::size_t(1));
        QCOMPARE(all.rows[0].subject(), std::string("exercises/llama70b"));
        QCOMPARE(all.rows[0].title().english, exercise.title.english);
        QVERIFY(std::abs(*all.rows[0].answer - 0.98435) < 1e-4 && !all.rows[0].score->isRight);
        QVERIFY(std::abs(*answerOf(exercise.guess, exercise.edition("first")->answer) - 1.9687) < 1e-4);
    }
    /// The forecast kept at the start is scored where a quiet computer measured a ratio.
    void forecastsAreScored() {
        Json record = recordOfL6(0.75);
        record["forecast"]["step_seconds"]["AFAB, m 1"] = {1.0, 1.0, 1.0};
        record["forecast"]["step_seconds"]["AFAB, m 2"] = {0.9, 0.9, 0.9};
        const GuessCalibration all = guessCalibrationOf(shipped(), {}, {record}, "here");
        QCOMPARE(all.forecasts.size(), std::size_t(1));
        QCOMPARE(all.forecasts[0].claim->id, std::string("two"));
        QVERIFY(std::abs(*all.medianForecastError - 0.2) < 1e-9);
        record["load"] = 9;
        QVERIFY(!guessCalibrationOf(shipped(), {}, {record}, "here").medianForecastError);
    }
    void hardwareDecidesWhereAnExperimentRuns() {
        const auto runs = [](const char* id, std::int64_t nodes, std::int64_t devices, DeviceKind kind) {
            ClusterSpec machine;
            machine.numNodes = nodes;
            machine.devicesPerNode = devices;
            machine.device.kind = kind;
            return runsOn(*shipped().experiment(id), machine);
        };
        QVERIFY(runs("L3", 1, 2, DeviceKind::Cpu) && !runs("G1", 1, 64, DeviceKind::Cpu));
        QVERIFY(runs("G1", 1, 1, DeviceKind::Gpu) && !runs("N1", 1, 4, DeviceKind::Gpu));
        QVERIFY(runs("N1", 1, 8, DeviceKind::Gpu) && !runs("K1", 1, 8, DeviceKind::Gpu));
        QVERIFY(runs("K1", 8, 8, DeviceKind::Gpu) &&
                !runs("K5", 8, 8, DeviceKind::Gpu));  // K5 is a job of other programs
        QVERIFY(!runs("P1", 8, 8, DeviceKind::Gpu));
    }
    void claimsAreMapped() {
        const auto before = claimsOf(shipped(), {}, "here");
        QCOMPARE(stateOf(before, "L6", "two"), ClaimState::Untested);
        const auto after = claimsOf(shipped(), {recordOfL6(0.98)}, "here");
        QCOMPARE(stateOf(after, "L6", "two"), ClaimState::Contradicted);
        QCOMPARE(stateOf(after, "L6", "four"), ClaimState::Confirmed);
        QCOMPARE(stateOf(claimsOf(shipped(), {recordOfL6(0.75, 9)}, "here"), "L6", "four"), ClaimState::Undecided);
        QCOMPARE(stateOf(after, "L3", shipped().experiment("L3")->claims.front().id), ClaimState::Untested);
        QCOMPARE(before.size(), after.size());
    }
    /// A record of another computer is theirs: it decides no claim, answers no guess, and the last of each computer counts.
    void recordsOfOthersAreTheirs() {
        Json theirs = recordOfL6(0.98), older = recordOfL6(0.5), other = recordOfL6(0.75);
        for (Json* record : {&theirs, &older}) {
            (*record)["host"] = "gpu-lab";
            (*record)["cpus"] = 16;
            (*record)["processor"] = "EPYC";
        }
        other["host"] = "laptop";
        const std::vector<Json> records{older, recordOfL6(0.75), other, theirs};
        QCOMPARE(ownRecord(records, "L6", "here"), &records[1]);
        QCOMPARE(ownRecord(records, "L6", "nowhere"), nullptr);
        QCOMPARE(ownRecord(records, "L7", "here"), nullptr);
        const auto all = theirRecords(records, "L6", "here");
        QCOMPARE(all.size(), std::size_t(2));
        QCOMPARE(all[0], &records[3]);
        QCOMPARE(textOf(hardwareOf(circumstancesOf(*all[0]))), std::string("gpu-lab, EPYC, 16 CPUs"));
        QCOMPARE(textOf(hardwareOf(circumstancesOf(*all[1]))), std::string("laptop, 2 CPUs"));
        QCOMPARE(stateOf(claimsOf(shipped(), {theirs}, "here"), "L6", "two"), ClaimState::Untested);
        QCOMPARE(stateOf(claimsOf(shipped(), records, "here"), "L6", "two"), ClaimState::Confirmed);
        QCOMPARE(guessCalibrationOf(shipped(), {{"L6", 0.5, 3, ""}}, {theirs}, "here").answered, std::size_t(0));
    }
    void whatIsNoRecordIsNamed() {
        QVERIFY(checkRecord(recordOfL6(0.75)).has_value());
        for (const char* key : {"schema", "experiment", "host", "measured"}) {
            Json record = recordOfL6(0.75);
            record.erase(key);
            const auto checked = checkRecord(record);
            QVERIFY2(!checked && checked.error().where == key, key);
        }
        QVERIFY(!checkRecord(Json::array()));
    }
    void aPlanMarksItsChapters() {
        RunConfig config;
        config.model.numLayers = 8;
        config.parallel.pp = 8;
        config.train.globalBatchSize = 2;
        config.train.microBatchSize = 1;
        const auto broken = brokenRules(config, ClusterSpec());
        const auto hit = trapsHit(*shipped().chapter("pipelines"), broken);
        QVERIFY(!hit.empty());
        QCOMPARE(hit.front()->rule, std::string("few_micro_batches"));
        config.parallel.pp = 1;
        QVERIFY(trapsHit(*shipped().chapter("pipelines"), brokenRules(config, ClusterSpec())).empty());
    }
};

}  // namespace slipway::test

using slipway::test::TstStanding;
SLIPWAY_TEST(TstStanding)

#include "tst_standing.moc"
