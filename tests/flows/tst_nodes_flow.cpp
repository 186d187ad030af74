// Runs on nodes behind a fake ssh, through real agents and the fake trainer: the same points as here, whatever happens to the link.
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/remote/node_record.h"
#include "core/run/restart.h"
#include "core/run/run_session.h"
#include "core/store/run_store.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>

using namespace slipway;
using namespace slipway::test;

namespace {

std::int64_t now() {
    return unixMillisecondsNow();
}

struct Cluster {
    FakeNodes nodes;
    RunHome at;
    Result<RunStore> store = RunStore::open(at.home, OpenMode::ReadWrite);

    explicit Cluster(const std::vector<std::string>& names = {"a", "b"}) {
        for (const std::string& name : names) {
            NodeRecord node;
            node.name = node.host = name;
            node.trainer = at.programs.trainer.string();
            (void)writeNode(at.home, node, false);
        }
        at.programs.trainer.clear();  // none is needed here
    }

    [[nodiscard]] std::filesystem::path folderOn(const std::string& node, const RunId& id) const {
        return nodes.home(node) / ".local/share/slipway-node/runs" / id.value;
    }

    Result<RunSession> launch(const std::string& script, std::int64_t steps, const std::vector<LaunchNode>& on) {
        RunRequest request;
        request.config = tinyConfig("tiny [" + script + "]", steps, static_cast<std::int64_t>(on.size()));
        request.config.train.globalBatchSize = std::max<std::int64_t>(4, request.config.parallel.dp);
        request.nodes = on;
        auto session = RunSession::create(*store, at.home, request, now(), at.programs);
        if (!session) return session;
        if (const auto begun = session->launch(now()); !begun) return fail(begun.error());
        return session;
    }

    /// What is copied is what the node wrote, byte for byte.
    void compare(const std::string& node, const RunSession& session, const std::string& file) const {
        const auto here = readFile(session.folder().path / file), there = readFile(folderOn(node, session.id()) / file);
        QVERIFY2(here && there, file.c_str());
        QVERIFY2(*here == *there, file.c_str());
        QVERIFY2(!here->empty(), file.c_str());
    }
};

std::vector<std::int64_t> stepsOf(const std::string& stream) {
    std::vector<std::int64_t> steps;
    std::istringstream lines(stream);
    for (std::string line; std::getline(lines, line);)
        if (const auto at = line.find("\"step\":");
            at != std::string::npos && line.find("\"loss\"") != std::string::npos)
            steps.push_back(std::stoll(line.substr(at + 7)));
    return steps;
}

bool hasProblem(const std::vector<RunEvent>& events, const std::string& code) {
    return std::any_of(events.begin(), events.end(), [&](const RunEvent& event) {
        return event.kind == RunEvent::Kind::Problem && event.name == code;
    });
}

}  // namespace

class TstNodesFlow : public QObject {
    Q_OBJECT

private slots:
    void bringsARunToItsNodes_data() {
        QTest::addColumn<int>("number");
        QTest::newRow("one node") << 1;
        QTest::newRow("two nodes") << 2;
    }
    void bringsARunToItsNodes() {
        QFETCH(int, number);
        Cluster at;
        std::vector<LaunchNode> on = {{"a", 1}};
        if (number == 2) on.push_back({"b", 1});
        auto session = at.launch("ms=2", 20, on);
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        QVERIFY(RunHome::finish(*session, 120));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QCOMPARE(session->lastStep(), std::int64_t(20));
        at.compare("a", *session, "metrics.jsonl");
        at.compare("a", *session, "logs/rank_00000.log");
        if (number == 2) at.compare("b", *session, "logs/rank_00001.log");
        QCOMPARE(at.store->run(session->id())->status, RunStatus::Completed);

        // The data is there under the name of its content, and the config there names it.
        const auto tokens = readFile(at.at.home.corpora() / "tiny.tok");
        const auto home = at.nodes.home("a") / ".local/share/slipway-node";
        QVERIFY(readFile(home / "corpora" / (sha256Of(*tokens) + ".tok")).value_or("") == *tokens);
        QVERIFY(readFile(at.folderOn("a", session->id()) / "config.json")->find(sha256Of(*tokens)) !=
                std::string::npos);
        QVERIFY(readFile(session->folder().config())->find("tiny.tok") != std::string::npos);
    }

