// `slipway launch -- PROGRAM`: any program as a run, with its exit code, its log's figures, stop and resume.
#include "core/base/json.h"
#include "core/run/missing_figures.h"
#include "core/run/program_file.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>

using namespace slipway;
using namespace slipway::test;

namespace {

using Words = std::vector<std::string>;

Words behindDashes(Words before, const Words& program) {
    before.emplace_back("--");
    before.insert(before.end(), program.begin(), program.end());
    return before;
}

/// Runs a shell script as a run; its name is "script".
CliBench::Outcome launched(CliBench& bench, const std::string& script, Words options = {}) {
    Words words = {"launch", "--json"};
    words.insert(words.end(), options.begin(), options.end());
    return bench.run(behindDashes(words, {"sh", bench.file("script.sh", script), "a b", "--json"}));
}

Json shown(CliBench& bench, const std::string& name) {
    return *parseJson(bench.run({"show", name, "--json"}).out, "show");
}

std::vector<double> losses(CliBench& bench, const std::string& name) {
    auto store = RunStore::open(bench.at.home, OpenMode::ReadOnly);
    const auto run = store->findRun(name);
    return run ? store->series(run->id, "loss")->values : std::vector<double>();
}

std::string fileOf(CliBench& bench, const std::string& name, const char* file) {
    auto store = RunStore::open(bench.at.home, OpenMode::ReadOnly);
    return readFile(store->findRun(name)->folder / file).value_or("");
}

}  // namespace

class TstProgramFlow : public QObject {
    Q_OBJECT

private slots:
    void aProgramIsARun() {
        CliBench bench;
        ::setenv("MY_API_KEY", "hush-hush", 1);
        ::setenv("NCCL_DEBUG", "WARN", 1);
        const auto done = launched(bench,
                                   "echo \"args: $1 $2\"\n"
                                   "for i in 1 2 3; do echo \"step $i: loss=$i.5, grad_norm=0.1\"; done\n"
                                   "test -d \"$SLIPWAY_RUN\" && echo in \"$PWD\"\n");
        ::unsetenv("MY_API_KEY");
        QVERIFY2(done.code == 0, (done.out + done.err).c_str());
        const Json run = shown(bench, "script");
        QCOMPARE(QString::fromStdString(run["status"]), QString("completed"));
        QCOMPARE(losses(bench, "script"), (std::vector<double>{1.5, 2.5, 3.5}));
        const std::string log = bench.run({"logs", "script"}).out;
        QVERIFY2(log.starts_with("args: a b --json\n"), log.c_str());
        QVERIFY(log.find("in " + std::filesystem::current_path().string() + "\n") != std::string::npos);
        // Nothing of its config is known, so nothing is shown as known.
        const Json config = *parseJson(fileOf(bench, "script", "config.json"), "config");
        QCOMPARE(config["partial"].get<bool>(), true);
        QVERIFY(!config.contains("model") && !config.contains("parallel") && !config.contains("train"));
        QVERIFY(run["num_steps"].is_null() || run["num_steps"] == 0);
        const std::string kept = fileOf(bench, "script", "environment.json") + fileOf(bench, "script", "program.json") +
                                 fileOf(bench, "script", "launch.json");
        QVERIFY(kept.find("hush-hush") == std::string::npos && kept.find("MY_API_KEY") == std::string::npos);
        QVERIFY(kept.find("NCCL_DEBUG") != std::string::npos);
    }

    // A program whose output has no figures: the command and the run's events give the remedy, unless nothing was to be read.
    void missingFiguresAreReported() {
        CliBench bench;
        const auto numEvents = [&](const std::string& name) {
            auto store = RunStore::open(bench.at.home, OpenMode::ReadOnly);
            const auto events = *store->events(store->findRun(name)->id);
            return std::count_if(events.begin(), events.end(),
                                 [](const EventRecord& event) { return event.name == kMissingFiguresEvent; });
        };
        const auto done = launched(bench, "echo 'epoch one went well'\n", {"--name", "silent"});
        QVERIFY2(done.code == 0, done.err.c_str());
        QVERIFY2(done.err.find("give slipway launch a --pattern") != std::string::npos, done.err.c_str());
        QCOMPARE(numEvents("silent"), 1);
        QCOMPARE(QString::fromStdString(shown(bench, "silent")["status"]), QString("completed"));
        for (const Words& options :
             {Words{"--name", "off", "--log-format", "none"}, Words{"--name", "found"}, Words{"--name", "failed"}}) {
            const std::string script = options[1] == "found"    ? "echo 'step 1: loss=2'\n"
                                       : options[1] == "failed" ? "exit 3\n"
                                                                : "echo x\n";
            const auto other = launched(bench, script, options);
            QVERIFY2(other.err.find("--pattern") == std::string::npos, other.err.c_str());
            QCOMPARE(numEvents(options[1]), 0);
        }
    }

