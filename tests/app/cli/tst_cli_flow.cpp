// The command line through the real agent and the fake trainer, in-process, and the real program where signals matter.
#include "core/base/json.h"
#include "core/process/process.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <csignal>

using namespace slipway;
using namespace slipway::test;

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

std::string sweepText(const std::vector<std::string>& names, const Json& extra = Json::object()) {
    Json file{{"schema", 1}, {"name", "flow"}, {"base", toJson(tinyConfig("", 10))}, {"points", Json::array()}};
    std::int64_t seed = 1;
    for (const std::string& name : names) file["points"].push_back({{"name", name}, {"train.seed", seed++}});
    file.update(extra);
    return file.dump();
}

}  // namespace

class TstCliFlow : public QObject {
    Q_OBJECT

private slots:
    // The first forecast of a home measures the computer, which takes its time: said where no line is redrawn, and not done
    // for a config that is refused.
    void theComputerIsMeasuredForGoodConfigs() {
        CliBench bench;
        const std::filesystem::path mark = bench.at.temp.path() / "called";
        const std::string script = bench.file("trainer", "#!/bin/sh\ntouch " + mark.string() + "\nexec " +
                                                             bench.at.programs.trainer.string() + " \"$@\"\n");
        std::filesystem::permissions(script, std::filesystem::perms::owner_all);
        bench.at.programs.trainer = script;
        Json named = toJson(tinyConfig("")), divided = toJson(tinyConfig("divided"));
        named["name"] = std::string("a\0b", 3);
        divided["parallel"]["dp"] = 3;  // of 4 sequences
        for (const Json& refused : {named, divided})
            for (const char* command : {"plan", "launch"}) {
                const auto outcome = bench.run({command, bench.file("refused.json", refused.dump())});
                QVERIFY2(outcome.code == 1, (outcome.out + outcome.err).c_str());
                QVERIFY2(!std::filesystem::exists(mark), command);
                QVERIFY2(!text(outcome.err).contains("Measuring"), outcome.err.c_str());
            }
        const std::string good = bench.file("good.json", toJson(tinyConfig("good")).dump());
        const auto first = bench.run({"plan", good});
        QVERIFY2(first.code == 0 && std::filesystem::exists(mark), first.err.c_str());
        QCOMPARE(text(first.err).count("note: Measuring this computer.\n"), 1);
        QVERIFY(!text(bench.run({"plan", good}).err).contains("Measuring"));
    }

    void batchPrintsTableAndReport() {
        CliBench bench;
        const std::string file =
            bench.file("sweep.json", sweepText({"one", "two"}, {{"points",
                                                                 {{{"name", "one"}},
                                                                  {{"name", "two"}, {"parallel.dp", 2}},
                                                                  {{"name", "three"}, {"parallel.tp", 3}}}}}));
        const auto got = bench.run({"--batch", file});
        QVERIFY2(got.code == 0, got.err.c_str());
        QVERIFY(text(got.out).contains("completed") && text(got.out).contains("three, skipped: "));
        const QString path = text(got.out).section("Report: ", 1).trimmed();
        QVERIFY(std::filesystem::exists(path.toStdString()));
        QVERIFY(std::filesystem::exists(QString(path).replace(".html", ".csv").toStdString()));
        const auto again = bench.run({"--batch", file, "--json"});
        QCOMPARE(again.code, 0);
        QVERIFY(text(again.err).contains("complete"));
        const Json result = *parseJson(again.out, "out");
        QCOMPARE(text(result["status"]), QString("completed"));
        QCOMPARE(result["trials"].size(), std::size_t{3});
        const Json& trial = result["trials"][1];
        QCOMPARE(text(trial["name"]), QString("two"));
        QVERIFY(trial["reason"].is_null() && trial["run_id"].is_string());
        QCOMPARE(trial["config"]["parallel"]["dp"].get<int>(), 2);
        for (const char* key : {"step_seconds", "tokens_per_second", "tokens_per_second_per_device", "mfu", "mfu_rule",
                                "memory_peak_bytes", "bubble_fraction", "comm_bytes"}) {
            QVERIFY2(trial["forecast"].contains(key), key);
            QVERIFY2(trial["measured"].contains(key), key);
        }
        QVERIFY(trial["measured"]["final_loss"].is_number());
        const Json& skipped = result["trials"][2];
        QCOMPARE(text(skipped["status"]), QString("skipped"));
        QVERIFY(skipped["reason"].is_string() && skipped["run_id"].is_null() &&
                skipped["measured"]["step_seconds"].is_null());
    }

