// `slipway nodes` and `slipway launch --nodes` with a fake ssh; and no program is started but those that the design names.
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/launch/lost_attempts.h"
#include "core/process/proc_facts.h"
#include "core/spec/agent_files.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <QProcess>
#include <QRegularExpression>
#include <set>
#include <utility>

using namespace slipway;
using namespace slipway::test;

class TstNodesCommand : public QObject {
    Q_OBJECT

    static std::string trainer() { return std::string(SLIPWAY_BIN_DIR) + "/fake/slipway-trainer"; }

private slots:
    void addsListsAndRemoves() {
        const FakeNodes fake;
        CliBench bench;
        const auto added =
            bench.run({"nodes", "add", "anna@gpu1", "--port", "2222", "--slots", "8", "--no-check", "--json"});
        QVERIFY2(added.code == 0, added.err.c_str());
        QVERIFY((*parseJson(added.out, "out"))["name"] == Json("gpu1"));
        QCOMPARE(bench.run({"nodes", "add", "gpu1", "--no-check"}).code, 1);
        QCOMPARE(bench.run({"nodes", "add", "-oProxyCommand=touch x", "--no-check"}).code, 2);
        const auto list = parseJson(bench.run({"nodes", "list", "--json"}).out, "out");
        QCOMPARE(list->size(), std::size_t(1));
        QVERIFY((*list)[0]["host"] == Json("anna@gpu1"));
        QVERIFY((*list)[0]["num_slots"] == Json(8));
        QVERIFY(bench.run({"nodes", "list"}).out.find("anna@gpu1, port 2222") != std::string::npos);
        QCOMPARE(bench.run({"nodes", "remove", "gpu1"}).code, 0);
        const auto gone = bench.run({"nodes", "check", "gpu1"});
        QVERIFY(gone.code != 0);
        QVERIFY2(gone.err.find("Unknown node \"gpu1\"") != std::string::npos, gone.err.c_str());
    }

    void checksStepByStep() {
        const FakeNodes fake;
        CliBench bench;
        QVERIFY(bench.run({"nodes", "add", "a", "--trainer", trainer(), "--no-check"}).code == 0);
        const auto good = bench.run({"nodes", "check", "a"});
        QVERIFY2(good.out.find("clock") != std::string::npos, good.out.c_str());
        QVERIFY2(bench.run({"nodes", "list"}).out.find("ready at ") != std::string::npos, good.out.c_str());
        fake.set("a", "says", "ssh: connect to host a port 22: Connection refused\n");
        const auto bad = bench.run({"nodes", "check", "a", "--json"});
        QCOMPARE(bad.code, 1);
        const auto json = parseJson(bad.out, "out");
        QVERIFY(json);
        QVERIFY((*json)["passed"] == Json(false));
        QVERIFY((*json)["steps"][0]["code"] == Json("refused"));
        QVERIFY((*json)["steps"][1]["state"] == Json("not_reached"));
        const auto list = parseJson(bench.run({"nodes", "list", "--json"}).out, "out");
        QVERIFY((*list)[0]["last_check"]["steps"][0]["code"] == Json("refused"));
        QVERIFY((*list)[0]["last_check"]["time_unix_ms"].is_number());
        const std::string shown = bench.run({"nodes", "list"}).out;
        QVERIFY2(shown.find("not ready at ") != std::string::npos && shown.find("refuses") != std::string::npos,
                 shown.c_str());
        QCOMPARE(bench.run({"nodes", "remove", "a"}).code, 0);
        QVERIFY(bench.run({"nodes", "add", "a", "--no-check"}).code == 0);
        QVERIFY(bench.run({"nodes", "list"}).out.find("not checked yet") != std::string::npos);
    }

