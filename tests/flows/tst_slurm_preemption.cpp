// Preemption and arrays on a real Slurm, slurmctld and two slurmd (tests/support/slurm_cluster): a run saves when a job of a higher
// partition takes its node, and goes on from there; a sweep is one array after another, whatever becomes of its elements and its driver.
#include "core/base/file.h"
#include "core/remote/node_record.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"
#include "tests/support/slurm_cluster.h"
#include "tests/support/slurm_sweep.h"
#include "tests/support/stream_check.h"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

using namespace slipway;
using namespace slipway::test;

namespace {

std::int64_t now() {
    return unixMillisecondsNow();
}

std::string printed(std::vector<std::string> arguments) {
    arguments.front() = programInPath(arguments.front()).string();
    std::string output;
    const std::string problem = command(arguments, &output);
    return problem.empty() ? output : "";
}

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// Slurm holds a job that is queued again back for two minutes.
void release(const std::string& name) {
    for (const std::string& id :
         linesOf(printed({"squeue", "--noheader", "--array", "--states=PENDING", "--name=" + name, "--format=%i %r"})))
        if (id.ends_with(" BeginTime"))
            (void)printed({"scontrol", "update", "JobId=" + id.substr(0, id.find(' ')), "StartTime=now"});
}

}  // namespace

class TstSlurmPreemption : public QObject {
    Q_OBJECT

private:
    std::optional<SlurmCluster> m_cluster;

    /// All nodes for so many seconds, for a job of the partition above.
    void takeNodes(int seconds) const {
        const auto script = m_cluster->temp.path() / "urgent.sh";
        (void)writeFileAtomically(script, "#!/bin/bash\nexec sleep " + std::to_string(seconds) + "\n");
        QVERIFY(!printed({"sbatch", "--parsable", "--partition=urgent", "--job-name=urgent", "--nodes=2", "--exclusive",
                          "--output=/dev/null", script.string()})
                     .empty());
    }
    static bool isOver(const std::string& name) {
        return printed({"squeue", "--noheader", "--states=PENDING,RUNNING,COMPLETING", "--name=" + name, "--format=%i"})
            .empty();
    }

private slots:
    void initTestCase() {
        if (const char* missing = SlurmCluster::isMissing()) QSKIP(missing);
        m_cluster.emplace();
        if (!m_cluster->problem.empty()) QSKIP(("Slurm does not start here: " + m_cluster->problem).c_str());
        QVERIFY(waitUntil(60, SlurmCluster::isIdle));
    }
    void cleanupTestCase() { m_cluster.reset(); }

    // At once: Slurm queues the job again and ends it, with KillWait to save. With a grace time it signals the agents alone, and
    // the script queues its job again.
    void savesAndGoesOn_data() {
        QTest::addColumn<QString>("queue");
        QTest::newRow("at once") << "debug";
        QTest::newRow("with a grace time") << "patient";
    }
    void savesAndGoesOn() {
        QFETCH(QString, queue);
        SlurmLab lab;
        SlurmOptions options;
        options.queue = queue.toStdString();
        constexpr std::int64_t kSteps = 400;
        auto session = lab.launch("ms=20", kSteps, options);
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        QVERIFY(SlurmLab::runs(*session, 5));
        const std::string name = "slipway-" + session->id().value + "-a1";
        takeNodes(5);
        QVERIFY2(SlurmLab::reaches(*session, 60, [&] { return session->status() == RunStatus::Queued; }),
                 (wordOf(session->status()) + ": " + session->reason()).c_str());
        const std::int64_t step = session->lastStep();
        QVERIFY(step < kSteps);
        QVERIFY(SlurmLab::reaches(*session, 60, [] { return isOver("urgent"); }));
        QVERIFY(SlurmLab::reaches(*session, 120, [&] {
            release(name);
            return session->attempt() == 2 && session->lastStep() > step;
        }));
        QVERIFY(RunHome::finish(*session, 120));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QVERIFY(lab.store->attempts(session->id())->back().resumeStep >= step);
        QCOMPARE(streamProblem(*lab.store, session->id(), session->folder().metrics(), kSteps), std::string());
    }

