// Sweeps on nodes behind a fake ssh: slots that drivers share, nodes that cannot be reached or are bad, drivers that are killed.
#include "core/launch/checkpoint_files.h"
#include "core/launch/lost_attempts.h"
#include "core/remote/node_record.h"
#include "core/run/restart.h"
#include "core/spec/agent_files.h"
#include "core/sweep/node_slots.h"
#include "tests/core/sweep/pool_bench.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <set>

using namespace slipway;
using namespace slipway::test;

namespace {

/// A trial that saves a checkpoint at step 6 and stands before step 8 until it is let go on its node.
SweepFile standingTrial() {
    RunConfig config = tinyConfig("", 10);
    config.checkpoint.everySteps = 3;
    Json file{{"schema", 1},
              {"name", "lost"},
              {"base", toJson(config)},
              {"points", Json::array({{{"name", "x [wait@8]"}, {"train.seed", 1}}})}};
    Issues issues;
    return sweepFileFromJson(file, issues);
}

constexpr const char* kNoRoute = "ssh: connect to host a port 22: No route to host\n";

}  // namespace

class TstSweepNodes : public QObject {
    Q_OBJECT

private slots:
    void slotsHaveOneHolder() {
        const RunHome at;
        std::set<std::string> over;
        NodeSlots claims(at.home, [&](const std::string& run) { return over.contains(run); });
        QVERIFY(*claims.take("n", 0, "r1", false));
        QVERIFY(!*claims.take("n", 0, "r2", false));
        QVERIFY(!*claims.take("n", 0, "r2", true));
        QVERIFY(!*claims.take("n", 1, "r2", true));  // a whole node, where somebody is
        QVERIFY(*claims.take("n", 1, "r2", false));
        claims.release("r1");
        claims.release("r2");
        QVERIFY(*claims.take("n", 0, "r3", true));
        QVERIFY(!*claims.take("n", 1, "r4", false));  // where somebody has the whole
        QVERIFY(claims.orphans({"n"}).empty());
        // A run that has ended under a driver that lives is its driver's to release: it may be tried again.
        over.insert("r3");
        QVERIFY(!*claims.take("n", 0, "r4", false));
        claims.release("r3");
        for (int i = 0; i < 20; ++i) {
            QVERIFY(*claims.take("n", 0, "again", false));
            claims.release("again");
        }
        std::size_t files = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(at.home.path / "slots" / "n"))
            ++files;
        QVERIFY2(files < 10, std::to_string(files).c_str());
    }

    void slotsOfAKilledDriverComeFree() {
        const RunHome at;
        std::set<std::string> over;
        NodeSlots claims(at.home, [&](const std::string& run) { return over.contains(run); });
        const pid_t child = ::fork();
        if (child == 0) ::_exit(claims.take("n", 0, "r1", false).value_or(false) ? 0 : 1);
        int status = 1;
        ::waitpid(child, &status, 0);
        QCOMPARE(status, 0);
        QVERIFY(!*claims.take("n", 0, "r2", false));  // its run goes on
        QCOMPARE(claims.orphans({"n"}), std::vector<std::string>{"r1"});
        claims.adopt("r1");
        QVERIFY(claims.orphans({"n"}).empty());
        over.insert("r1");
        QVERIFY(!*claims.take("n", 0, "r2", false));
        claims.release("r1");
        QVERIFY(*claims.take("n", 0, "r2", false));
    }

    // Four processes take and give back two slots as fast as they can, now and then the whole node.
    void slotsAreNeverHeldTwice() {
        const RunHome at;
        const auto marks = at.temp.path() / "marks";
        std::filesystem::create_directories(marks);
        const unsigned seed = std::random_device{}();
        qInfo("seed %u", seed);
        std::vector<pid_t> children;
        for (unsigned me = 0; me < 4; ++me) {
            const pid_t child = ::fork();
            if (child > 0) {
                children.push_back(child);
                continue;
            }
            NodeSlots claims(at.home, [](const std::string&) { return false; });
            std::mt19937 random(seed + me);
            int taken = 0;
            for (int i = 0; taken < 40 && i < 100'000; ++i) {
                const std::string run = "r" + std::to_string(me) + "-" + std::to_string(i);
                const bool isWhole = random() % 4 == 0;
                const std::int64_t slot = isWhole ? 0 : random() % 2;
                if (!claims.take("n", slot, run, isWhole).value_or(false)) continue;
                ++taken;
                std::vector<std::string> held = {std::to_string(slot)};
                if (isWhole) held.emplace_back("1");
                for (const std::string& one : held)
                    if (::open((marks / one).c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600) < 0) ::_exit(7);
                ::usleep(random() % 300);
                for (const std::string& one : held) ::unlink((marks / one).c_str());
                claims.release(run);
            }
            ::_exit(taken == 40 ? 0 : 8);
        }
        for (const pid_t child : children) {
            int status = 1;
            ::waitpid(child, &status, 0);
            QCOMPARE(WEXITSTATUS(status), 0);
        }
    }

    void sharesNodesAmongTrials_data() {
        QTest::addColumn<int>("jobs");
        QTest::newRow("a node each") << 1;
        QTest::newRow("two on a node") << 2;
    }
    void sharesNodesAmongTrials() {
        QFETCH(int, jobs);
        Pool pool({"a", "b"});
        auto runner = pool.open(sixTrials(), {"a", "b"}, jobs);
        QVERIFY2(runner, runner ? "" : runner.error().text().c_str());
        const auto most = pool.drive({&*runner});
        QVERIFY(pool.isDone);
        QVERIFY(isAll(pool.bench.statuses(runner->id()), "completed"));
        QCOMPARE(pool.bench.numRuns(), 6);
        for (const char* node : {"a", "b"}) QCOMPARE(most.at(node), jobs);
    }

    void twoDriversShareOnePool() {
        Pool pool({"a", "b"});
        auto first = pool.open(sixTrials(), {"a", "b"});
        auto second = pool.open(sweepOf({"g [ms=15]", "h [ms=15]", "i [ms=15]", "j [ms=15]"}), {"b", "a"});
        QVERIFY(first && second);
        const auto most = pool.drive({&*first, &*second});
        QVERIFY(pool.isDone);
        QVERIFY(isAll(pool.bench.statuses(first->id()), "completed"));
        QVERIFY(isAll(pool.bench.statuses(second->id()), "completed"));
        for (const char* node : {"a", "b"}) QCOMPARE(most.at(node), 1);
    }

    void beginsWithTheLongest() {
        Pool pool({"a"});
        Json file{{"schema", 1}, {"name", "long"}, {"base", toJson(tinyConfig("", 10))}, {"points", Json::array()}};
        for (const std::int64_t steps : {4, 12, 8})
            file["points"].push_back({{"name", std::to_string(steps)}, {"train.num_steps", steps}});
        Issues issues;
        ClusterSpec cluster;
        cluster.device.peakFp32Flops = cluster.device.peakBf16Flops = 1e11;
        cluster.device.memoryBytesPerSecond = 1e10;
        auto runner = pool.open(sweepFileFromJson(file, issues), {"a"}, 1, cluster);
        QVERIFY(runner);
        std::vector<std::string> begun;
        QVERIFY(waitUntil(120, [&] {
            const auto events = runner->tick(unixMillisecondsNow());
            for (const SweepEvent& event : events.value_or(std::vector<SweepEvent>{}))
                if (event.kind == SweepEvent::Kind::Started) begun.push_back(runner->trials()[event.trial].name);
            return runner->done();
        }));
        QCOMPARE(begun, (std::vector<std::string>{"12", "8", "4"}));
    }

    // A node that cannot be reached costs no trial: all of them run on the other one.
    void movesTrialsFromANodeOutOfReach() {
        Pool pool({"a", "b"});
        pool.nodes.set("b", "says", "ssh: connect to host b port 22: No route to host\n");
        auto runner = pool.open(sixTrials(), {"b", "a"});
        QVERIFY(runner);
        bool wasFailed = false;
        pool.drive({&*runner}, 120, [&] {
            for (const auto& [name, status] : pool.bench.statuses(runner->id()))
                wasFailed = wasFailed || status == "failed";
            return false;
        });
        QVERIFY(pool.isDone);
        QVERIFY(!wasFailed);
        QVERIFY(isAll(pool.bench.statuses(runner->id()), "completed"));
        QCOMPARE(pool.bench.numRuns(), 6);
        QVERIFY2(pool.problems.find("Waiting for a node. b cannot be reached") != std::string::npos,
                 pool.problems.c_str());
        QVERIFY(!std::filesystem::exists(pool.nodes.home("b")));
    }

    void waitsWhenNoNodeIsInReach() {
        Pool pool({"a"});
        pool.nodes.set("a", "says", "ssh: connect to host a port 22: Connection refused\n");
        auto runner = pool.open(sweepOf({"x [ms=5]"}), {"a"});
        QVERIFY(runner);
        pool.drive({&*runner}, 60, [&] { return !pool.problems.empty(); });
        QVERIFY(!runner->done());
        QCOMPARE(pool.bench.statuses(runner->id()), (Statuses{{"x [ms=5]", "running"}}));
        const auto result = loadSweepResult(*pool.bench.store, runner->id());
        QVERIFY(pool.bench.store->run(result->trials[0].run)->reason.starts_with("Waiting for a node."));
        pool.nodes.set("a", "says", "");
        pool.later += 600'000;
        pool.drive({&*runner});
        QVERIFY(isAll(pool.bench.statuses(runner->id()), "completed"));
    }

    // No wait helps against a trainer that is not there: the sweep is paused, and no trial has failed.
    void pausesWithoutAnyNode() {
        Pool pool({"a"});
        NodeRecord node = *findNode(pool.bench.at.home, "a");
        node.trainer = "/nowhere/slipway-trainer";
        QVERIFY(writeNode(pool.bench.at.home, node, true));
        auto runner = pool.open(sweepOf({"x", "y"}), {"a"});
        QVERIFY(runner);
        pool.drive({&*runner}, 60);
        QVERIFY(pool.isDone);
        QVERIFY(!runner->complete());
        QVERIFY2(pool.problems.find("The sweep is paused") != std::string::npos, pool.problems.c_str());
        for (const auto& [name, status] : pool.bench.statuses(runner->id())) QVERIFY2(status != "failed", name.c_str());
    }

    // Two failures by the node itself, and the trial goes on elsewhere.
    void leavesABadNode() {
        Pool pool({"a", "b"});
        auto runner = pool.open(sweepOf({"x [baddisk@3]"}), {"a", "b"});
        QVERIFY(runner);
        std::ptrdiff_t skipped = 0;
        pool.drive({&*runner}, 120, [&] {
            if (const auto waits = std::ranges::count(pool.problems, '\n'); waits > skipped) {
                skipped = waits;
                pool.later += 700'000;
            }
            return false;
        });
        QVERIFY(pool.isDone);
        QVERIFY2(isAll(pool.bench.statuses(runner->id()), "completed"), pool.problems.c_str());
        QVERIFY2(pool.problems.find("Leave out: a") != std::string::npos, pool.problems.c_str());
    }

    // The node of a running trial never answers again, or only after the trial has gone on elsewhere: nothing of its old ranks counts.
    void continuesElsewhereWhenItsNodeIsLost_data() {
        QTest::addColumn<bool>("goesOn");
        QTest::addColumn<bool>("newDriver");
        QTest::newRow("old ranks stand") << false << false;
        QTest::newRow("old ranks train to the end") << true << false;
        QTest::newRow("driver killed meanwhile") << true << true;
    }
    void continuesElsewhereWhenItsNodeIsLost() {
        QFETCH(bool, goesOn);
        QFETCH(bool, newDriver);
        Pool pool({"a", "b"});
        std::optional<SweepRunner> runner;
        const auto open = [&] {
            runner.reset();
            auto opened = pool.open(standingTrial(), {"a", "b"});
            if (opened) runner.emplace(std::move(*opened));
            return runner.has_value();
        };
        QVERIFY(open());
        const auto run = [&] { return loadSweepResult(*pool.bench.store, runner->id())->trials[0].run; };
        const auto on = [&](const std::string& node) {
            return RunDir{pool.nodes.home(node) / ".local/share/slipway-node/runs" / run().value};
        };
        const auto letGo = [&](const std::string& node) {
            return writeFileAtomically(on(node).path / "control" / "go", "").has_value();
        };
        pool.drive({&*runner}, 60, [&] {
            const auto folder = pool.bench.at.home.run(run());
            // Lines that are not here before the link is cut stay on the node.
            return folder && newestWholeCheckpoint(*folder) == 6 &&
                   readFile(folder->metrics()).value_or("").find("\"step\":6") != std::string::npos;
        });
        const RunDir folder = *pool.bench.at.home.run(run());
        QCOMPARE(newestWholeCheckpoint(folder), std::optional<std::int64_t>(6));
        QCOMPARE(pool.running("a").size(), std::size_t{1});
        pool.nodes.set("a", "says", kNoRoute);
        pool.nodes.cut("a");
        const auto isSaid = [&](const char* text) { return pool.problems.find(text) != std::string::npos; };
        pool.drive({&*runner}, 60, [&] { return isSaid("If a does not answer within 10.0"); });
        QVERIFY2(isSaid("the trial continues on another node"), pool.problems.c_str());
        QVERIFY2(pool.problems.find("a: Cannot reach a") == std::string::npos, pool.problems.c_str());
        QVERIFY(!std::filesystem::exists(on("b").path));
        pool.later += 601'000;
        pool.drive({&*runner}, 60, [&] { return isSaid("the node could not be reached any more"); });
        QVERIFY2(isSaid("Restart from the checkpoint of step 6"), pool.problems.c_str());
        if (newDriver) QVERIFY(open());
        pool.drive({&*runner}, 60, [&] { return pool.running("b").size() == 1; });
        QCOMPARE(pool.running("a").size(), std::size_t{1});  // it knows nothing
        if (goesOn) {
            QVERIFY(letGo("a"));
            QVERIFY(waitUntil(30, [&] { return pool.running("a").empty(); }));
        }
        pool.nodes.set("a", "says", "");
        pool.later += 200'000;
        pool.drive({&*runner}, 60, [&] { return isSaid("The ranks of attempt 1 on a were stopped"); });
        QVERIFY2(isSaid("The ranks of attempt 1 on a were stopped"), pool.problems.c_str());
        QVERIFY(!std::filesystem::exists(on("a").path));
        const auto lost = lostAttempts(folder);
        QCOMPARE(lost.size(), std::size_t{1});
        QVERIFY(lost[0].attempt == 1 && lost[0].node == "a" && lost[0].stoppedUnixMilliseconds > 0);
        QVERIFY(letGo("b"));
        pool.drive({&*runner});
        QVERIFY2(isAll(pool.bench.statuses(runner->id()), "completed"), pool.problems.c_str());
        QCOMPARE(pool.bench.numRuns(), 1);
        const auto points = pool.bench.store->series(run(), "loss");
        QVERIFY(points);
        QCOMPARE(points->size(), std::size_t{10});
        const std::string stream = readFile(folder.metrics()).value_or("");
        // A start that was under way is lost with its driver.
        if (!newDriver) QVERIFY2(stream.find("\"attempt\":3") == std::string::npos, pool.problems.c_str());
        const auto events = restartEvents(folder);
        QCOMPARE(events.size(), std::size_t{2});
        QCOMPARE(QString::fromStdString(events[1].name), QString("lost_ranks_stopped"));
        QVERIFY(lostRunsOn(pool.bench.at.home, "a").empty());
    }

    // Without another node the trial is left alone: what it trains is not thrown away.
    void pausesWhenItsOnlyNodeIsLost() {
        Pool pool({"a"});
        auto runner = pool.open(standingTrial(), {"a"});
        QVERIFY(runner);
        pool.drive({&*runner}, 60, [&] { return pool.running("a").size() == 1; });
        pool.nodes.set("a", "says", kNoRoute);
        pool.nodes.cut("a");
        pool.drive({&*runner}, 60, [&] { return pool.problems.find("Cannot reach a") != std::string::npos; });
        pool.later += 601'000;
        pool.drive({&*runner}, 60);
        QVERIFY2(pool.isDone && pool.problems.find("so the sweep is paused") != std::string::npos,
                 pool.problems.c_str());
        const auto result = loadSweepResult(*pool.bench.store, runner->id());
        QCOMPARE(wordOf(result->trials[0].status), std::string("running"));
        QVERIFY(writeFileAtomically(
            pool.nodes.home("a") / ".local/share/slipway-node/runs" / result->trials[0].run.value / "control" / "go",
            ""));
        pool.nodes.set("a", "says", "");
        const SweepId id = runner->id();
        { const SweepRunner gone = std::move(*runner); }
        auto again = pool.open(standingTrial(), {"a"});
        QVERIFY(again);
        pool.drive({&*again});
        QVERIFY2(isAll(pool.bench.statuses(id), "completed"), pool.problems.c_str());
        QVERIFY(lostAttempts(*pool.bench.at.home.run(result->trials[0].run)).empty());
    }

    // A trial that was lost comes before one that still trains on the only room: the second is followed, and the first waits for it.
    void followsWhatRunsBeforeItPlaces() {
        Pool pool({"a"});
        const SweepFile file = sweepOf({"1 [wait@3]", "2 [wait@3]"});
        auto first = pool.open(file, {"a"}, 2);
        QVERIFY(first);
        pool.drive({&*first}, 60, [&] { return pool.running("a").size() == 2; });
        const auto result = loadSweepResult(*pool.bench.store, first->id());
        const RunId lost = result->trials[0].run, other = result->trials[1].run;
        { const SweepRunner gone = std::move(*first); }
        const auto there = [&](const RunId& run) {
            return RunDir{pool.nodes.home("a") / ".local/share/slipway-node/runs" / run.value};
        };
        const auto id = parseAgentId(readFile(there(lost).agentFolder("a") / "id.json").value_or(""), "id.json");
        QVERIFY(id);
        QCOMPARE(::kill(static_cast<pid_t>(id->pid), SIGKILL), 0);
        auto seen = RunSession::attach(*pool.bench.store, pool.bench.at.home, lost, unixMillisecondsNow(),
                                       pool.bench.at.programs);
        QVERIFY(seen && RunHome::finish(*seen, 60));
        QCOMPARE(seen->status(), RunStatus::Lost);

        auto second = pool.open(file, {"a"}, 1);
        QVERIFY(second);
        const auto follows = [&] {
            const auto running = second->progress(unixMillisecondsNow()).running;
            return running.size() == 1 && running[0].trial == 1;
        };
        pool.drive({&*second}, 20, follows);
        QVERIFY(follows());
        for (const RunId& run : {lost, other}) QVERIFY(writeFileAtomically(there(run).path / "control" / "go", ""));
        pool.drive({&*second}, 60, [&] { return pool.bench.statuses(second->id()).at("2 [wait@3]") == "completed"; });
        QCOMPARE(pool.bench.statuses(second->id()).at("2 [wait@3]"), std::string("completed"));
    }

    // Whoever drove it is gone at any moment: what runs is followed, nothing runs twice.
    void continuesAfterItsDriverWasKilled() {
        Pool pool({"a", "b"});
        const unsigned seed = std::random_device{}();
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        SweepId id;
        for (int kills = 0; kills < 6; ++kills) {
            // The driver is another process: its claims outlive it.
            const pid_t child = ::fork();
            if (child == 0) {
                auto store = RunStore::open(pool.bench.at.home, OpenMode::ReadWrite);
                if (!store) ::_exit(1);
                auto runner =
                    SweepRunner::open(*store, pool.bench.at.home, pool.bench.at.programs, sixTrials(), ClusterSpec{},
                                      {1, false, "test", {}, {}, {"a", "b"}}, unixMillisecondsNow());
                if (!runner) ::_exit(2);
                while (!runner->done()) {
                    (void)runner->tick(unixMillisecondsNow());
                    ::usleep(5000);
                }
                ::_exit(0);
            }
            ::usleep(100'000 + random() % 900'000);
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
        }
        auto runner = pool.open(sixTrials(), {"a", "b"});
        QVERIFY2(runner, runner ? "" : runner.error().text().c_str());
        const auto most = pool.drive({&*runner}, 180);
        QVERIFY(pool.isDone);
        const Statuses statuses = pool.bench.statuses(runner->id());
        QCOMPARE(statuses.size(), std::size_t(6));
        QVERIFY2(isAll(statuses, "completed"), pool.problems.c_str());
        QCOMPARE(pool.bench.numRuns(), 6);
        for (const auto& [node, number] : most) QVERIFY(number <= 1);
    }
};

SLIPWAY_TEST(TstSweepNodes)
#include "tst_sweep_nodes.moc"
