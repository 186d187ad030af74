// What a sweep knows of its nodes: ranks of lost attempts that may still be there, and the findings of the last look.
#include "core/launch/lost_attempts.h"
#include "core/spec/agent_files.h"
#include "tests/core/sweep/pool_bench.h"

#include <signal.h>

using namespace slipway;
using namespace slipway::test;

class TstNodeMarks : public QObject {
    Q_OBJECT

private slots:
    // Ranks of a lost attempt that do not end keep every other trial off their node.
    void keepsOffANodeWithLostRanks() {
        Pool pool({"a", "b"});
        auto& home = pool.bench.at.home;
        RunRequest request;
        request.config = tinyConfig("old [ms=20]", 1'000'000);
        request.nodes = {{"a", 1}};
        auto old = RunSession::create(*pool.bench.store, home, request, unixMillisecondsNow(), pool.bench.at.programs);
        QVERIFY(old && old->launch(unixMillisecondsNow()));
        QVERIFY(waitUntil(60, [&] {
            (void)old->poll(unixMillisecondsNow());
            return old->lastStep() > 2;
        }));
        const auto id = parseAgentId(*readFile(old->folder().agentFolder("a") / "id.json"), "id.json");
        QVERIFY(id);
        const auto agent = static_cast<pid_t>(id->pid);
        QCOMPARE(::kill(agent, SIGSTOP), 0);  // it cannot see that it is superseded
        QVERIFY(giveUpAttempt(home, old->folder(), old->id().value, {1, "a", 1, 2, 0}));
        auto runner = pool.open(sixTrials(), {"a", "b"});
        QVERIFY(runner);
        pool.drive({&*runner});
        QVERIFY2(isAll(pool.bench.statuses(runner->id()), "completed"), pool.problems.c_str());
        QCOMPARE(pool.running("a"), (std::set<std::string>{old->id().value}));
        QCOMPARE(lostRunsOn(home, "a"), (std::vector<std::string>{old->id().value}));
        // A launch refuses the node as well.
        request.config = tinyConfig("new", 5);
        auto other =
            RunSession::create(*pool.bench.store, home, request, unixMillisecondsNow(), pool.bench.at.programs);
        QVERIFY(other && other->launch(unixMillisecondsNow()) && RunHome::finish(*other, 60));
        QCOMPARE(other->status(), RunStatus::Failed);
        QVERIFY2(other->reason().find("`slipway nodes check a` stops them") != std::string::npos,
                 other->reason().c_str());

        QCOMPARE(::kill(agent, SIGCONT), 0);
        LostRanks lost(home, std::make_shared<NodeLinks>(pool.bench.at.programs.agent));
        std::vector<LostRanks::Stopped> stopped;
        QVERIFY(waitUntil(60, [&] {
            for (auto& one : lost.poll({"a"}, unixMillisecondsNow())) stopped.push_back(std::move(one));
            return !stopped.empty();
        }));
        QVERIFY(!lost.mayRunOn("a"));
        QVERIFY(lostAttempts(old->folder()).front().stoppedUnixMilliseconds > 2);
    }

    // One look at a node serves the trials that follow one another there, until one of them fails.
    void looksAtANodeOnce() {
        Pool pool({"a"});
        auto runner = pool.open(sweepOf({"1", "2 [exit@2=7]", "3", "4"}), {"a"});
        QVERIFY(runner);
        bool hasNews = false;
        pool.drive({&*runner}, 120, [&] {
            hasNews = hasNews || !runner->newsFds().empty();
            return false;
        });
        QVERIFY(hasNews);
        std::map<std::string, Json> times;
        const auto result = loadSweepResult(*pool.bench.store, runner->id());
        for (const TrialResult& trial : result->trials) {
            const auto found = readJsonFile(pool.bench.at.home.run(trial.run)->path / "preflight.json");
            QVERIFY(found);
            times[trial.name.substr(0, 1)] = (*found)["nodes"][0]["time_unix_ms"];
            QVERIFY((*found)["nodes"][0]["health"]["disk_bytes_per_second"].is_number());
        }
        QCOMPARE(times.size(), std::size_t(4));
        QVERIFY(times["1"] == times["2"] && times["3"] == times["4"] && times["2"] != times["3"]);
    }
};

SLIPWAY_TEST(TstNodeMarks)
#include "tst_node_marks.moc"
