// `slipway tune` with the fake trainer: evidence, the tuned config, and going on where it ended.
#include "core/base/json_fields.h"
#include "core/spec/run_config.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::test;

class TstTuneFlow : public QObject {
    Q_OBJECT

private slots:
    void writesTheFastestAndItsEvidence() {
        CliBench bench;
        RunConfig config = tinyConfig("tiny [ms=5]", 500, 2);
        config.checkpoint.everySteps = 100;
        const std::string file = bench.file("config.json", dumpJson(toJson(config), true));
        const std::string output = (bench.at.temp.path() / "best.json").string();
        const std::vector<std::string> arguments{"tune",     file,    "--steps",  "4",    "--layouts", "3",
                                                 "--budget", "10min", "--output", output, "--json"};
        const auto first = bench.run(arguments);
        QVERIFY2(first.code == 0, first.err.c_str());
        const Json document = Json::parse(first.out);
        QVERIFY(document["num_layouts"].get<double>() > 3 && !document["ruled_out"].empty());
        std::size_t measured = 0;
        for (const Json& trial : document["trials"]) {
            measured += trial["measured_seconds"].is_number() ? 1 : 0;
            QVERIFY(trial["forecast_seconds"].is_number() && trial["fitted_seconds"].is_number());
            const bool untried = trial["status"] == "skipped";
            QCOMPARE(trial["chance"].is_number(), untried);
            if (untried) QVERIFY(trial["reason"].get<std::string>().find("Not tried") == 0);
        }
        QVERIFY(measured >= 1);
        QVERIFY(document["trials"][0]["name"] == document["best"]);
        // The layout is the winner's; everything else stays the config's.
        const auto written = readJsonFile(output);
        QVERIFY(written);
        const auto tuned = parseRunConfig(*written, output);
        QVERIFY(tuned);
        QCOMPARE(tuned->train.numSteps, 500);
        QCOMPARE(tuned->checkpoint.everySteps, 100);
        QCOMPARE(tuned->parallel.worldSize(), 2);
        const auto folder = bench.at.home.run(RunId(document["trials"][0]["run_id"].get<std::string>()));
        const auto winner = parseRunConfig(*readJsonFile(folder->config()), "winner");
        QVERIFY(winner);
        RunConfig asMeasured = *winner;
        asMeasured.name = tuned->name;
        asMeasured.train.numSteps = tuned->train.numSteps;
        asMeasured.checkpoint = tuned->checkpoint;
        QVERIFY(toJson(*tuned) == toJson(asMeasured));
        QVERIFY(configHash(*tuned) != configHash(config));
        // Run once more it knows its answer.
        const auto again = bench.run(arguments);
        QCOMPARE(again.code, 0);
        const Json same = Json::parse(again.out);
        QVERIFY(same["sweep_id"] == document["sweep_id"]);
        QVERIFY(same["trials"] == document["trials"]);
        const auto text = bench.run({"tune", file, "--steps", "4", "--layouts", "3", "--budget", "10min"});
        QVERIFY(QString::fromStdString(text.out).contains("Best: "));
        QVERIFY(QString::fromStdString(text.out).contains("Ruled out before anything ran"));
    }

    void refusesWhatIsNoTime() {
        CliBench bench;
        for (const char* budget : {"soon", "0", "-3min", "5 days", ""}) {
            const auto outcome = bench.run({"tune", bench.file("c.json", "{}"), "--budget", budget});
            QCOMPARE(outcome.code, 2);
        }
    }
};

SLIPWAY_TEST(TstTuneFlow)
#include "tst_tune_flow.moc"
