// Commands in-process: what they print, where, and with which exit code. Nothing is started here.
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/version.h"
#include "core/interop/tf_events.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/seed_store.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

using namespace slipway;
using namespace slipway::test;

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

Json json(const std::string& s) {
    const auto value = parseJson(s, "output");
    if (!value) qFatal("%s in: %s", value.error().text().c_str(), s.c_str());
    return *value;
}

/// The path of a file for FILE, FACTS, TWICE, SWEEP and ESCAPE; other words as they are.
std::string namedFile(const CliBench& bench, const std::string& word) {
    if (word == "FILE") return bench.file("config.json", "{\"data\": {\"tokens\": \"tiny.tok\"}}");
    if (word == "FACTS") return bench.file("facts.json", "{\"num_steps\": 4}");
    if (word == "TWICE") return bench.file("twice.json", "{\"name\": \"a\", \"name\": \"b\"}");
    if (word == "SWEEP") return bench.file("sweep.json", R"({"schema": 1, "name": "two", "base": {}, "points": []})");
    if (word == "ESCAPE") return bench.file("escape.json", "{\"mod\\u001b[31mred\": 1}");
    return word;
}

}  // namespace

class TstCli : public QObject {
    Q_OBJECT

private slots:
    void usage_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("out");  // regular expressions
        QTest::addColumn<QString>("err");
        QTest::newRow("help") << QStringList{"--help"} << 0 << "plan[\\s\\S]*completion"
                              << "^$";
        QTest::newRow("version") << QStringList{"--version"} << 0 << "^slipway \\d+\\.\\d+\\.\\d+"
                                 << "^$";
        QTest::newRow("unknown command") << QStringList{"lunch"} << 2 << "^$"
                                         << "lunch";
        QTest::newRow("unknown option") << QStringList{"runs", "--fast"} << 2 << "^$"
                                        << "--fast";
        QTest::newRow("misspelt command") << QStringList{"pln", "FILE"} << 2 << "^$"
                                          << "unknown command pln; did you mean plan\\?";
        QTest::newRow("misspelt option") << QStringList{"plan", "FILE", "--jsn"} << 2 << "^$"
                                         << "plan has no option --jsn; did you mean --json\\?";
        QTest::newRow("one argument too many") << QStringList{"plan", "FILE", "more"} << 2 << "^$"
                                               << "no further argument: more";
        QTest::newRow("not a number") << QStringList{"laws", "--flops", "nan"} << 2 << "^$"
                                      << "--flops: must be a number above 0, not nan\\.";
        QTest::newRow("below a range") << QStringList{"search", "FILE", "--devices", "0"} << 2 << "^$"
                                       << "a whole number from 1 to 1000000, not 0\\.";
        QTest::newRow("part of a device")
            << QStringList{"cost",      "--flops", "1e22",  "--device", "NVIDIA A100 SXM 80 GB",
                           "--devices", "2.5",     "--mfu", "0.4"}
            << 2 << "^$"
            << "--devices: must be a whole number";
        QTest::newRow("misspelt choice") << QStringList{"laws", "--law", "hofmann", "--flops", "1e20"} << 2 << "^$"
                                         << "is not one of corrected, .*did you mean hoffmann\\?";
        QTest::newRow("budget beside a config") << QStringList{"cost", "FILE", "--devices", "4"} << 2 << "^$"
                                                << "--devices: The config gives this";
        QTest::newRow("config's option without one")
            << QStringList{"cost", "--flops", "1e22", "--set", "parallel.tp=2"} << 2 << "^$"
            << "--set: This belongs to a config";
        QTest::newRow("points without a curve") << QStringList{"cost", "FILE", "--points", "3"} << 2 << "^$"
                                                << "--points needs --scaling";
        QTest::newRow("beginning of a device's name")
            << QStringList{"plan", "FILE", "--cluster", "a100"} << 2 << "^$"
            << "Did you mean NVIDIA A100 SXM 40 GB or NVIDIA A100 SXM 80 GB\\?";
        QTest::newRow("TPU that is none")
            << QStringList{"tpu", "--chips", "8", "--batch", "1e6", "--ffn", "1e4", "--device", "v5"} << 2 << "^$"
            << "Did you mean Google TPU v5e or Google TPU v5p\\?";
        QTest::newRow("defaults of a model alone")
            << QStringList{"plan", "--model", "gpt2-124m", "--set", "train.precision=fp64"} << 0 << "Parameters"
            << "^(?!.*precision)[\\s\\S]*note: defaults, changed by --set: train.device gpu, train.seq_len 1024";
        QTest::newRow("misspelt figure") << QStringList{"plan", "FILE", "--explain", "mfuu"} << 2 << "^$"
                                         << "did you mean mfu\\?";
        QTest::newRow("misspelt section") << QStringList{"fields", "paralel"} << 2 << "^$"
                                          << "did you mean parallel\\?";
        QTest::newRow("facts have no hardware") << QStringList{"lint", "FACTS", "--cluster", "h100.json"} << 2 << "^$"
                                                << "--cluster: Only a config has hardware";
        QTest::newRow("a key twice") << QStringList{"plan", "TWICE"} << 2 << "^$"
                                     << "appears twice";
        QTest::newRow("a key that steers terminals") << QStringList{"plan", "ESCAPE"} << 2 << "^$"
                                                     << "Unknown key mod<U\\+001B>\\[31mred";
        QTest::newRow("a sweep instead of a run")
            << QStringList{"launch", "SWEEP"} << 2 << "^$"
            << "describes a sweep, not a run; `slipway sweep [^`]*sweep\\.json` starts it";
        QTest::newRow("argument missing") << QStringList{"plan"} << 2 << "^$"
                                          << "config is required";
        QTest::newRow("jobs without batch") << QStringList{"--jobs", "2"} << 2 << "^$"
                                            << "--batch";
        QTest::newRow("batch with a command") << QStringList{"--batch", "x.json", "runs"} << 2 << "^$"
                                              << "takes no command";
        QTest::newRow("file missing") << QStringList{"--batch", "/nowhere/x.json"} << 2 << "^$"
                                      << "/nowhere/x.json";
        QTest::newRow("no runs") << QStringList{"runs"} << 0 << "^$"
                                 << "No runs yet";
        QTest::newRow("no runs, JSON") << QStringList{"runs", "--json"} << 0 << "^\\[\\]\\s*$"
                                       << "^$";
        QTest::newRow("run missing") << QStringList{"show", "nothing"} << 2 << "^$"
                                     << "nothing";
        QTest::newRow("bad filter") << QStringList{"runs", "modle:8B"} << 2 << "^$"
                                    << "did you mean model|Did you mean model";
        QTest::newRow("set without value") << QStringList{"plan", "FILE", "--set", "parallel.tp"} << 2 << "^$"
                                           << "FIELD=VALUE";
        QTest::newRow("set of an unknown field") << QStringList{"plan", "FILE", "--set", "parallel.tpp=2"} << 2 << "^$"
                                                 << "did you mean parallel.tp\\?";
        QTest::newRow("laws without a budget") << QStringList{"laws"} << 2 << "^$"
                                               << "--flops";
        QTest::newRow("laws with a contradiction")
            << QStringList{"laws", "--flops", "1e23", "--params", "70e9", "--tokens", "1.4e12"} << 2 << "^$"
            << "70.0 B parameters x 1.40 T tokens are 5.88e\\+23 FLOP, not 1e\\+23";
        QTest::newRow("Kaplan without parameters") << QStringList{"laws", "kaplan", "--tokens", "1e9"} << 2 << "^$"
                                                   << "--params";
        QTest::newRow("unknown topic") << QStringList{"laws", "optimal", "--flops", "1e24"} << 2 << "^$"
                                       << "optimal";
        QTest::newRow("law without loss")
            << QStringList{"laws", "isoflop", "--law", "kaplan", "--flops", "1e24"} << 2 << "^$"
            << "does not give a loss";
        QTest::newRow("unknown preset") << QStringList{"laws", "--model", "llama3-8"} << 2 << "^$"
                                        << "did you mean llama3-8b\?";
        QTest::newRow("serving without tokens") << QStringList{"laws", "serve", "--flops", "1e24"} << 2 << "^$"
                                                << "--served-tokens";
        QTest::newRow("fit without points") << QStringList{"laws", "fit"} << 2 << "^$"
                                            << "Name the file";
        QTest::newRow("experts") << QStringList{"laws", "experts", "--params", "1e9", "--tokens", "2e10"} << 0
                                 << "experimental"
                                 << "^$";
        QTest::newRow("recipe") << QStringList{"laws", "recipe", "--params", "8e9", "--tokens", "2e12"} << 0
                                << "step_law[\\s\\S]*deepseek[\\s\\S]*critical_batch"
                                << "^$";
        QTest::newRow("field") << QStringList{"fields", "parallel.tp"} << 0
                               << "^parallel.tp  integer, ranks, 1 to 1024, default 1\n"
                               << "^$";
        QTest::newRow("misspelt field") << QStringList{"fields", "paralel.tp"} << 2 << "^$"
                                        << "did you mean parallel.tp\\?";
        QTest::newRow("no sweep") << QStringList{"report"} << 2 << "^$"
                                  << "No sweep has run yet";
        QTest::newRow("shell") << QStringList{"completion", "tcsh"} << 2 << "^$"
                               << "tcsh";
    }
    void usage() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, out);
        QFETCH(QString, err);
        CliBench bench;
        std::vector<std::string> list;
        for (const QString& argument : arguments) list.push_back(namedFile(bench, argument.toStdString()));
        const auto got = bench.run(list);
        QVERIFY2(QRegularExpression(err).match(text(got.err)).hasMatch(), got.err.c_str());
        QVERIFY2(QRegularExpression(out).match(text(got.out)).hasMatch(), got.out.c_str());
        QTEST(got.code, "code");
    }

    void aRunThatCannotStartIsNone() {
        CliBench bench;
        const auto got = bench.run({"launch", bench.file("c.json", R"({"parallel": {"dp": 2}})"), "--detach"});
        QCOMPARE(got.code, 1);
        QVERIFY2(got.err.find("data.tokens is empty") != std::string::npos, got.err.c_str());
        QCOMPARE(text(bench.run({"runs", "--all", "--json"}).out).trimmed(), QString("[]"));
    }

    void aDeviceOfTheLibraryHasTheNodesThatALayoutNeeds() {
        CliBench bench;
        const std::string file =
            bench.file("c.json", R"({"train": {"device": "gpu", "global_batch_size": 64}, "parallel": {"dp": 32}})");
        for (const char* command : {"plan", "cost"}) {
            const auto got = bench.run({command, file, "--cluster", "NVIDIA H100 SXM 80 GB", "--json"});
            QVERIFY2(got.code == 0, (got.out + got.err).c_str());
            const Json answer = json(got.out);
            QCOMPARE(std::string(command) == "plan" ? answer["cluster"]["num_nodes"].get<int>()
                                                    : answer["devices"].get<int>() / 8,
                     4);
        }
    }

    void theTorusIsTheDevices_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("axes");
        QTest::newRow("v5e") << "Google TPU v5e" << 2;
        QTest::newRow("v6e") << "Google TPU v6e" << 2;
        QTest::newRow("v5p") << "Google TPU v5p" << 3;
    }
    void theTorusIsTheDevices() {
        QFETCH(QString, device);
        CliBench bench;
        const auto got = bench.run(
            {"tpu", "--device", device.toStdString(), "--chips", "256", "--batch", "1e6", "--ffn", "28672", "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        QTEST(json(got.out)["axes"].get<int>(), "axes");
    }

    void everyCommandExplainsItself() {
        CliBench bench;
        for (const auto& command : allCommands()) {
            const auto got = bench.run({command->name(), "--help"});
            QCOMPARE(got.code, 0);
            QVERIFY2(got.out.find("Examples:") != std::string::npos &&
                         got.out.find("slipway " + command->name()) != std::string::npos,
                     command->name().c_str());
        }
    }

    void aBadSweepListsAllAndStartsNothing() {
        CliBench bench;
        const auto got = bench.run(
            {"--batch",
             bench.file(
                 "bad.json",
                 R"({"schema": 1, "name": "x", "base": {"modle": {}}, "axes": [{"field": "parallel.ttp", "values": [1]}]})")});
        QCOMPARE(got.code, 2);
        QVERIFY2(text(got.err).contains("2 problems, nothing was started") && text(got.err).contains("/base/modle: ") &&
                     text(got.err).contains("did you mean model?") && text(got.err).contains("/axes/0/field: "),
                 got.err.c_str());
        QVERIFY(!std::filesystem::exists(bench.at.home.sweeps()));
    }

    // Every point comes back from the event file with its step and its time; values are floats there, NaN included.
    void curvesBecomeTensorBoardFiles() {
        CliBench bench;
        RunId id;
        std::vector<MetricSeries> all;
        {
            auto store = RunStore::open(bench.at.home, OpenMode::ReadWrite);
            QVERIFY(store);
            id = seedRuns(*store, {.numRuns = 1, .numSteps = 300}).front();
            MetricBatch batch;
            batch.fromOffset = *store->offset(id);
            batch.toOffset = batch.fromOffset + 1;
            batch.records.push_back(MetricStep{301, 1000, 1763731500250, {{"loss", std::nan("")}}});
            QVERIFY(store->append(id, batch));
            all = *store->allSeries(id);
        }
        const std::string folder = (bench.at.home.path / "boards").string();
        const auto got = bench.run({"show", id.value, "--tensorboard", folder, "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        const Json told = json(got.out);
        const std::filesystem::path file = told["file"].get<std::string>();
        QVERIFY(file.parent_path().filename() == id.value);
        QVERIFY(file.filename().string().starts_with("events.out.tfevents."));
        const std::string bytes = *readFile(file);
        QVERIFY(bytes.find("brain.Event:2") < 64);
        std::map<std::string, std::map<std::int64_t, double>> read;
        std::map<std::int64_t, double> seconds;
        std::int64_t last = 0;
        const auto counts = interop::readScalarEvents(bytes, [&](const interop::ScalarEvent& event) {
            read[event.tag][event.step] = event.value;
            seconds[event.step] = event.wallSeconds;
            last = std::max(last, event.step);
            if (event.step < last) last = -1;  // not in the order of steps
        });
        QVERIFY(counts.malformed.empty());
        QCOMPARE(last, std::int64_t{301});
        QCOMPARE(counts.scalars, told["scalars"].get<std::int64_t>());
        std::int64_t expected = 0;
        for (const MetricSeries& one : all)
            for (std::size_t i = 0; i < one.size(); ++i) {
                if (one.name == "time_unix_ms") {
                    if (seconds.contains(one.steps[i])) QCOMPARE(seconds[one.steps[i]], one.values[i] / 1000);
                    continue;
                }
                ++expected;
                const double value = read[one.name].at(one.steps[i]);
                QVERIFY(std::isnan(one.values[i]) ? std::isnan(value)
                                                  : value == static_cast<double>(static_cast<float>(one.values[i])));
            }
        QVERIFY(expected > 300 && counts.scalars == expected);
        QVERIFY(std::isnan(read["loss"].at(301)));
        QCOMPARE(seconds[301], 1763731500.25);
        QCOMPARE(bench.run({"show", "nothing", "--tensorboard", folder}).code, 2);
    }

    void listsShowsAndMarksRuns() {
        CliBench bench;
        std::vector<RunId> ids;
        {
            auto store = RunStore::open(bench.at.home, OpenMode::ReadWrite);
            QVERIFY(store);
            ids = seedRuns(*store, {.numRuns = 6});
        }
        QCOMPARE(json(bench.run({"runs", "--json"}).out).size(), std::size_t{6});
        const Json failed = json(bench.run({"runs", "status:failed", "--json"}).out);
        QVERIFY(!failed.empty() && failed.size() < 6);
        for (const Json& run : failed) QCOMPARE(text(run["status"]), QString("failed"));
        const std::string id = ids.front().value;
        QCOMPARE(bench.run({"tag", id, "good", "base line"}).code, 0);
        QCOMPARE(bench.run({"tag", id, "--remove", "good"}).code, 0);
        const Json shown = json(bench.run({"show", id, "--json"}).out);
        const auto& tags = shown["tags"];
        QVERIFY(std::find(tags.begin(), tags.end(), "base line") != tags.end());
        QVERIFY(std::find(tags.begin(), tags.end(), "good") == tags.end());
        QVERIFY(shown["config"].is_object());
        QVERIFY(text(bench.run({"show", id}).out).contains("Config"));
        // The verdict on the curve; a run of three steps is too short for one.
        QCOMPARE(text(shown["loss_curve"]["verdict"]), QString("falling"));
        QVERIFY(shown["loss_curve"]["improvement"].get<double>() > 0.1);
        QVERIFY(text(bench.run({"show", id}).out).contains("falling: mean loss"));
        QCOMPARE(
            text(json(
                bench.run({"show", failed[0]["run_id"].get<std::string>(), "--json"}).out)["loss_curve"]["verdict"]),
            QString("too_short"));
        QCOMPARE(bench.run({"archive", id}).code, 0);
        QCOMPARE(json(bench.run({"runs", "--json"}).out).size(), std::size_t{5});
        QCOMPARE(bench.run({"archive", id, "--undo"}).code, 0);
        QCOMPARE(json(bench.run({"runs", "--limit", "3", "--json"}).out).size(), std::size_t{3});
    }

    void comparesAndReports() {
        CliBench bench;
        std::vector<RunId> ids;
        {
            auto store = RunStore::open(bench.at.home, OpenMode::ReadWrite);
            ids = seedRuns(*store, {.numRuns = 3});
        }
        const std::string a = ids[0].value;
        const std::string b = ids[1].value;
        QCOMPARE(json(bench.run({"compare", a, b, "--json"}).out)["runs"].size(), std::size_t{2});
        QVERIFY(text(bench.run({"compare", a, b}).out).contains("Step time"));
        QVERIFY(text(bench.run({"report", a, b, "--format", "csv"}).out).startsWith("run,status,"));
        QVERIFY(text(bench.run({"report", a}).out).startsWith("<!DOCTYPE html>"));
        const std::string path = (bench.at.temp.path() / "out.md").string();
        QCOMPARE(bench.run({"report", a, b, "-o", path}).code, 0);
        QVERIFY(text(*readFile(path)).startsWith("# Comparison of 2 runs"));
    }

    // An import knows some fields of its config: the others are "?", and no default is taken for a difference.
    void comparesWhatIsKnown() {
        CliBench bench;
        std::string a, b;
        {
            auto store = RunStore::open(bench.at.home, OpenMode::ReadWrite);
            a = seedRuns(*store, {.numRuns = 2})[1].value;  // dp 2
            NewRun imported;
            imported.id = RunId("20260101-000000000-0badcafe");
            imported.config.model.numLayers = 7;
            imported.given = {"model.num_layers"};
            QVERIFY(store->createRun(imported, 1));
            b = imported.id.value;
        }
        const QString shown = text(bench.run({"compare", a, b}).out);
        QVERIFY2(shown.contains("model.num_layers") && !shown.contains("parallel.dp"), qPrintable(shown));
        const Json document = json(bench.run({"compare", a, b, "--json"}).out);
        QCOMPARE(document["differences"].size(), std::size_t{1});
        QVERIFY(!document["runs"][1]["config"].contains("parallel"));
    }

    void theIndexComesBackFromFolders() {
        CliBench bench;
        {
            auto store = RunStore::open(bench.at.home, OpenMode::ReadWrite);
            (void)seedRuns(*store, {.numRuns = 2});
        }
        std::filesystem::remove(bench.at.home.index());
        const auto got = bench.run({"runs", "--json"});
        // Rebuilt without being asked, and said so. Seeded runs have no streams, but all they are lies in meta.json.
        QVERIFY2(text(got.err).contains("rebuilt it from 2 run folders"), got.err.c_str());
        QCOMPARE(json(got.out).size(), std::size_t{2});
        QCOMPARE(json(bench.run({"reindex", "--json"}).out)["runs"].get<int>(), 2);
    }

    void makesACorpus() {
        CliBench bench;
        std::string words;
        std::uint32_t state = 1;
        for (int i = 0; i < 8000; ++i) {
            for (int k = 0; k < 6; ++k)
                words += static_cast<char>('a' + ((state = state * 1664525U + 1013904223U) >> 16) % 26);
            words += i % 12 == 11 ? ".\n" : " ";
        }
        const auto got = bench.run({"corpus", bench.file("words.txt", words), "--vocab-size", "600", "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
        const Json corpus = json(got.out);
        QCOMPARE(text(corpus["tokens"]), QString("words.tok"));
        QVERIFY(corpus["num_tokens"].get<int>() > 1000 && corpus["unigram_entropy"].get<double>() > 0);
    }

    void completionKnowsEveryCommand_data() {
        QTest::addColumn<QString>("shell");
        for (const char* shell : {"bash", "zsh", "fish"}) QTest::newRow(shell) << shell;
    }
    void completionKnowsEveryCommand() {
        QFETCH(QString, shell);
        CliBench bench;
        const QString script = text(bench.run({"completion", shell.toStdString()}).out);
        for (const auto& command : allCommands())
            QVERIFY2(script.contains(text(command->name())), command->name().c_str());
        QVERIFY(script.contains("follow") && script.contains("again"));
    }
};

SLIPWAY_TEST(TstCli)
#include "tst_cli.moc"