    // As a newcomer goes: the host key is refused, then accepted with the command that the sentence names, or by adding it again.
    void addsAgainWithTheHostKey() {
        const FakeNodes fake;
        CliBench bench;
        const std::string key = "SHA256:UZfSCg7FIRYUEHjGTSlA8Wbxu6aRDi6/jV8JMmsOY2U";
        fake.set("a", "asks",
                 "The authenticity of host 'a (10.0.0.1)' can't be established.\nED25519 key fingerprint is " + key +
                     ".\nAre you sure you want to continue connecting (yes/no/[fingerprint])? ");
        const auto first = bench.run({"nodes", "add", "a", "--trainer", trainer()});
        QCOMPARE(first.code, 1);
        QVERIFY2(first.out.find("`slipway nodes check a --accept-host-key " + key + "`") != std::string::npos,
                 first.out.c_str());
        const auto again = bench.run({"nodes", "add", "a", "--trainer", trainer(), "--accept-host-key", key});
        QVERIFY2(again.out.find("The clock ") != std::string::npos, (again.err + again.out).c_str());
        QCOMPARE(bench.run({"nodes", "add", "a", "--trainer", trainer(), "--slots", "2"}).code, 1);
    }

    void aTypingErrorLeavesNoNode() {
        const FakeNodes fake;
        CliBench bench;
        fake.set("gpu11", "says", "ssh: Could not resolve hostname gpu11: Name or service not known\n");
        const auto wrong = bench.run({"nodes", "add", "gpu11"});
        QCOMPARE(wrong.code, 1);
        QVERIFY2(wrong.err.find("Node gpu11 was not added") != std::string::npos, wrong.err.c_str());
        QVERIFY2(wrong.err.find("Added") == std::string::npos, wrong.err.c_str());
        QVERIFY(bench.run({"nodes", "list"}).out.find("There are no nodes") != std::string::npos);
        // A known node stays, and one whose name no server can look up now is added.
        QCOMPARE(bench.run({"nodes", "add", "gpu11", "--no-check"}).code, 0);
        QCOMPARE(bench.run({"nodes", "add", "gpu11"}).code, 1);
        fake.set("b", "says", "ssh: Could not resolve hostname b: Temporary failure in name resolution\n");
        QCOMPARE(bench.run({"nodes", "add", "b"}).code, 1);
        QCOMPARE(parseJson(bench.run({"nodes", "list", "--json"}).out, "out")->size(), std::size_t(2));
    }

    void checksAllNodes() {
        const FakeNodes fake;
        CliBench bench;
        QVERIFY(bench.run({"nodes", "check"}).out.find("no nodes") != std::string::npos);
        for (const char* name : {"a", "b"})
            QCOMPARE(bench.run({"nodes", "add", name, "--trainer", trainer(), "--no-check"}).code, 0);
        fake.set("b", "says", "ssh: connect to host b port 22: Connection refused\n");
        const auto both = bench.run({"nodes", "check", "--json"});
        QCOMPARE(both.code, 1);
        const auto json = parseJson(both.out, "out");
        QVERIFY2(json && json->size() == 2, both.err.c_str());
        QVERIFY((*json)[0]["node"] == Json("a") && (*json)[0]["steps"][0]["state"] == Json("ok"));
        QVERIFY((*json)[1]["steps"][0]["code"] == Json("refused"));
        QVERIFY(bench.run({"nodes", "check"}).out.find("b\nreach") != std::string::npos);
        QCOMPARE(bench.run({"nodes", "check", "--accept-host-key", "SHA256:abc"}).code, 2);
    }