    // More nodes than a queue of connections holds that nobody takes.
    void startsOnManyNodes() {
        constexpr int kNodes = 32;
        std::vector<std::string> names;
        std::vector<LaunchNode> on;
        for (int i = 0; i < kNodes; ++i) {
            names.push_back("n" + std::to_string(i));
            on.push_back({names.back(), 1});
        }
        Cluster at(names);
        const double begun = monotonicSecondsNow();
        auto session = at.launch("ms=20", 100000, on);
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        const auto started = [&](const std::string& name) {
            return std::filesystem::exists(at.folderOn(name, session->id()) / "agent" / name / "id.json");
        };
        QVERIFY(waitUntil(240, [&] {
            (void)session->poll(now());
            return session->done() || std::ranges::all_of(names, started);
        }));
        QVERIFY2(!session->done(), session->reason().c_str());
        qInfo("%d agents started after %.1f s", kNodes, monotonicSecondsNow() - begun);
        QVERIFY(session->kill(now()));
        QVERIFY(RunHome::finish(*session, 120));
        QCOMPARE(session->status(), RunStatus::Cancelled);
    }

    // Nothing but the environment of the ranks has the secret of the store.
    void keepsTheSecretOutOfFiles() {
        Cluster at;
        auto session = at.launch("ms=20", 1000, {{"a", 1}, {"b", 1}});
        QVERIFY(session);
        std::string environment;
        QVERIFY(waitUntil(60, [&] {
            (void)session->poll(now());
            for (const AgentHeartbeat& beat : session->heartbeats())
                for (const RankState& rank : beat.ranks)
                    environment = readFile("/proc/" + std::to_string(rank.pid) + "/environ").value_or("");
            return !environment.empty();
        }));
        const std::size_t begin = environment.find("SLIPWAY_STORE_SECRET=");
        QVERIFY(begin != std::string::npos);
        const std::string secret = environment.substr(begin + 21, environment.find('\0', begin) - begin - 21);
        QCOMPARE(secret.size(), std::size_t(32));
        for (const auto& root : {at.nodes.temp.path(), at.at.temp.path()})
            for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
                if (entry.is_regular_file() && !entry.is_symlink())
                    QVERIFY2(readFile(entry.path()).value_or("").find(secret) == std::string::npos,
                             entry.path().c_str());
        QVERIFY(session->kill(now()));
        QVERIFY(RunHome::finish(*session, 60));
    }

    // 20 cuts at random moments: no line lost, none doubled, and never "failed".
    void survivesCutsOfTheLink() {
        Cluster at;
        const unsigned seed = std::random_device{}();
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        constexpr int kCuts = 20;
        auto session = at.launch("ms=5", 1500, {{"a", 1}, {"b", 1}});
        QVERIFY(session);
        std::vector<RunEvent> events;
        const auto pollFor = [&](double seconds) {
            waitUntil(seconds, [&] {
                for (RunEvent& event : session->poll(now())) events.push_back(std::move(event));
                return session->done();
            });
        };
        for (int i = 0; i < kCuts && !session->done(); ++i) {
            pollFor(0.05 + 0.0005 * static_cast<double>(random() % 1000));
            at.nodes.cut(random() % 2 == 0 ? "a" : "b");
        }
        QVERIFY(RunHome::finish(*session, 180, &events));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        for (const RunEvent& event : events)
            QVERIFY(event.kind != RunEvent::Kind::Status || event.status != RunStatus::Failed);
        at.compare("a", *session, "metrics.jsonl");
        const auto steps = stepsOf(*readFile(session->folder().metrics()));
        QCOMPARE(steps.size(), std::size_t(1500));
        for (std::size_t i = 0; i < steps.size(); ++i) QCOMPARE(steps[i], static_cast<std::int64_t>(i + 1));
    }

