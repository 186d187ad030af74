// Runs that start again by themselves, through real agents and the fake trainer: from the newest checkpoint, without a bad node, once
// whoever follows them, and not at all where it would not help.
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/remote/node_record.h"
#include "core/run/restart.h"
#include "core/run/run_actions.h"
#include "core/run/run_session.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr std::int64_t kDelayMilliseconds = 700'000;  // longer than any pause of the policy

struct Restarts {
    RunHome at;
    Result<RunStore> store = RunStore::open(at.home, OpenMode::ReadWrite);
    std::int64_t later = 0;  // pauses are skipped, not waited for

    [[nodiscard]] std::int64_t now() const { return unixMillisecondsNow() + later; }

    Result<RunSession> launch(const std::string& script, const std::string& restart,
                              const std::vector<LaunchNode>& nodes = {}, const std::vector<std::string>& pool = {}) {
        RunRequest request;
        request.config =
            tinyConfig("tiny [" + script + "]", 20, std::max<std::int64_t>(1, static_cast<std::int64_t>(nodes.size())));
        request.config.checkpoint.everySteps = nodes.empty() ? 5 : 0;
        request.nodes = nodes;
        request.pool = pool;
        request.restart = restart;
        auto session = RunSession::create(*store, at.home, request, now(), at.programs);
        if (!session) return session;
        if (const auto begun = session->launch(now()); !begun) return fail(begun.error());
        return session;
    }
    bool isWaiting(const RunSession& session) const {
        return session.status() == RunStatus::Queued && session.reason().find("Restart from") != std::string::npos;
    }
    /// Polls to the end, each pause between attempts being over at once.
    bool finish(RunSession& session) {
        std::int64_t skipped = 0;
        return waitUntil(120, [&] {
            (void)session.poll(now());
            if (isWaiting(session) && skipped < session.attempt())
                later += kDelayMilliseconds, skipped = session.attempt();
            return session.done();
        });
    }
    bool waits(RunSession& session) const {
        return waitUntil(60,
                         [&] {
                             (void)session.poll(now());
                             return isWaiting(session) || session.done();
                         }) &&
               isWaiting(session);
    }
    void addNodes(const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            NodeRecord node;
            node.name = node.host = name;
            node.trainer = at.programs.trainer.string();
            QVERIFY(writeNode(at.home, node, false));
        }
        at.programs.trainer.clear();
    }
};

}  // namespace

class TstRestartFlow : public QObject {
    Q_OBJECT

private slots:
    void goesOnFromTheNewestCheckpoint() {
        Restarts at;
        auto session = at.launch("kill@8=1", "auto");
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        QVERIFY(at.waits(*session));
        QVERIFY2(session->reason().find("Restart from the checkpoint of step 5 in") != std::string::npos,
                 session->reason().c_str());
        // Nothing starts before its time, and a look starts nothing at all.
        QCOMPARE(at.store->run(session->id())->status, RunStatus::Queued);
        QVERIFY(refreshOpenRuns(*at.store, at.at.home, at.now() + kDelayMilliseconds, at.at.programs));
        QCOMPARE(at.store->run(session->id())->attempts, std::int64_t(1));
        QVERIFY(at.finish(*session));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QCOMPARE(session->attempt(), std::int64_t(2));
        const auto attempts = at.store->attempts(session->id());
        QVERIFY(attempts && attempts->size() == 2);
        QCOMPARE(attempts->back().resumeStep, std::int64_t(5));
        const auto events = restartEvents(session->folder());
        QCOMPARE(events.size(), std::size_t(1));
        QCOMPARE(events[0].name, std::string("restart"));
        QCOMPARE(events[0].attempt, std::int64_t(1));
        QVERIFY(events[0].detail.find("step 5") != std::string::npos);
        QVERIFY(events[0].timeUnixMilliseconds > 0);
    }