    // Ranks of an attempt that was given up may still train there: nothing else starts beside them, and a check ends them.
    void namesTheRanksOfALostAttempt() {
        const FakeNodes fake;
        CliBench bench;
        QCOMPARE(bench.run({"nodes", "add", "a", "--trainer", trainer(), "--no-check"}).code, 0);
        bench.at.programs.trainer.clear();
        const std::string config =
            bench.file("long.json", dumpJson(toJson(tinyConfig("tiny [ms=20]", 1'000'000)), true));
        const auto launched = bench.run({"launch", config, "--nodes", "a", "--detach"});
        QVERIFY2(launched.code == 0, launched.err.c_str());
        const std::string run = launched.out.substr(0, launched.out.find('\n'));
        const RunDir there{fake.home("a") / ".local/share/slipway-node/runs" / run};
        const auto id = parseAgentId(readFile(there.agentFolder("a") / "id.json").value_or(""), "id.json");
        QVERIFY(id);
        const auto isTraining = [&] { return isAlive({id->pid, id->startTicks, id->bootId}); };
        const auto folder = bench.at.home.run(RunId(run));
        QVERIFY(folder && giveUpAttempt(bench.at.home, *folder, run, {1, "a", 1, 2, 0}));

        const auto refused = bench.run({"launch", config, "--nodes", "a", "--detach"});
        QVERIFY(refused.code != 0);
        QVERIFY2(refused.err.find("`slipway nodes check a` stops them") != std::string::npos, refused.err.c_str());
        const auto runs = parseJson(bench.run({"runs", "--json"}).out, "out");
        QCOMPARE(runs->size(), std::size_t(1));  // none was created
        const std::string listed = bench.run({"nodes", "list"}).out;
        QVERIFY2(listed.find("ranks of run " + run + " were on it") != std::string::npos, listed.c_str());
        fake.set("a", "says", "ssh: connect to host a port 22: Connection refused\n");
        const auto cut = parseJson(bench.run({"nodes", "check", "a", "--json"}).out, "out");
        QVERIFY(cut && (*cut)["lost_runs"] == Json::array({run}));
        QVERIFY(isTraining());

        fake.set("a", "says", "");
        const auto checked = bench.run({"nodes", "check", "a"});
        QVERIFY2(checked.err.find("The ranks of attempt 1 on a were stopped") != std::string::npos,
                 (checked.out + checked.err).c_str());
        QVERIFY(!isTraining());
        QVERIFY((*parseJson(bench.run({"nodes", "list", "--json"}).out, "out"))[0]["lost_runs"].empty());
        QVERIFY(lostAttempts(*folder).front().stoppedUnixMilliseconds > 0);
        const auto again = bench.run({"launch", config, "--nodes", "a", "--detach"});
        QVERIFY2(again.code == 0, again.err.c_str());
        QCOMPARE(bench.run({"stop", again.out.substr(0, again.out.find('\n')), "--kill"}).code, 0);
    }

    // A start by the id, as the window's Resume, has the nodes and the number of trials of the last start, also nodes without a trial.
    void continuesASweepWhereItRan() {
        const FakeNodes fake;
        CliBench bench;
        for (const char* name : {"a", "b", "c"})
            QCOMPARE(bench.run({"nodes", "add", name, "--trainer", trainer(), "--no-check"}).code, 0);
        bench.at.programs.trainer.clear();
        const Json sweep{{"schema", 1},
                         {"name", "two"},
                         {"base", toJson(tinyConfig("tiny", 5))},
                         {"points", Json::array({Json{{"name", "1 [exit@3=7]"}, {"train.seed", 1}},
                                                 Json{{"name", "2 [exit@3=7]"}, {"train.seed", 2}}})}};
        const std::string file = bench.file("sweep.json", dumpJson(sweep, true));
        const auto first = bench.run({"sweep", file, "--nodes", "a,b,c", "--jobs", "2", "--json"});
        const auto shown = parseJson(first.out, "out");
        QVERIFY2(shown && (*shown)["trials"].size() == 2, first.err.c_str());
        const std::string id = (*shown)["sweep_id"].get<std::string>();
        const auto again = bench.run({"sweep", id, "--retry", "failed", "--json"});
        QVERIFY2(again.err.find("--nodes a,b,c --jobs 2") != std::string::npos, again.err.c_str());
        const auto retried = parseJson(again.out, "out");
        QVERIFY2(retried && (*retried)["trials"][0]["status"] == Json("failed"), again.err.c_str());
        const std::string run = (*retried)["trials"][0]["run_id"].get<std::string>();
        const auto plan =
            parseLaunchPlan(readFile(bench.at.home.runs() / run / "launch.json").value_or(""), "launch.json");
        QVERIFY(plan && plan->attempt > 1 && plan->launcher == "ssh");
        // Others by argument.
        const auto onB = bench.run({"sweep", id, "--retry", "failed", "--nodes", "b", "--json"});
        QVERIFY2(onB.err.find("where it ran") == std::string::npos, onB.err.c_str());
        const auto onOther = bench.run({"sweep", id, "--retry", "failed", "--json"});
        QVERIFY2(onOther.err.find("--nodes b --jobs 1") != std::string::npos, onOther.err.c_str());
    }