    // Not the rest of the array, and nothing of another's, whatever its number.
    void aStopTakesOneElementOutOfTheQueue() {
        SlurmLab lab;
        auto runner = openSlurmSweep(*lab.store, lab.at, 4, 100'000, "ms=20", 1, false);
        QVERIFY(sweepUntil(*runner, 60, [&] { return !runner->progress(now()).running.empty(); }));
        const auto trials = lab.store->trials(runner->id());
        QVERIFY(trials && trials->size() == 4);
        const auto waiting = [&] {
            return printed({"squeue", "--noheader", "--array", "--states=PENDING", "--format=%K"});
        };
        QVERIFY(waitUntil(30, [&] { return linesOf(waiting()).size() == 3; }));
        auto third = RunSession::attach(*lab.store, lab.at.home, (*trials)[2].run, now(), lab.at.programs);
        QVERIFY(third && third->stop(now()));
        QVERIFY(waitUntil(60, [&] {
            (void)third->poll(now());
            return linesOf(waiting()).size() == 2;
        }));
        const std::vector<std::string> left = linesOf(waiting());
        QVERIFY(std::set<std::string>(left.begin(), left.end()) == (std::set<std::string>{"1", "3"}));
        QVERIFY(RunHome::finish(*third, 120));
        QVERIFY2(third->status() == RunStatus::Cancelled, third->reason().c_str());
        runner->stop(now());
        QVERIFY(sweepUntil(*runner, 120, [&] { return runner->done(); }));
        QVERIFY(waitUntil(60, [&] { return waiting().empty() && SlurmCluster::isIdle(); }));
    }

    void aSweepIsAnArray_data() {
        QTest::addColumn<QString>("login");
        QTest::newRow("here") << "";
        QTest::newRow("through a login node") << "login";
    }
    void aSweepIsAnArray() {
        QFETCH(QString, login);
        constexpr int kTrials = 8, kLimit = 3;
        SlurmLab lab;
        std::optional<FakeNodes> nodes;
        if (!login.isEmpty()) {
            nodes.emplace();
            NodeRecord node;
            node.name = node.host = login.toStdString();
            node.trainer = lab.at.programs.trainer.string();
            QVERIFY(writeNode(lab.at.home, node, false));
        }
        const auto open = [&] {
            return openSlurmSweep(*lab.store, lab.at, kTrials, 150, "ms=20", kLimit, false, login.toStdString());
        };
        std::size_t most = 0;
        std::string name;
        const auto look = [&] {
            const auto rows = linesOf(
                printed({"squeue", "--noheader", "--array", "--states=RUNNING", "--partition=debug", "--format=%j"}));
            if (!rows.empty()) name = rows.front();
            most = std::max(most, rows.size());
            release(name);
            return rows.size();
        };
        auto runner = open();
        QVERIFY2(runner, runner ? "" : runner.error().message.c_str());
        const SweepId id = runner->id();
        QVERIFY(sweepUntil(*runner, 60, [&] { return look() == kLimit; }));
        // Its driver is lost, the controller is killed, an element is queued again, and another job takes the nodes.
        runner = fail("gone", std::string("gone"));
        const auto rows =
            linesOf(printed({"squeue", "--noheader", "--array", "--states=RUNNING", "--name=" + name, "--format=%i"}));
        QVERIFY(!rows.empty());
        (void)printed({"scontrol", "requeue", rows.front()});
        constexpr int kSavedMilliseconds = 8000;
        QTest::qWait(kSavedMilliseconds);  // its memory is written every five seconds
        m_cluster->killController();
        QCOMPARE(m_cluster->run("restart"), std::string());
        runner = open();
        QVERIFY(runner && runner->id() == id);
        QVERIFY(sweepUntil(*runner, 60, [&] { return look() > 0; }));
        takeNodes(3);
        QVERIFY(sweepUntil(*runner, 400, [&] {
            (void)look();
            return runner->done();
        }));
        QCOMPARE(problemOfSweep(*lab.store, id, kTrials), std::string());
        QVERIFY2(most <= kLimit, std::to_string(most).c_str());
        const auto result = loadSweepResult(*lab.store, id);
        for (const TrialResult& trial : result->trials) {
            const auto run = lab.store->run(trial.run);
            QVERIFY(run);
            const std::string problem = streamProblem(*lab.store, trial.run, RunDir{run->folder}.metrics(), 150);
            QVERIFY2(problem.empty(), (trial.name + ": " + problem).c_str());
        }
    }
};
SLIPWAY_TEST(TstSlurmPreemption)
#include "tst_slurm_preemption.moc"