    void leavesAFailedRunToAPerson_data() {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("restart");
        QTest::addColumn<int>("attempts");
        QTest::addColumn<int>("decisions");
        QTest::newRow("off") << "kill@8"
                             << "off" << 1 << 0;
        QTest::newRow("a bad config stays bad") << "exit@3=10"
                                                << "auto" << 1 << 1;
        QTest::newRow("no progress") << "error@3"
                                     << "auto" << 3 << 3;
        QTest::newRow("unknown, once") << "kill@8"
                                       << "auto" << 2 << 2;
    }
    void leavesAFailedRunToAPerson() {
        QFETCH(QString, script);
        QFETCH(QString, restart);
        QFETCH(int, attempts);
        QFETCH(int, decisions);
        Restarts at;
        auto session = at.launch(script.toStdString(), restart.toStdString());
        QVERIFY(session);
        QVERIFY(at.finish(*session));
        QCOMPARE(session->status(), RunStatus::Failed);
        QCOMPARE(static_cast<int>(session->attempt()), attempts);
        const auto events = restartEvents(session->folder());
        QCOMPARE(static_cast<int>(events.size()), decisions);
        if (decisions > 0) QCOMPARE(events.back().name, std::string("no_restart"));
    }

    void startsOnceWhoeverFollowsIt() {
        Restarts at;
        auto session = at.launch("kill@8=1,ms=20", "auto");
        QVERIFY(session);
        QVERIFY(at.waits(*session));
        const RunId id = session->id();
        auto second = RunSession::attach(*at.store, at.at.home, id, at.now(), at.at.programs);
        QVERIFY(second);
        QVERIFY(at.waits(*second));
        QCOMPARE(second->reason(), session->reason());  // one decision, one pause
        at.later += kDelayMilliseconds;
        QVERIFY(waitUntil(60, [&] {
            (void)session->poll(at.now());
            (void)second->poll(at.now());
            return session->done() && second->done();
        }));
        QCOMPARE(session->status(), RunStatus::Completed);
        QCOMPARE(second->status(), RunStatus::Completed);
        QCOMPARE(session->attempt(), std::int64_t(2));
        QCOMPARE(second->attempt(), std::int64_t(2));
        QCOMPARE(at.store->run(id)->attempts, std::int64_t(2));
    }

    void isStoppedWhileItWaits() {
        Restarts at;
        auto session = at.launch("kill@8=1", "auto");
        QVERIFY(session);
        QVERIFY(at.waits(*session));
        auto other = RunSession::attach(*at.store, at.at.home, session->id(), at.now(), at.at.programs);
        QVERIFY(other);
        QVERIFY(other->stop(at.now()));
        at.later += kDelayMilliseconds;
        QVERIFY(waitUntil(60, [&] {
            (void)session->poll(at.now());
            (void)other->poll(at.now());
            return session->done() && other->done();
        }));
        QCOMPARE(session->status(), RunStatus::Cancelled);
        QCOMPARE(other->status(), RunStatus::Cancelled);
        QCOMPARE(at.store->run(session->id())->attempts, std::int64_t(1));
    }

    // A sweep restarts its trials itself; a list or a window that looks meanwhile neither ends nor starts one.
    void isLeftToWhatDrivesIt() {
        Restarts at;
        auto session = at.launch("error@8", "off");
        QVERIFY(session);
        session->driveRestarts();
        QVERIFY(at.waits(*session));
        at.later += kDelayMilliseconds;
        auto other = RunSession::attach(*at.store, at.at.home, session->id(), at.now(), at.at.programs);
        QVERIFY(other);
        QVERIFY(at.waits(*other));
        for (int i = 0; i < 20; ++i) (void)other->poll(at.now()), (void)session->poll(at.now());
        QVERIFY(refreshOpenRuns(*at.store, at.at.home, at.now(), at.at.programs));
        QVERIFY(session->isWaiting());
        QCOMPARE(at.store->run(session->id())->status, RunStatus::Queued);
        QCOMPARE(at.store->run(session->id())->attempts, std::int64_t(1));
        const auto restarted = session->restart({}, at.now());
        QVERIFY2(restarted, restarted ? "" : restarted.error().message.c_str());
        QCOMPARE(session->attempt(), std::int64_t(2));
        QVERIFY(session->kill(at.now()));
        QVERIFY(RunHome::finish(*session, 60));
    }