    void launchesOnNodes() {
        const FakeNodes fake;
        CliBench bench;
        for (const char* name : {"a", "b"})
            QCOMPARE(bench.run({"nodes", "add", name, "--trainer", trainer(), "--no-check"}).code, 0);
        bench.at.programs.trainer.clear();
        const std::string config = bench.file("config.json", dumpJson(toJson(tinyConfig("tiny", 20, 2)), true));
        const auto unknown = bench.run({"launch", config, "--nodes", "a,c"});
        QVERIFY2(unknown.err.find("Unknown node \"c\"") != std::string::npos, unknown.err.c_str());
        const auto done = bench.run({"launch", config, "--nodes", "a,b", "--cluster", "H100", "--json"});
        QVERIFY2(done.code == 0, done.err.c_str());
        const auto json = parseJson(done.out, "out");
        QVERIFY((*json)["status"] == Json("completed"));
        const auto runs = bench.run({"runs", "--json"});
        QVERIFY2(runs.out.find("completed") != std::string::npos, runs.out.c_str());
        // What the nodes had is stored with the run.
        const std::string id = (*json)["run_id"].get<std::string>();
        const auto shown = parseJson(bench.run({"show", id, "--json"}).out, "out");
        QVERIFY2((*shown)["preflight"]["nodes"].size() == 2, dumpJson((*shown)["preflight"], true).c_str());
        QVERIFY((*shown)["preflight"]["nodes"][1]["node"] == Json("b"));
        QVERIFY((*shown)["preflight"]["nodes"][0]["memory_bytes"].get<double>() > 1e6);
        QVERIFY2(bench.run({"show", id}).out.find("Node b") != std::string::npos, "show");
    }