    void tellsSinceWhenItCannotReachANode() {
        Cluster at;
        auto session = at.launch("ms=20", 100000, {{"a", 1}});
        QVERIFY(session);
        std::vector<RunEvent> events;
        const auto until = [&](auto test) {
            return waitUntil(60, [&] {
                for (RunEvent& event : session->poll(now())) events.push_back(std::move(event));
                return test();
            });
        };
        QVERIFY(until([&] { return session->lastStep() > 3; }));
        at.nodes.set("a", "says", "ssh: connect to host a port 22: No route to host\n");
        at.nodes.cut("a");
        QVERIFY(until([&] { return session->reason().find("no route") != std::string::npos; }));
        QVERIFY2(session->reason().starts_with("Cannot reach a since "), session->reason().c_str());
        QCOMPARE(session->status(), RunStatus::Running);
        QVERIFY(hasProblem(events, "cannot_reach"));
        QVERIFY(!hasProblem(events, "agent_silent"));

        // A wish to stop is kept and brought when the node is in reach again.
        QVERIFY(session->stop(now()));
        for (int i = 0; i < 20; ++i) (void)session->poll(now());
        QVERIFY(!std::filesystem::exists(at.folderOn("a", session->id()) / "control" / "stop"));
        at.nodes.set("a", "says", "");
        QVERIFY(until([&] { return session->done(); }));
        QCOMPARE(session->status(), RunStatus::Cancelled);
    }

    // Servers close connections while many log in, or while they restart.
    void triesAStartAgainWhoseLinkIsClosed() {
        Cluster at;
        at.nodes.set("b", "says", "kex_exchange_identification: read: Connection reset by peer\n");
        auto session = at.launch("ms=2", 20, {{"a", 1}, {"b", 1}});
        QVERIFY(session);
        QVERIFY(waitUntil(30, [&] {
            (void)session->poll(now());
            return !session->reason().empty();
        }));
        QVERIFY2(session->reason().starts_with("Cannot reach b since "), session->reason().c_str());
        QVERIFY2(session->reason().find("the start is tried again") != std::string::npos, session->reason().c_str());
        QCOMPARE(session->status(), RunStatus::Queued);
        // So does whoever only reads the index.
        QVERIFY(waitUntil(30, [&] {
            (void)session->poll(now());
            return at.store->run(session->id())->reason.find("the start is tried again") != std::string::npos;
        }));
        at.nodes.set("b", "says", "");
        QVERIFY(RunHome::finish(*session, 120));
        QCOMPARE(at.store->run(session->id())->reason, std::string());
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
    }

    void stopsAStartThatWaitsForANode() {
        Cluster at;
        at.nodes.set("b", "says", "kex_exchange_identification: read: Connection reset by peer\n");
        auto session = at.launch("ms=2", 20, {{"a", 1}, {"b", 1}});
        QVERIFY(session);
        QVERIFY(waitUntil(30, [&] {
            (void)session->poll(now());
            return !session->reason().empty();
        }));
        QVERIFY(session->stop(now()));
        QVERIFY(RunHome::finish(*session, 10));
        QCOMPARE(session->status(), RunStatus::Cancelled);
        QVERIFY(!std::filesystem::exists(at.folderOn("a", session->id()) / "agent"));
    }