    void itsExitCodeIsPassedOn_data() {
        QTest::addColumn<int>("code");
        for (const int code : {1, 3, 10, 11, 12, 13, 14, 77}) QTest::newRow(std::to_string(code).c_str()) << code;
    }
    void itsExitCodeIsPassedOn() {
        QFETCH(int, code);
        CliBench bench;
        const auto done = launched(bench, "echo 'ValueError: no such column'\nexit " + std::to_string(code) + "\n");
        QCOMPARE(done.code, code);
        const Json run = shown(bench, "script");
        QCOMPARE(QString::fromStdString(run["status"]), QString("failed"));
        // 11 is out of memory for slipway-trainer only.
        const QString reason = QString::fromStdString(run["reason"]);
        QVERIFY2(reason.contains("exit code " + QString::number(code)), qPrintable(reason));
    }

    void resumesWithTheSameArguments() {
        CliBench bench;
        const std::string mark = (bench.at.temp.path() / "mark").string();
        const std::string script = "if test -e " + mark +
                                   "; then echo 'step 2: loss=7'; echo 'step 3: loss=8'; exit 0; fi\n"
                                   "touch " +
                                   mark +
                                   "\nfor i in 1 2; do echo \"step $i: loss=$i\"; done\necho \"$1 $2\"; exit 5\n";
        QCOMPARE(launched(bench, script).code, 5);
        const auto again = bench.run({"resume", "script"});
        QVERIFY2(again.code == 0, again.err.c_str());
        QCOMPARE(losses(bench, "script"), (std::vector<double>{1, 7, 8}));  // step 2 of the first attempt is superseded
        QCOMPARE(shown(bench, "script")["attempts"].get<int>(), 2);
        QCOMPARE(bench.run({"resume", "script"}).code, 1);  // completed
    }

    void stopsAProgramThatDoesNotListen() {
        CliBench bench;
        const auto begun = launched(bench, "echo 'step 1: loss=1'\nwhile :; do sleep 0.05; done\n", {"--detach"});
        QVERIFY2(begun.code == 0, begun.err.c_str());
        const auto stopped = bench.run({"stop", "script"});
        QVERIFY2(stopped.code == 0, stopped.err.c_str());
        const Json run = shown(bench, "script");
        QCOMPARE(QString::fromStdString(run["status"]), QString("cancelled"));
        QCOMPARE(QString::fromStdString(run["reason"]), QString("Stopped on request after step 1."));
    }

    void readsWhatWasWrittenWhileNobodyLooked() {
        CliBench bench;
        const auto begun =
            launched(bench, "for i in 1 2 3 4; do echo \"it $i L=0.$i\"; sleep 0.05; done; printf 'it 5 L=0.5'\n",
                     {"--detach", "--pattern", R"(it (?<step>\d+) L=(?<loss>\S+))"});
        QVERIFY2(begun.code == 0, begun.err.c_str());
        QVERIFY(waitUntil(20, [&] { return shown(bench, "script")["status"] == "completed"; }));
        QCOMPARE(losses(bench, "script"), (std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5}));  // none twice
    }

    void refusesWhatItCannotDo() {
        CliBench bench;
        const auto refused = [&](Words words, const char* why) {
            const auto got = bench.run(std::move(words));
            QVERIFY2(got.code != 0 && got.err.find(why) != std::string::npos, got.err.c_str());
        };
        refused({"launch"}, "Name a config, or a program behind --");
        refused({"launch", "--"}, "Name the program to run after --");
        refused({"launch", "--nodes", "a", "--", "true"}, "--nodes needs a config");
        refused({"launch", "c.json", "--", "true"}, "not both");
        refused({"launch", "--", "no-such-program-7"}, "no-such-program-7 is not in PATH");
        refused({"launch", "--log-format", "pigeon", "--", "true"}, "Unknown log format \"pigeon\"");
        refused({"launch", "--pattern", "loss (\\S+)", "--", "true"}, "no named group");
        refused({"launch", "--pattern", "(?<loss>[", "--", "true"}, "not a valid regular expression");
        refused({"launch", "c.json", "--pattern", "x"}, "--pattern needs a program");
        QVERIFY(!std::filesystem::exists(bench.at.home.runs()) || std::filesystem::is_empty(bench.at.home.runs()));
    }
};

SLIPWAY_TEST(TstProgramFlow)
#include "tst_program_flow.moc"