    void measuresNodesForPlans() {
        const FakeNodes fake;
        CliBench bench;
        for (const char* name : {"a", "b"})
            QCOMPARE(bench.run({"nodes", "add", name, "--trainer", trainer(), "--no-check"}).code, 0);
        const std::string config = bench.file("config.json", dumpJson(toJson(tinyConfig("tiny", 20, 2)), true));
        const auto before = bench.run({"plan", config, "--cluster", "nodes:a,b"});
        QVERIFY2(before.code != 0 && before.err.find("slipway nodes bench a,b") != std::string::npos,
                 before.err.c_str());
        const auto measured = bench.run({"nodes", "bench", "a,b", "--json"});
        QVERIFY2(measured.code == 0, measured.err.c_str());
        const Json json = *parseJson(measured.out, "out");
        QCOMPARE(json["nodes"].size(), std::size_t(2));
        // Every rank waits for the slowest: b reaches half of a.
        QCOMPARE(json["nodes"][0]["peak_fp32_flops"].get<double>(), 1e11);
        QCOMPARE(json["cluster"]["device"]["peak_fp32_flops"].get<double>(), 0.5e11);
        QCOMPARE(json["cluster"]["device"]["memory_bytes_per_second"].get<double>(), 4e9);
        QVERIFY(json["cluster"]["num_nodes"] == Json(2));
        QCOMPARE(json["cluster"]["inter_node"]["bytes_per_second"].get<double>(), 1e8);
        QCOMPARE(json["cluster"]["intra_node"]["bytes_per_second"].get<double>(), 1e9);
        QCOMPARE(json["cluster"]["comm_curves"].size(), std::size_t(2));
        QVERIFY(
            json["cluster"]["device"]["source"].get<std::string>().starts_with("measured on a, b, slipway-trainer "));
        // A plan adds the software stack of its forecast.
        const auto hardwareOf = [](Json cluster) {
            cluster.erase("stack");
            cluster.erase("calibration");
            return cluster;
        };
        // In whichever order they are named.
        for (const char* cluster : {"nodes:a,b", "nodes:b,a"}) {
            const auto plan = bench.run({"plan", config, "--cluster", cluster, "--json"});
            QVERIFY2(plan.err.find("slowest of a, b, measured here at") != std::string::npos, plan.err.c_str());
            QVERIFY(hardwareOf((*parseJson(plan.out, "out"))["cluster"]) == hardwareOf(json["cluster"]));
        }
        // By their names alone; and of one among them, for which the pair was measured.
        const auto named = bench.run({"plan", config, "--nodes", "b,a", "--json"});
        QVERIFY2(named.code == 0, named.err.c_str());
        QVERIFY(hardwareOf((*parseJson(named.out, "out"))["cluster"]) == hardwareOf(json["cluster"]));
        const auto one = bench.run({"plan", config, "--nodes", "b", "--json"});
        QVERIFY((*parseJson(one.out, "out"))["cluster"]["num_nodes"] == Json(1));
        const auto shown = bench.run({"plan", config, "--nodes", "a,b"});
        QVERIFY2(shown.out.find(", measured here") != std::string::npos, shown.out.c_str());
        QCOMPARE(bench.run({"plan", config, "--nodes", "a,b", "--cluster", "H100"}).code, 2);
        QVERIFY(bench.run({"plan", config, "--nodes", "c"}).err.find("Unknown node \"c\"") != std::string::npos);
        // plan.json of a run, and of the trials of a sweep, on these nodes has the measured cluster.
        const auto clusterOf = [&](const std::string& run) {
            return (*readJsonFile(bench.at.home.runs() / run / "plan.json"))["cluster"];
        };
        bench.at.programs.trainer.clear();
        const auto launched = bench.run({"launch", config, "--nodes", "a,b", "--json"});
        QVERIFY2(launched.code == 0, launched.err.c_str());
        QVERIFY(clusterOf((*parseJson(launched.out, "out"))["run_id"])["device"] == json["cluster"]["device"]);
        Json trials{{"schema", 1}, {"name", "two"}, {"base", toJson(tinyConfig("tiny", 5, 1))}};
        trials["points"] = {{{"name", "first"}, {"train.seed", 3}}};
        const auto swept = bench.run({"sweep", bench.file("sweep.json", dumpJson(trials, true)), "--nodes", "a,b"});
        QVERIFY2(swept.code == 0, swept.err.c_str());
        const auto runs = *parseJson(bench.run({"runs", "--json"}).out, "out");
        QVERIFY2(runs.size() == 2, dumpJson(runs, true).c_str());
        for (const auto& entry : std::filesystem::directory_iterator(bench.at.home.runs()))
            QVERIFY(clusterOf(entry.path().filename().string())["device"] == json["cluster"]["device"]);
        const auto again = bench.run({"nodes", "bench", "a"});
        QVERIFY2(again.out.find("--cluster nodes:a.") != std::string::npos, again.out.c_str());
        QVERIFY2(again.err.find("Measuring the CPU of a") != std::string::npos, again.err.c_str());
        QCOMPARE(bench.run({"nodes", "bench", "a,a"}).code, 2);
        (void)writeFileAtomically(fake.home("b") / "bench.fails", "x");
        const auto failed = bench.run({"nodes", "bench", "a,b"});
        QVERIFY2(failed.code != 0 && failed.err.find("on b: the fans stand still") != std::string::npos,
                 failed.err.c_str());
    }