    void aFailedTrialGivesOne() {
        CliBench bench;
        const auto got = bench.run({"--batch", bench.file("sweep.json", sweepText({"bad [crash@3]", "good"}))});
        QCOMPARE(got.code, 1);
        QVERIFY(text(got.out).contains("bad [crash@3], failed: "));
    }

    void aResumedRunMendsItsSweep() {
        CliBench bench;
        const std::string file = bench.file("sweep.json", sweepText({"bad [crash@3]", "worse [crash@3]", "good"}));
        QCOMPARE(bench.run({"--batch", file}).code, 1);
        const Json first = *parseJson(bench.run({"--batch", file, "--json"}).out, "out");
        for (int i = 0; i < 2; ++i) {
            const auto control = bench.at.home.runs() / first["trials"][i]["run_id"].get<std::string>() / "control";
            std::filesystem::create_directories(control);
            (void)writeFileAtomically(control / "mended", "");
        }
        QCOMPARE(bench.run({"resume", first["trials"][0]["run_id"].get<std::string>()}).code, 0);
        const auto half = bench.run({"--batch", file});
        QCOMPARE(half.code, 1);
        QVERIFY2(
            text(half.out).contains("worse [crash@3], failed: ") && !text(half.out).contains("bad [crash@3], failed"),
            half.out.c_str());
        QVERIFY2(text(half.out).contains("2 of 3 trials completed, 1 failed"), half.out.c_str());
        QCOMPARE(bench.run({"--batch", file, "--retry", "soon"}).code, 2);
        QCOMPARE(bench.run({"--batch", file, "--retry", "lost,killed"}).code, 1);
        const auto healed = bench.run({"--batch", file, "--retry", "failed"});
        QVERIFY2(healed.code == 0, healed.out.c_str());
        const Json last = *parseJson(bench.run({"--batch", file, "--json"}).out, "out");
        QCOMPARE(text(last["status"]), QString("completed"));
        QVERIFY(last["trials"][1]["reason"].is_null() && last["trials"][1]["run_id"] == first["trials"][1]["run_id"]);
    }

    void runsHaveTheNameOfTheOption() {
        CliBench bench;
        const std::string file = bench.file("config.json", toJson(tinyConfig("from the file", 3)).dump());
        const auto launched = bench.run({"launch", file, "--name", "base line", "--json"});
        QVERIFY2(launched.code == 0, launched.err.c_str());
        const std::string id = (*parseJson(launched.out, "launch"))["run_id"].get<std::string>();
        const Json shown = *parseJson(bench.run({"show", "base line", "--json"}).out, "show");
        QVERIFY(shown["run_id"] == id && shown["config"]["name"] == "base line");
        const auto cloned = bench.run({"clone", id, "--name", "again", "--print"});
        QVERIFY((*parseJson(cloned.out, "clone"))["name"] == "again");
        // The figures that follow from others are shown beside them.
        QVERIFY(shown["measured"]["perplexity"].is_number() && shown["measured"]["samples_per_second"].is_number());
        const QString table = text(bench.run({"show", id}).out), compared = text(bench.run({"compare", id, id}).out);
        for (const char* row : {"Samples/s", "Perplexity"})
            QVERIFY2(table.contains(row) && compared.contains(row), qPrintable(table + compared));
        QVERIFY(text(bench.run({"report", id}).out).contains("Perplexity"));
        QVERIFY(text(bench.run({"runs"}).out).contains("Perplexity"));
    }

