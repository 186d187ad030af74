// Two real sshd on loopback ports as nodes with homes of their own, and the real ssh: a run over both while ssh, sshd and the agents'
// channels are killed at random moments; host keys that are unknown and that change.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/version.h"
#include "core/process/proc_facts.h"
#include "core/remote/node_check.h"
#include "core/run/measured_nodes.h"
#include "core/run/run_session.h"
#include "core/store/run_store.h"
#include "core/sweep/sweep_result.h"
#include "core/sweep/sweep_runner.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"
#include "tests/support/sshd.h"

#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

#include <QProcess>
#include <map>
#include <memory>
#include <random>

using namespace slipway;
using namespace slipway::test;

namespace {

namespace fs = std::filesystem;

std::string stateOf(const std::string& name, const std::string& fingerprint, const std::string& key) {
    SshOptions options;
    options.questions = SshQuestions::HostKey;
    options.agent = fs::path(SLIPWAY_BIN_DIR) / "slipway-agent";
    options.fingerprint = fingerprint;
    NodeCheck check(sshdNode(name), options, versionText());
    waitUntil(120, [&] {
        check.poll(monotonicSecondsNow(), unixMillisecondsNow());
        return check.done();
    });
    for (const NodeStep& step : check.steps())
        if (step.key == key) return wordOf(step.state) + (step.code.empty() ? "" : " " + step.code);
    return "";
}

}  // namespace