    // An interrupt, and the loss of a link, end what measures on the nodes.
    void aMeasurementEndsWithTheCommand() {
        for (const bool isInterrupted : {true, false}) {
            const FakeNodes fake;
            CliBench bench;
            QCOMPARE(bench.run({"nodes", "add", "a", "--trainer", trainer(), "--no-check"}).code, 0);
            std::filesystem::create_directories(fake.home("a"));
            QVERIFY(writeFileAtomically(fake.home("a") / "bench.slow", "x"));
            const auto pid = [&] { return std::atoi(readFile(fake.home("a") / "bench.pid").value_or("0").c_str()); };
            bool isCut = false;
            bench.interrupts = [&] {
                if (pid() > 1 && !isInterrupted && !std::exchange(isCut, true)) fake.cut("a");
                return pid() > 1 && isInterrupted ? 1 : 0;
            };
            const auto ended = bench.run({"nodes", "bench", "a"});
            QVERIFY2(isInterrupted ? ended.code == 130 : ended.err.find("on a has ended") != std::string::npos,
                     ended.err.c_str());
            QVERIFY(pid() > 1);
            QVERIFY2(waitUntil(60, [&] { return !processStartTicks(pid()).has_value(); }),
                     "the trainer still measures");
            QVERIFY(!std::filesystem::exists(bench.at.home.path / "nodes" / "measured"));
        }
    }

    // From the command to the ranks: ssh, the one command of the bootstrap, the agent and the trainer, and no other program.
    void startsNoOtherProgram() {
        if (::access("/usr/bin/strace", X_OK) != 0) QSKIP("strace is not installed");
        const FakeNodes fake;
        CliBench bench;
        QCOMPARE(bench.run({"nodes", "add", "a", "--trainer", trainer(), "--no-check"}).code, 0);
        const std::string config =
            bench.file("config.json", dumpJson(toJson(tinyConfig("tiny $(touch owned) `id`", 5)), true));
        const auto log = bench.at.temp.path() / "strace.log";
        QProcess process;
        process.start(
            QStringLiteral("/usr/bin/strace"),
            {QStringLiteral("-f"), QStringLiteral("-qq"), QStringLiteral("-e"), QStringLiteral("trace=execve"),
             QStringLiteral("-o"), QString::fromStdString(log.string()), QStringLiteral(SLIPWAY_BIN_DIR "/slipway"),
             QStringLiteral("launch"), QString::fromStdString(config), QStringLiteral("--nodes"), QStringLiteral("a"),
             QStringLiteral("--cluster"), QStringLiteral("H100"), QStringLiteral("--home"),
             QString::fromStdString(bench.at.home.path.string())});
        QVERIFY(process.waitForFinished(240000));
        const QString err = QString::fromUtf8(process.readAllStandardError());
        if (err.contains(QStringLiteral("Operation not permitted")))
            QSKIP("this computer does not let processes be traced");
        QVERIFY2(process.exitCode() == 0, qPrintable(err));
        std::set<std::string> programs;
        const QRegularExpression call(QStringLiteral("execve\\(\"([^\"]*)\".*= 0"));
        const QString text = QString::fromStdString(*readFile(log));
        for (auto match = call.globalMatch(text); match.hasNext();)
            programs.insert(std::filesystem::path(match.next().captured(1).toStdString()).filename().string());
        // What the fake ssh and the bootstrap need of the system is listed; ssh itself is the fake.
        const std::set<std::string> expected = {"slipway", "slipway-agent", "slipway-trainer", "ssh", "sh", "mkdir",
                                                "head",    "chmod",         "sha256sum",       "cut", "mv", "rm",
                                                "cat",     "sleep"};
        for (const std::string& program : programs) QVERIFY2(expected.contains(program), program.c_str());
        for (const char* program : {"ssh", "slipway-agent", "slipway-trainer"})
            QVERIFY2(programs.contains(program), program);
        QVERIFY(!std::filesystem::exists("owned"));
    }
};

SLIPWAY_TEST(TstNodesCommand)
#include "tst_nodes_command.moc"