    void launchFollowsStopsAndResumes() {
        CliBench bench;
        Json config = toJson(tinyConfig("tiny", 10));
        const auto done = bench.run({"launch", bench.file("config.json", config.dump()), "--tag", "x"});
        QVERIFY2(done.code == 0, done.err.c_str());
        QVERIFY(text(done.out).contains("completed"));
        QVERIFY(text(bench.run({"runs", "tag:x"}).out).contains("tiny"));
        QCOMPARE(bench.run({"launch", bench.file("config.json", config.dump()), "--set", "name=bad [exit@2=10]"}).code,
                 1);

        config["name"] = "long [ms=50]";
        config["train"]["num_steps"] = 400;
        const auto started = bench.run({"launch", bench.file("config.json", config.dump()), "--detach"});
        QCOMPARE(started.code, 0);
        const std::string id = text(started.out).trimmed().toStdString();
        const auto stopped = bench.run({"stop", id});
        QCOMPARE(stopped.code, 0);
        QVERIFY2(text(stopped.out).contains("cancelled"), stopped.out.c_str());
        // Ctrl-C while following: asks for a stop.
        const std::filesystem::path stream = RunDir{bench.at.home.runs() / id}.metrics();
        const auto stepsOf = [&] {
            const std::string lines = readFile(stream).value_or("");
            std::size_t steps = 0;
            for (std::size_t at = 0; (at = lines.find("\"kind\":\"step\"", at)) != std::string::npos; ++at) ++steps;
            return steps;
        };
        const std::size_t before = stepsOf();  // pressed when the second attempt gets on
        bench.interrupts = [&] { return stepsOf() > before ? 1 : 0; };
        const auto interrupted = bench.run({"resume", id});
        QCOMPARE(interrupted.code, 130);
        bench.interrupts = [] { return 0; };
        const Json shown = *parseJson(bench.run({"show", id, "--json"}).out, "show");
        QCOMPARE(shown["attempts"].get<int>(), 2);
        QCOMPARE(text(shown["status"]), QString("cancelled"));
        QCOMPARE(bench.run({"logs", id}).code, 0);
        const auto cloned = bench.run({"clone", id, "--print", "--set", "train.num_steps=5"});
        QCOMPARE((*parseJson(cloned.out, "clone"))["train"]["num_steps"].get<int>(), 5);
        // In another layout from where it stands: only when there is a whole checkpoint, and by its whole path.
        const RunDir dir{bench.at.home.runs() / id};
        std::filesystem::remove_all(dir.checkpoints());
        const std::vector<std::string> onwards{"clone", id, "--print", "--from-checkpoint", "--set", "parallel.dp=2"};
        QVERIFY(bench.run(onwards).code != 0);
        std::filesystem::create_directories(dir.checkpoint(7));
        (void)writeFileAtomically(dir.checkpoint(7) / "manifest.json", "{}");
        const auto moved = bench.run(onwards);
        QVERIFY2(moved.code == 0, moved.err.c_str());
        const Json document = *parseJson(moved.out, "clone");
        QCOMPARE(text(document["checkpoint"]["start_from"]), QString::fromStdString(dir.path.string()));
        QCOMPARE(document["parallel"]["dp"].get<int>(), 2);
    }