    void waitsForANodeWhoeverLooks() {
        FakeNodes nodes;
        Restarts at;
        at.addNodes({"a", "b"});
        RunRequest request;
        request.config = tinyConfig("tiny [ms=2]", 20);
        request.nodes = {{"a", 1}};
        nodes.set("a", "says", "ssh: connect to host a port 22: Connection refused\n");
        auto session = RunSession::create(*at.store, at.at.home, request, at.now(), at.at.programs);
        QVERIFY(session);
        session->driveRestarts();
        QVERIFY(session->launch(at.now()));
        QVERIFY(waitUntil(60, [&] {
            (void)session->poll(at.now());
            return session->isWaiting();
        }));
        QCOMPARE(session->startError().code, std::string("refused"));
        nodes.set("a", "says", "");
        auto other = RunSession::attach(*at.store, at.at.home, session->id(), at.now(), at.at.programs);
        QVERIFY(other);
        QVERIFY(waitUntil(60, [&] {
            (void)other->poll(at.now() + 60'000);
            return other->done() || other->isWaiting();
        }));
        QCOMPARE(at.store->run(session->id())->status, RunStatus::Queued);
        QVERIFY(session->restart({{"b", 1}}, at.now()));
        QVERIFY(RunHome::finish(*session, 60));
        QCOMPARE(session->status(), RunStatus::Completed);
        QVERIFY(!std::filesystem::exists(nodes.home("a") / ".local/share/slipway-node/runs"));
    }

    // A window that follows the first attempt, while the sweep is two attempts further, does not call the run lost.
    void doesNotJudgeAnAttemptThatIsOver() {
        FakeNodes nodes;
        Restarts at;
        at.addNodes({"a"});
        RunRequest request;
        request.config = tinyConfig("tiny [ms=2]", 20);
        request.nodes = {{"a", 1}};
        nodes.set("a", "says", "ssh: connect to host a port 22: Connection refused\n");
        auto session = RunSession::create(*at.store, at.at.home, request, at.now(), at.at.programs);
        QVERIFY(session);
        session->driveRestarts();
        QVERIFY(session->launch(at.now()));
        auto other = RunSession::attach(*at.store, at.at.home, session->id(), at.now(), at.at.programs);
        QVERIFY(other);
        const auto fails = [&] {
            return waitUntil(60, [&] {
                (void)session->poll(at.now());
                (void)other->poll(at.now());
                return session->isWaiting();
            });
        };
        QVERIFY(fails());
        QVERIFY(session->restart({}, at.now()));
        QVERIFY(fails());
        QCOMPARE(session->attempt(), std::int64_t(2));
        nodes.set("a", "says", "");
        at.later += 60'000;
        QVERIFY(waitUntil(60, [&] {
            (void)other->poll(at.now());
            return other->done() || other->isWaiting();
        }));
        QVERIFY(!other->done());
        QCOMPARE(at.store->run(session->id())->status, RunStatus::Queued);
        QVERIFY(session->restart({}, at.now()));
        QVERIFY(waitUntil(60, [&] {
            (void)session->poll(at.now());
            (void)other->poll(at.now());
            return session->done() && other->done();
        }));
        QCOMPARE(session->status(), RunStatus::Completed);
        QCOMPARE(other->status(), RunStatus::Completed);
        QCOMPARE(other->attempt(), std::int64_t(3));
    }

    // Two failures of its own, then the next node of the pool takes its ranks.
    void leavesOutANodeThatFailsTwice() {
        FakeNodes nodes;
        Restarts at;
        at.addNodes({"a", "b", "c"});
        auto session = at.launch("baddisk@3", "auto", {{"a", 1}}, {"a", "b"});
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        QVERIFY(at.finish(*session));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QCOMPARE(session->attempt(), std::int64_t(3));
        QVERIFY(readFile(session->folder().launch())->find("\"b\"") != std::string::npos);
        const auto events = restartEvents(session->folder());
        QCOMPARE(events.size(), std::size_t(2));
        QVERIFY2(events[1].detail.find("Leave out: a") != std::string::npos, events[1].detail.c_str());
        QCOMPARE(readFile(session->folder().metrics()).value_or(""),
                 readFile(nodes.home("b") / ".local/share/slipway-node/runs" / session->id().value / "metrics.jsonl")
                     .value_or("x"));
    }

    // Nobody takes the ranks of a node that is left out: the others continue from the checkpoint with fewer replicas.
    void continuesWithFewerRanks() {
        FakeNodes nodes;
        Restarts at;
        for (const char* name : {"a", "b"}) {
            NodeRecord node;
            node.name = node.host = name;
            node.trainer = at.at.programs.trainer.string();
            node.numSlots = 1;
            QVERIFY(writeNode(at.at.home, node, false));
        }
        at.at.programs.trainer.clear();
        RunRequest request;
        request.config = tinyConfig("tiny [ms=2,baddisk@13]", 40, 2);
        request.config.checkpoint.everySteps = 5;
        request.nodes = {{"a", 1}, {"b", 1}};
        request.restart = "auto";
        auto session = RunSession::create(*at.store, at.at.home, request, at.now(), at.at.programs);
        QVERIFY(session && session->launch(at.now()));
        QVERIFY(at.finish(*session));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QCOMPARE(session->nodes(), std::vector<std::string>{"b"});
        const auto attempts = at.store->attempts(session->id());
        QVERIFY(attempts && attempts->size() == 3);
        QCOMPARE(attempts->front().worldSize, std::int64_t(2));
        QCOMPARE(attempts->back().worldSize, std::int64_t(1));
        QCOMPARE(attempts->back().resumeStep, std::int64_t(10));
        // The run is what was asked for; the node had the layout of the attempt.
        const auto dpIn = [](const std::filesystem::path& config) { return (*readJsonFile(config))["parallel"]["dp"]; };
        QVERIFY(dpIn(session->folder().config()) == Json(2));
        QVERIFY(dpIn(nodes.home("b") / ".local/share/slipway-node/runs" / session->id().value / "config.json") ==
                Json(1));
        const auto events = restartEvents(session->folder());
        QVERIFY2(events.back().detail.find("with fewer ranks (1)") != std::string::npos, events.back().detail.c_str());
    }

    // Moved to a node with a home of its own, it continues from the checkpoint that was copied here, with the same weights.
    void takesItsCheckpointToAnotherNode() {
        FakeNodes nodes;
        Restarts at;
        at.addNodes({"a", "b"});
        const auto run = [&](const std::string& script, const std::vector<std::string>& pool) {
            RunRequest request;
            request.config = tinyConfig("tiny [" + script + "]", 40);
            request.config.checkpoint.everySteps = 5;
            request.nodes = {{pool.front(), 1}};
            request.pool = pool;
            request.restart = "auto";
            auto session = RunSession::create(*at.store, at.at.home, request, at.now(), at.at.programs);
            if (session && session->launch(at.now()) && at.finish(*session)) return session;
            return Result<RunSession>(fail("unfinished", std::string("unfinished")));
        };
        const auto weights = [&](const RunSession& session, const std::string& node) {
            return readFile(nodes.home(node) / ".local/share/slipway-node/runs" / session.id().value / "checkpoints" /
                            "step_00000040" / "rank_00000.safetensors")
                .value_or("");
        };
        auto undisturbed = run("ms=2", {"b"});
        QVERIFY(undisturbed && undisturbed->status() == RunStatus::Completed);
        QVERIFY(!weights(*undisturbed, "b").empty());
        auto session = run("ms=2,baddisk@13", {"a", "b"});
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QVERIFY(readFile(session->folder().launch())->find("\"b\"") != std::string::npos);
        QCOMPARE(at.store->attempts(session->id())->back().resumeStep, std::int64_t(10));
        QVERIFY(weights(*session, "b") == weights(*undisturbed, "b"));
        QVERIFY(weights(*session, "a").empty());
        // What was copied here is whole, and the same.
        const auto here = session->folder().checkpoint(10) / "rank_00000.safetensors";
        QVERIFY(readFile(here).value_or("") ==
                readFile(nodes.home("b") / ".local/share/slipway-node/runs" / session->id().value / "checkpoints" /
                         "step_00000010" / "rank_00000.safetensors")
                    .value_or("x"));
    }

    // While a run is followed its newest checkpoint comes here, so that a node may be lost for good.
    void survivesTheLossOfItsNode() {
        FakeNodes nodes;
        Restarts at;
        at.addNodes({"a", "b"});
        RunRequest request;
        request.config = tinyConfig("tiny [ms=5,wait@33]", 40);
        request.config.checkpoint.everySteps = 10;
        request.nodes = {{"a", 1}};
        auto session = RunSession::create(*at.store, at.at.home, request, at.now(), at.at.programs);
        QVERIFY(session && session->launch(at.now()));
        const auto whole = session->folder().checkpoint(30) / "manifest.json";
        QVERIFY(waitUntil(60, [&] {
            (void)session->poll(at.now());
            return std::filesystem::exists(whole);
        }));
        QVERIFY(session->kill(at.now()));
        QVERIFY(RunHome::finish(*session, 60));
        std::filesystem::remove_all(nodes.home("a"));
        nodes.set("a", "says", "ssh: connect to host a port 22: Connection refused\n");
        auto again = RunSession::attach(*at.store, at.at.home, session->id(), at.now(), at.at.programs);
        QVERIFY(again && again->useNodes({{"b", 1}}));
        Result<void> resumed;
        QVERIFY(waitUntil(60, [&] {
            resumed = again->resume(at.now());
            return resumed || resumed.error().code != "nodes_unheard";
        }));
        QVERIFY2(resumed, resumed ? "" : resumed.error().message.c_str());
        const auto control = nodes.home("b") / ".local/share/slipway-node/runs" / session->id().value / "control";
        QVERIFY(waitUntil(60, [&] {
            (void)again->poll(at.now());
            if (again->lastStep() >= 32 && std::filesystem::exists(control))
                (void)writeFileAtomically(control / "go", "");
            return again->done();
        }));
        QVERIFY2(again->status() == RunStatus::Completed, again->reason().c_str());
        QCOMPARE(at.store->attempts(session->id())->back().resumeStep, std::int64_t(30));
    }

    // A checkpoint of this computer is the start of a run on a node.
    void startsOnANodeFromAFolderHere() {
        FakeNodes nodes;
        Restarts at;
        at.addNodes({"b"});
        const auto folder = at.at.home.path / "first" / "checkpoints" / "step_00000007";
        std::filesystem::create_directories(folder);
        QVERIFY(writeFileAtomically(folder / "rank_00000.safetensors", "4711\n"));
        QVERIFY(writeFileAtomically(folder / "manifest.json",
                                    R"({"step":7,"files":[{"rank":0,"file":"rank_00000.safetensors","bytes":5}]})"));
        RunRequest request;
        request.config = tinyConfig("tiny [ms=2]", 4);
        request.config.checkpoint.startFrom = (at.at.home.path / "first").string();
        request.nodes = {{"b", 1}};
        auto session = RunSession::create(*at.store, at.at.home, request, at.now(), at.at.programs);
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        QVERIFY(session->launch(at.now()));
        QVERIFY(RunHome::finish(*session, 60));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        const auto there = nodes.home("b") / ".local/share/slipway-node/runs" / session->id().value;
        QCOMPARE(readFile(there / "start_from" / "rank_00000.safetensors").value_or(""), std::string("4711\n"));
        QVERIFY(readFile(there / "config.json")->find((there / "start_from").string()) != std::string::npos);
    }

    // The port of the preflight is gone when the ranks come: whatever the policy, they meet at another one.
    void meetsAtAnotherPort() {
        FakeNodes nodes;
        Restarts at;
        at.addNodes({"a", "b"});
        auto session = at.launch("port", "off", {{"a", 1}, {"b", 1}});
        QVERIFY(session);
        QVERIFY(at.finish(*session));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QCOMPARE(session->attempt(), std::int64_t(2));
    }
};

SLIPWAY_TEST(TstRestartFlow)
#include "tst_restart_flow.moc"