class TstSshdFlow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (const char* missing = Sshd::isMissing()) QSKIP(missing);
    }

    void acceptsHostKeysOnlyByAPerson() {
        const TempDir temp;
        Sshd sshd(temp.path());
        QCOMPARE(stateOf("a", "", "host_key"), std::string("failed host_key_unknown"));
        QVERIFY(readFile(temp.path() / "known_hosts").value_or("").empty());
        QProcess keygen;
        keygen.start(QStringLiteral("/usr/bin/ssh-keygen"),
                     {QStringLiteral("-lf"), QString::fromStdString((temp.path() / "host_key_a.pub").string())});
        QVERIFY(keygen.waitForFinished());
        const QString fingerprint = QString::fromUtf8(keygen.readAllStandardOutput()).split(QLatin1Char(' ')).value(1);
        QCOMPARE(stateOf("a", fingerprint.toStdString(), "agent"), std::string("ok"));
        QCOMPARE(stateOf("a", "", "agent"), std::string("ok"));
        sshd.stop("a");
        QCOMPARE(stateOf("a", "", "reach"), std::string("failed refused"));
        sshd.key("host_key_a");
        sshd.start("a");
        QVERIFY(waitUntil(60, [&] { return stateOf("a", fingerprint.toStdString(), "reach") == "ok"; }));
        QCOMPARE(stateOf("a", fingerprint.toStdString(), "host_key"), std::string("failed host_key_changed"));
        fs::remove(temp.path() / "authorized");
        sshd.write("known_hosts", sshd.knownHost("a"));
        QCOMPARE(stateOf("a", "", "login"), std::string("failed permission_denied"));
    }

    void losesNothingWhateverIsKilled() {
        const TempDir temp;
        Sshd sshd(temp.path());
        sshd.write("known_hosts", sshd.knownHost("a") + sshd.knownHost("b"));
        RunHome at;
        for (const char* name : {"a", "b"}) QVERIFY(writeNode(at.home, sshdNode(name), false));
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        QVERIFY(store);
        const unsigned seed = std::random_device{}();
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        RunRequest request;
        request.config = tinyConfig("tiny [ms=10]", 4000, 2);
        request.nodes = {{"a", 1}, {"b", 1}};
        auto session = RunSession::create(*store, at.home, request, unixMillisecondsNow(), at.programs);
        QVERIFY(session);
        QVERIFY(session->launch(unixMillisecondsNow()));
        std::vector<RunEvent> events;
        const auto pollFor = [&](double seconds, auto done) {
            return waitUntil(seconds, [&] {
                for (RunEvent& event : session->poll(unixMillisecondsNow())) events.push_back(std::move(event));
                return done();
            });
        };
        QVERIFY(pollFor(120, [&] { return session->lastStep() > 2; }));
        int kills = 0;
        while (!session->done() && session->lastStep() < 3800) {
            pollFor(0.2 + 0.001 * static_cast<double>(random() % 1500), [&] { return session->done(); });
            const std::string name = random() % 2 == 0 ? "a" : "b";
            const auto choice = random() % 3;
            if (choice == 0) {
                for (const pid_t pid : Sshd::processes({"/usr/bin/ssh", temp.path().string()}))
                    ::kill(pid, SIGKILL), ++kills;
            } else if (choice == 1) {
                for (const pid_t pid : Sshd::processes({"slipway-agent", "--serve", sshd.home(name).string()}))
                    ::kill(pid, SIGKILL), ++kills;
            } else {
                sshd.stop(name);
                ++kills;
                pollFor(0.5, [&] { return session->done(); });
                sshd.start(name);
            }
        }
        QVERIFY(pollFor(300, [&] { return session->done(); }));
        qInfo("%d kills", kills);
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        for (const RunEvent& event : events)
            QVERIFY(event.kind != RunEvent::Kind::Status || event.status != RunStatus::Failed);
        const auto there =
            readFile(sshd.home("a") / ".local/share/slipway-node/runs" / session->id().value / "metrics.jsonl");
        QVERIFY(there);
        QVERIFY(readFile(session->folder().metrics()).value_or("") == *there);
        QCOMPARE(session->lastStep(), std::int64_t(4000));
        session = fail("gone", std::string("gone"));
        QVERIFY2(waitUntil(10,
                           [&] {
                               return Sshd::processes({temp.path().string(), "slipway-agent"}).empty();
                           }),
                 "an agent was left behind");
    }

    // With the real trainer: its ranks meet through the two sshd.
    void measuresBothHosts() {
        const fs::path trainer = fs::path(SLIPWAY_BIN_DIR) / "slipway-trainer";
        if (!fs::exists(trainer)) QSKIP("slipway-trainer is not built");
        const TempDir temp;
        Sshd sshd(temp.path());
        sshd.write("known_hosts", sshd.knownHost("a") + sshd.knownHost("b"));
        std::vector<NodeRecord> nodes = {sshdNode("a"), sshdNode("b")};
        for (NodeRecord& node : nodes) node.trainer = trainer.string();
        SshOptions options;
        options.agent = fs::path(SLIPWAY_BIN_DIR) / "slipway-agent";
        NodesBench bench(nodes, options);
        QVERIFY(waitUntil(600, [&] {
            bench.poll(monotonicSecondsNow());
            return bench.done();
        }));
        QVERIFY2(!bench.error(), bench.error() ? bench.error()->message.c_str() : "");
        const auto measured = clusterOfBench(bench.nodes(), bench.between(), unixMillisecondsNow());
        QVERIFY2(measured, measured ? "" : measured.error().message.c_str());
        QVERIFY(*measured->cluster.device.peakFp32Flops > 1e6);
        QVERIFY(measured->cluster.device.memoryBytesPerSecond > 1e8);
        QVERIFY(measured->cluster.interNode.bytesPerSecond > 1e5);
        int between = 0;
        for (const CommCurve& curve : measured->cluster.commCurves) between += curve.inOneNode() ? 0 : 1;
        QVERIFY(between >= 3);
        QCOMPARE(bench.nodes()[1].facts.trainerVersion, versionText());
    }

    // Two computers that share neither a network with the launcher's nor a folder: the ranks of the real trainer meet where both reach each
    // other, and what each node needs and writes goes through its link.
    void runsBetweenTwoNetworks() {
        const fs::path trainer = fs::path(SLIPWAY_BIN_DIR) / "slipway-trainer";
        if (!fs::exists(trainer)) QSKIP("slipway-trainer is not built");
        if (::geteuid() != 0 || ::access("/usr/sbin/ip", X_OK) != 0) QSKIP("needs root and ip, to make networks");
        const Networks networks;
        if (!networks.isMade) QSKIP("this kernel lets nobody make networks");
        const TempDir temp;
        RunHome at;
        Sshd sshd(temp.path(), networks, at.temp.path());
        sshd.write("known_hosts", sshd.knownHost("a") + sshd.knownHost("b"));
        for (const char* name : {"a", "b"}) {
            NodeRecord node = sshdNode(name);
            node.trainer = trainer.string();
            QVERIFY(writeNode(at.home, node, false));
        }
        at.programs.trainer.clear();
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        QVERIFY(store);
        RunRequest request;
        request.config = tinyConfig("networks", 10, 4);
        request.config.checkpoint.everySteps = 5;
        request.nodes = {{"a", 2}, {"b", 2}};
        auto session = RunSession::create(*store, at.home, request, unixMillisecondsNow(), at.programs);
        QVERIFY(session);
        QVERIFY(session->launch(unixMillisecondsNow()));
        std::string environment;
        QVERIFY(waitUntil(300, [&] {
            (void)session->poll(unixMillisecondsNow());
            if (environment.empty() && !session->heartbeats().empty())
                for (const RankState& rank : session->heartbeats().back().ranks)
                    environment = readFile("/proc/" + std::to_string(rank.pid) + "/environ").value_or("");
            return session->done();
        }));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        const auto has = [&](const std::string& entry) {
            return environment.find(entry + std::string(1, '\0')) != std::string::npos;
        };
        QVERIFY2(has("MASTER_ADDR=" + networks.between("a")), environment.c_str());
        QVERIFY(has("NCCL_SOCKET_IFNAME==" + networks.interface("b")));
        QCOMPARE(session->lastStep(), std::int64_t(10));
        for (int rank = 0; rank < 4; ++rank) QVERIFY(fs::exists(session->folder().rankLog(rank)));
    }

    // The table of a sweep over two hosts is that of a sweep here, though links are killed and one host is away at first.
    void sweepsOverBothHosts() {
        const TempDir temp;
        Sshd sshd(temp.path());
        sshd.write("known_hosts", sshd.knownHost("a") + sshd.knownHost("b"));
        sshd.stop("b");
        RunHome at;
        for (const char* name : {"a", "b"}) QVERIFY(writeNode(at.home, sshdNode(name), false));
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        QVERIFY(store);
        const unsigned seed = std::random_device{}();
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        Json file{{"schema", 1}, {"name", "hosts"}, {"base", toJson(tinyConfig("tiny [ms=10]", 200))}};
        for (int trial = 0; trial < 8; ++trial)
            file["points"].push_back({{"name", std::to_string(trial)}, {"train.seed", trial + 1}});
        Issues issues;
        const SweepFile sweep = sweepFileFromJson(file, issues);
        QVERIFY(issues.empty());
        const auto tableOn = [&](const std::vector<std::string>& nodes) {
            std::map<std::string, std::pair<std::string, double>> table;
            auto runner = SweepRunner::open(*store, at.home, at.programs, sweep, ClusterSpec{},
                                            {nodes.empty() ? 2 : 1, !nodes.empty(), "test", {}, {}, nodes},
                                            unixMillisecondsNow());
            if (!runner) return table;
            double nextCut = monotonicSecondsNow() + 6;
            bool isBack = nodes.empty();
            waitUntil(300, [&] {
                (void)runner->tick(unixMillisecondsNow());
                if (!nodes.empty() && monotonicSecondsNow() > nextCut) {
                    nextCut = monotonicSecondsNow() + 0.5 + 0.001 * static_cast<double>(random() % 1500);
                    if (!std::exchange(isBack, true)) sshd.start("b");
                    for (const pid_t pid : Sshd::processes({"/usr/bin/ssh", temp.path().string()}))
                        ::kill(pid, SIGKILL);
                }
                return runner->done();
            });
            const auto result = loadSweepResult(*store, runner->id());
            for (const TrialResult& trial : result ? result->trials : std::vector<TrialResult>())
                table[trial.name] = {wordOf(trial.status), trial.measured.finalLoss.value_or(-1)};
            return table;
        };
        const auto here = tableOn({}), there = tableOn({"a", "b"});
        QCOMPARE(there.size(), std::size_t(8));
        QVERIFY(here == there);
        for (const auto& [name, row] : there) QCOMPARE(row.first, std::string("completed"));
        QCOMPARE(store->count({})->total, std::int64_t(16));
        QVERIFY(fs::exists(sshd.home("b") / ".local/share/slipway-node/runs"));
    }
};

SLIPWAY_TEST_FULL(TstSshdFlow)
#include "tst_sshd_flow.moc"