    // Nobody looks: the follower that a detached launch leaves behind starts the next attempt, and ends with the run.
    void restartsADetachedRun() {
        CliBench bench;
        ::setenv("SLIPWAY_BIN_DIR", SLIPWAY_BIN_DIR "/fake", 1);  // the follower's trainer
        Json config = toJson(tinyConfig("tiny [kill@8=1]", 12));
        config["checkpoint"]["every_steps"] = 5;
        const auto started =
            bench.run({"launch", bench.file("config.json", config.dump()), "--detach", "--restart", "auto"});
        QVERIFY2(started.code == 0, started.err.c_str());
        const RunDir folder{bench.at.home.runs() / text(started.out).trimmed().toStdString()};
        const auto stream = [&] { return readFile(folder.metrics()).value_or(""); };
        const bool isComplete = waitUntil(60, [&] { return stream().find("\"completed\"") != std::string::npos; });
        ::unsetenv("SLIPWAY_BIN_DIR");
        QVERIFY2(isComplete, stream().c_str());
        QVERIFY(stream().find("\"attempt\":2,\"resume_step\":5") != std::string::npos);
        const Json shown = *parseJson(bench.run({"show", folder.path.filename().string(), "--json"}).out, "show");
        QCOMPARE(shown["attempts"].get<int>(), 2);
    }

    // A run of an older version, whose config has an option that never acted and that a new run is refused with.
    void runsWithOptionsThatNeverActed() {
        CliBench bench;
        Json config = toJson(tinyConfig("old [ms=50]", 400));
        config["optimizer"]["kind"] = "lion";
        const auto started = bench.run({"launch", bench.file("config.json", config.dump()), "--detach"});
        QVERIFY2(started.code == 0, started.err.c_str());
        const std::string id = text(started.out).trimmed().toStdString();
        QCOMPARE(bench.run({"stop", id}).code, 0);
        const RunDir dir{bench.at.home.runs() / id};
        Json kept = *readJsonFile(dir.config());
        kept["optimizer"]["eps"] = 1e-6;
        kept["optimizer"]["schedule"]["decay_steps"] = 5;  // of another kind of schedule: a field that does not apply
        QVERIFY(writeJsonFile(dir.config(), kept).has_value());
        const auto indexed = bench.run({"reindex"});
        QVERIFY2(indexed.code == 0 && indexed.err.empty(), indexed.err.c_str());

        QVERIFY(text(bench.run({"show", id}).out).contains("1e-06"));
        QCOMPARE(bench.run({"report", id}).code, 0);
        QCOMPARE(bench.run({"compare", id, id}).code, 0);
        const auto cloned = bench.run({"clone", id, "--print"});
        QVERIFY2(cloned.code == 0, cloned.err.c_str());
        QVERIFY(text(cloned.err).contains("note: optimizer.eps has no effect with optimizer.kind lion"));
        QVERIFY(text(cloned.err).contains("It is left out."));
        QCOMPARE((*parseJson(cloned.out, "clone"))["optimizer"]["eps"].get<double>(), 1e-8);
        QCOMPARE(bench.run({"clone", id, "--set", "train.num_steps=3", "--set", "name=new"}).code, 0);
        const auto refused = bench.run({"clone", id, "--set", "optimizer.eps=1e-6"});
        QCOMPARE(refused.code, 1);
        QVERIFY2(text(refused.err).contains("optimizer.eps has no effect"), refused.err.c_str());

        QCOMPARE(bench.run({"resume", id, "--detach"}).code, 0);
        QCOMPARE(bench.run({"stop", id}).code, 0);
        const Json shown = *parseJson(bench.run({"show", id, "--json"}).out, "show");
        QCOMPARE(shown["attempts"].get<int>(), 2);
        QCOMPARE((*readJsonFile(dir.config())).dump(), kept.dump());  // nothing is lost
    }