    void failsWithTheReasonOfTheNode_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("reason");
        QTest::newRow("refused") << "says"
                                 << "refuses the connection";
        QTest::newRow("no trainer") << "trainer"
                                    << "slipway nodes setup";
        QTest::newRow("no home") << "home"
                                 << "folder";
    }
    void failsWithTheReasonOfTheNode() {
        QFETCH(QString, what);
        QFETCH(QString, reason);
        Cluster at;
        NodeRecord node = *findNode(at.at.home, "b");
        if (what == "says") at.nodes.set("b", "says", "ssh: connect to host b port 22: Connection refused\n");
        if (what == "trainer") node.trainer = "/nowhere/slipway-trainer";
        if (what == "home") node.home = "/proc/nowhere";
        QVERIFY(writeNode(at.at.home, node, true));
        auto session = at.launch("ms=2", 20, {{"a", 1}, {"b", 1}});
        QVERIFY(session);
        std::string told;
        QVERIFY(waitUntil(60, [&] {
            for (const RunEvent& event : session->poll(now())) told += event.text + "\n";
            return session->done();
        }));
        QVERIFY2(told.find("the run there continues") == std::string::npos, told.c_str());  // nothing has started
        QCOMPARE(session->status(), RunStatus::Failed);
        QVERIFY2(session->reason().find(reason.toStdString()) != std::string::npos, session->reason().c_str());
        QVERIFY(!std::filesystem::exists(at.folderOn("a", session->id()) / "agent"));
    }

    // Whoever launched it is gone; another program finds the run, its points and its end.
    void isFollowedByAnotherProgram() {
        Cluster at;
        auto first = at.launch("ms=10", 300, {{"a", 1}});
        QVERIFY(first);
        QVERIFY(waitUntil(60, [&] {
            (void)first->poll(now());
            return first->lastStep() > 3;
        }));
        const RunId id = first->id();
        first = fail("gone", std::string("gone"));
        auto second = RunSession::attach(*at.store, at.at.home, id, now(), at.at.programs);
        QVERIFY(second);
        QVERIFY(second->isRemote());
        QVERIFY(RunHome::finish(*second, 120));
        QCOMPARE(second->status(), RunStatus::Completed);
        QCOMPARE(second->lastStep(), std::int64_t(300));
        at.compare("a", *second, "metrics.jsonl");
    }

    // The folder names its nodes from its first moment on: whoever starts the run later does it there, never here.
    void aKilledLaunchKeepsItsNodes_data() {
        QTest::addColumn<bool>("isQueued");
        QTest::newRow("after its creation") << false;
        QTest::newRow("before its launch.json") << true;
    }
    void aKilledLaunchKeepsItsNodes() {
        QFETCH(bool, isQueued);
        Cluster at;
        const RunId id("20261128-killed");
        const pid_t launcher = ::fork();
        if (launcher == 0) {
            auto store = RunStore::open(at.at.home, OpenMode::ReadWrite);
            RunRequest request;
            request.config = tinyConfig("tiny [ms=2]", 20, 2);
            request.nodes = {{"b", 1}, {"a", 1}};
            request.id = id;
            request.restart = isQueued ? "off" : "auto";
            RunChange queued;
            queued.status = RunStatus::Queued;
            queued.attempts = 1;
            queued.startedUnixMilliseconds = now();
            const bool isMade = store &&
                                RunSession::create(*store, at.at.home, request, now(), at.at.programs).has_value() &&
                                (!isQueued || store->updateRun(id, queued));
            ::kill(::getpid(), isMade ? SIGKILL : SIGABRT);
        }
        int status = 0;
        QCOMPARE(::waitpid(launcher, &status, 0), launcher);
        QCOMPARE(WTERMSIG(status), SIGKILL);
        auto session = RunSession::attach(*at.store, at.at.home, id, now(), at.at.programs);
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        QCOMPARE(session->nodes(), (std::vector<std::string>{"b", "a"}));
        QCOMPARE(restartOrder(session->folder()).isAutomatic(), !isQueued);
        if (isQueued) {
            for (int i = 0; i < 10 && !session->done(); ++i) (void)session->poll(now() + 60000);
            QCOMPARE(session->status(), RunStatus::Lost);
        }
        const auto started = isQueued ? session->resume(now()) : session->launch(now());
        QVERIFY2(started, started ? "" : started.error().message.c_str());
        QVERIFY(RunHome::finish(*session, 120));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        at.compare("b", *session, "metrics.jsonl");
        at.compare("a", *session, "logs/rank_00001.log");
    }

    void resumesWhereItWas() {
        Cluster at;
        auto session = at.launch("kill@8=1,ms=5", 20, {{"a", 1}});
        QVERIFY(session);
        QVERIFY(RunHome::finish(*session, 60));
        QCOMPARE(session->status(), RunStatus::Failed);
        auto again = RunSession::attach(*at.store, at.at.home, session->id(), now(), at.at.programs);
        QVERIFY(again);
        Result<void> resumed;
        QVERIFY(waitUntil(60, [&] {
            resumed = again->resume(now());
            return resumed || resumed.error().code != "nodes_unheard";
        }));
        QVERIFY2(resumed, resumed ? "" : resumed.error().message.c_str());
        QVERIFY(RunHome::finish(*again, 60));
        QCOMPARE(again->status(), RunStatus::Completed);
        at.compare("a", *again, "metrics.jsonl");
    }
};

SLIPWAY_TEST(TstNodesFlow)
#include "tst_nodes_flow.moc"