    void controlCPausesTheRealProgram() {
        CliBench bench;
        const std::string file = bench.file("sweep.json", sweepText({"a [wait@5]", "b [wait@5]", "c [wait@5]"}));
        const auto bin = bench.at.temp.path() / "bin";
        std::filesystem::create_directories(bin);
        std::filesystem::create_symlink(bench.at.programs.agent, bin / "slipway-agent");
        std::filesystem::create_symlink(bench.at.programs.trainer, bin / "slipway-trainer");
        ProcessSpec spec;
        spec.arguments = {std::string(SLIPWAY_BIN_DIR) + "/slipway",
                          "--batch",
                          file,
                          "--home",
                          bench.at.home.path.string(),
                          "--json"};
        spec.environment = std::vector<std::string>{"SLIPWAY_BIN_DIR=" + bin.string(), "PATH=/usr/bin:/bin"};
        spec.captureOutput = true;
        const auto trials = [&] {
            std::map<std::string, int> count;
            const Json runs = *parseJson(bench.run({"runs", "--json"}).out, "runs");
            for (const Json& run : runs) ++count[run["status"].get<std::string>()];
            return count;
        };
        // Each trial stands in its middle until it is told to go on.
        const auto go = [&] {
            const Json runs = *parseJson(bench.run({"runs", "status:running", "--json"}).out, "runs");
            for (const Json& run : runs)
                (void)writeFileAtomically(bench.at.home.runs() / run["run_id"].get<std::string>() / "control" / "go",
                                          "");
        };
        auto child = Process::start(spec);
        QVERIFY(child);
        QVERIFY(waitUntil(120, [&] {
            (void)child->poll();
            return trials()["running"] == 1;
        }));
        child->signal(SIGINT);
        QVERIFY(waitUntil(120, [&] {
            (void)child->poll();
            return text(child->errorOutput()).contains("Pausing");
        }));
        go();
        QVERIFY(child->wait(120));
        QCOMPARE(child->poll()->code, 130);
        QCOMPARE(trials(), (std::map<std::string, int>{{"completed", 1}}));
        // kill -9 in the middle of the second; started again it finishes, and no point is run twice.
        child = Process::start(spec);
        QVERIFY(waitUntil(120, [&] {
            (void)child->poll();
            return trials()["running"] == 1;
        }));
        child->signal(SIGKILL);
        QVERIFY(child->wait(120));
        child = Process::start(spec);
        QVERIFY(waitUntil(120, [&] {
            go();
            return child->poll().has_value();
        }));
        QVERIFY2(child->poll()->code == 0, child->errorOutput().c_str());
        QCOMPARE(trials(), (std::map<std::string, int>{{"completed", 3}}));
        const Json result = *parseJson(child->output(), "out");
        QCOMPARE(text(result["status"]), QString("completed"));
    }

    void whatCannotBeWrittenIsTold_data() {
        QTest::addColumn<QString>("into");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("err");
        QTest::newRow("a full disk") << " >/dev/full; echo $?" << 1 << "could not be written completely";
        QTest::newRow("a reader that leaves") << " | head -n 1 >/dev/null; echo ${PIPESTATUS[0]}" << 0 << "^$";
    }
    void whatCannotBeWrittenIsTold() {
        QFETCH(QString, into);
        QFETCH(int, code);
        QFETCH(QString, err);
        ProcessSpec spec;
        const QString command = QString::fromUtf8(SLIPWAY_BIN_DIR) + "/slipway fields --json" + into;
        spec.arguments = {"/bin/bash", "-c", command.toStdString()};
        spec.captureOutput = true;
        auto child = Process::start(spec);
        QVERIFY(child);
        QVERIFY(child->wait(120));
        QCOMPARE(text(child->output()).trimmed().toInt(), code);
        QVERIFY2(text(child->errorOutput()).contains(QRegularExpression(err)), child->errorOutput().c_str());
    }

    void withoutArgumentsItWantsAWindow() {
        const TempDir folder;
        std::filesystem::copy(std::string(SLIPWAY_BIN_DIR) + "/slipway", folder.path() / "slipway");
        ProcessSpec spec;
        spec.arguments = {(folder.path() / "slipway").string()};
        spec.captureOutput = true;
        auto child = Process::start(spec);
        QVERIFY(child);
        QVERIFY(child->wait(120));
        QCOMPARE(child->poll()->code, 1);
        QVERIFY2(text(child->errorOutput()).contains("slipway-gui"), child->errorOutput().c_str());
    }
};

SLIPWAY_TEST(TstCliFlow)
#include "tst_cli_flow.moc"
