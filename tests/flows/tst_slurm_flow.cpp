// Runs as jobs of Slurm, whose programs are acted by tests/support/fake_slurm: real scripts, agents and files. The same on the real
// slurmctld is tst_slurm_cluster.cpp.
#include "core/base/file.h"
#include "core/process/process.h"
#include "core/remote/node_record.h"
#include "core/run/run_session.h"
#include "core/store/run_store.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/fake_slurm.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <signal.h>

#include <cstdlib>
#include <sstream>

using namespace slipway;
using namespace slipway::test;

namespace {

std::int64_t now() {
    return unixMillisecondsNow();
}

struct Lab {
    FakeSlurm slurm;
    RunHome at;
    Result<RunStore> store = RunStore::open(at.home, OpenMode::ReadWrite);

    Result<RunSession> launch(const std::string& script, std::int64_t steps = 20, SlurmOptions options = {},
                              std::int64_t dp = 1) {
        RunRequest request;
        request.config = tinyConfig("tiny [" + script + "]", steps, dp);
        request.config.checkpoint.everySteps = 1000;
        request.slurm = std::move(options);
        auto session = RunSession::create(*store, at.home, request, now(), at.programs);
        if (!session) return session;
        if (const auto begun = session->launch(now()); !begun) return fail(begun.error());
        return session;
    }
    static bool reaches(RunSession& session, double seconds, auto what) {
        return waitUntil(seconds, [&] {
            (void)session.poll(now());
            return what();
        });
    }
    static bool runs(RunSession& session, std::int64_t step = 3) {
        return reaches(session, 60,
                       [&] { return session.status() == RunStatus::Running && session.lastStep() >= step; });
    }
    /// As Slurm does before the time limit: the batch script alone.
    void warn(int number) const {
        const int pid = std::atoi(readFile(slurm.job(number) / "pid").value_or("0").c_str());
        QVERIFY(pid > 1);
        ::kill(pid, SIGUSR1);
    }
};

/// The cluster behind a login node, with a home of its own.
struct RemoteLab : Lab {
    FakeNodes nodes;

    RemoteLab() {
        NodeRecord node;
        node.name = node.host = "login";
        node.trainer = at.programs.trainer.string();
        (void)writeNode(at.home, node, false);
        at.programs.trainer.clear();  // none is needed here
    }
    [[nodiscard]] static SlurmOptions options() {
        SlurmOptions options;
        options.login = "login";
        return options;
    }
    [[nodiscard]] std::filesystem::path folderThere(const RunSession& session) const {
        return nodes.home("login") / ".local/share/slipway-node/runs" / session.id().value;
    }
};

/// Every step once, whatever the number of attempts.
std::vector<std::int64_t> stepsOf(const RunSession& session) {
    std::vector<std::int64_t> steps;
    std::istringstream lines(readFile(session.folder().metrics()).value_or(""));
    for (std::string line; std::getline(lines, line);)
        if (const auto at = line.find("\"step\":");
            at != std::string::npos && line.find("\"loss\"") != std::string::npos)
            steps.push_back(std::stoll(line.substr(at + 7)));
    return steps;
}

}  // namespace

class TstSlurmFlow : public QObject {
    Q_OBJECT

private slots:
    void runsAJobToItsEnd_data() {
        QTest::addColumn<int>("nodes");
        QTest::newRow("one node") << 1;
        QTest::newRow("two nodes") << 2;
    }
    void runsAJobToItsEnd() {
        QFETCH(int, nodes);
        Lab lab;
        SlurmOptions options;
        options.devicesPerNode = 1;
        options.queue = "gpu";
        options.timeLimit = "8:00:00";
        options.sbatch = {"--qos=high"};
        auto session = lab.launch("ms=2", 20, options, nodes);
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        QVERIFY(RunHome::finish(*session, 60));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QCOMPARE(session->lastStep(), std::int64_t(20));
        const std::string arguments = lab.slurm.text("sbatch.arguments");
        for (const std::string& word :
             {std::string("--qos=high\n"), std::string("--partition=gpu\n"), std::string("--time=8:00:00\n"),
              "--nodes=" + std::to_string(nodes) + "\n", "--job-name=slipway-" + session->id().value + "-a1\n"})
            QVERIFY2(arguments.find(word) != std::string::npos, word.c_str());
        if (nodes == 2) QVERIFY(readFile(session->folder().rankLog(1))->find("rank 1 of 2") != std::string::npos);
    }

    void tellsWhyAJobWaits() {
        Lab lab;
        lab.slurm.set("hold");
        auto session = lab.launch("ms=2");
        const std::string words = "Waiting in Slurm's queue: other jobs have priority.";
        QVERIFY(Lab::reaches(*session, 60, [&] { return session->reason() == words; }));
        QCOMPARE(session->status(), RunStatus::Queued);
        QCOMPARE(lab.store->run(session->id())->reason, session->reason());
        // A stop takes it out of the queue.
        QVERIFY(session->stop(now()));
        QVERIFY(RunHome::finish(*session, 60));
        QCOMPARE(session->status(), RunStatus::Cancelled);
        QCOMPARE(session->reason(), std::string("The job was cancelled in Slurm."));
    }

    void stopsWithACheckpoint() {
        Lab lab;
        auto session = lab.launch("ms=20", 100000);
        QVERIFY(Lab::runs(*session));
        QVERIFY(session->stop(now()));
        QVERIFY(RunHome::finish(*session, 60));
        QCOMPARE(session->status(), RunStatus::Cancelled);
        QVERIFY(std::filesystem::exists(session->folder().checkpoint(session->lastStep()) / "manifest.json"));
        // And goes on as a second attempt, in a job of its own.
        QVERIFY2(session->resume(now()), session->reason().c_str());
        QVERIFY(Lab::runs(*session, session->lastStep() + 3));
        QCOMPARE(session->attempt(), std::int64_t(2));
        QVERIFY(lab.slurm.text("sbatch.arguments").find("-a2\n") != std::string::npos);
        QVERIFY(session->kill(now()));
        QVERIFY(RunHome::finish(*session, 60));
    }

    void chainsJobsAtTheTimeLimit() {
        Lab lab;
        auto session = lab.launch("ms=20", 100);
        QVERIFY(Lab::runs(*session, 10));
        lab.warn(570);
        QVERIFY(RunHome::finish(*session, 60));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QCOMPARE(session->attempt(), std::int64_t(2));
        QCOMPARE(lab.store->run(session->id())->attempts, std::int64_t(2));
        // It began where the first attempt had stopped: every step once.
        std::vector<std::int64_t> wanted(100);
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<std::int64_t>(i) + 1;
        QCOMPARE(stepsOf(*session), wanted);
    }

    void isWaitingBetweenTwoJobs() {
        Lab lab;
        auto session = lab.launch("ms=20", 100);
        QVERIFY(Lab::runs(*session, 5));
        lab.slurm.set("hold");
        lab.warn(570);
        QVERIFY(Lab::reaches(*session, 60, [&] { return session->status() == RunStatus::Queued; }));
        // Whoever comes now finds it waiting as well, and no end.
        auto other = RunSession::attach(*lab.store, lab.at.home, session->id(), now(), lab.at.programs);
        QVERIFY(Lab::reaches(*other, 60, [&] { return !other->reason().empty(); }));
        QCOMPARE(other->status(), RunStatus::Queued);
        QVERIFY(session->stop(now()));
        QVERIFY(RunHome::finish(*session, 60));
        QCOMPARE(session->status(), RunStatus::Cancelled);
    }

    void saysWhatSlurmDid_data() {
        QTest::addColumn<QString>("state");
        QTest::addColumn<QString>("words");
        QTest::newRow("time limit") << "TIMEOUT"
                                    << "the job reached Slurm's time limit";
        QTest::newRow("preempted") << "PREEMPTED"
                                   << "Slurm preempted the job";
        QTest::newRow("node") << "NODE_FAIL"
                              << "Slurm reported that the node failed";
        QTest::newRow("boot") << "BOOT_FAIL"
                              << "Slurm reported that the node failed";
        QTest::newRow("memory") << "OUT_OF_MEMORY"
                                << "memory";
    }
    void saysWhatSlurmDid() {
        QFETCH(QString, state);
        QFETCH(QString, words);
        Lab lab;
        auto session = lab.launch("ms=20", 100000);
        QVERIFY(Lab::runs(*session));
        // Everything of the job dies at once.
        const auto id = parseAgentId(*readFile(session->folder().agentFolder("node0") / "id.json"), "id.json");
        lab.slurm.setState(570, state.toStdString());
        ::kill(static_cast<pid_t>(id->pid), SIGKILL);
        QVERIFY(RunHome::finish(*session, 60));
        QCOMPARE(session->status(), RunStatus::Failed);
        QVERIFY2(session->reason().find(words.toStdString()) != std::string::npos, session->reason().c_str());
    }

    void asksSacctForJobsThatSqueueForgot_data() {
        QTest::addColumn<bool>("accounting");
        QTest::newRow("accounting") << true;
        QTest::newRow("none") << false;
    }
    void asksSacctForJobsThatSqueueForgot() {
        QFETCH(bool, accounting);
        Lab lab;
        lab.slurm.set("forget");
        if (accounting) lab.slurm.set("accounting");
        auto session = lab.launch("ms=20", 100000);
        QVERIFY(Lab::runs(*session));
        const auto id = parseAgentId(*readFile(session->folder().agentFolder("node0") / "id.json"), "id.json");
        lab.slurm.setState(570, "TIMEOUT");
        ::kill(static_cast<pid_t>(id->pid), SIGKILL);
        QVERIFY(RunHome::finish(*session, 60));
        QCOMPARE(session->status(), RunStatus::Failed);
        const char* words = accounting ? "the job reached Slurm's time limit" : "Slurm no longer knows the job";
        QVERIFY2(session->reason().find(words) != std::string::npos, session->reason().c_str());
        QVERIFY2(session->reason().find("after step") != std::string::npos, session->reason().c_str());
    }

    void aControllerThatIsDownEndsNothing() {
        Lab lab;
        auto session = lab.launch("ms=20", 200);
        QVERIFY(Lab::runs(*session));
        lab.slurm.set("down");
        // The run ends meanwhile: its files tell.
        QVERIFY(RunHome::finish(*session, 60));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
    }

    void aVanishedAgentWaitsForTheController() {
        Lab lab;
        auto session = lab.launch("ms=20", 100000);
        QVERIFY(Lab::runs(*session));
        lab.slurm.set("down");
        const auto id = parseAgentId(*readFile(session->folder().agentFolder("node0") / "id.json"), "id.json");
        ::kill(static_cast<pid_t>(id->pid), SIGKILL);
        QVERIFY(Lab::reaches(*session, 60, [&] {
            return session->reason().find("Slurm's controller cannot be reached since") != std::string::npos;
        }));
        QCOMPARE(session->status(), RunStatus::Running);
        lab.slurm.clear("down");
        QVERIFY(RunHome::finish(*session, 60));
        QCOMPARE(session->status(), RunStatus::Failed);
    }

    void submitsOnceWhenTheAnswerIsLost() {
        Lab lab;
        lab.slurm.set("lose");
        auto session = lab.launch("ms=2");
        QVERIFY(RunHome::finish(*session, 60));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QCOMPARE(lab.slurm.text("number"), std::string("570\n"));
    }

    void tellsWhatSbatchRefused() {
        Lab lab;
        lab.slurm.set("refuse", "Invalid account or account/partition combination specified");
        auto session = lab.launch("ms=2");
        QVERIFY(RunHome::finish(*session, 60));
        QCOMPARE(session->status(), RunStatus::Failed);
        QVERIFY2(session->reason().find("Invalid account") != std::string::npos, session->reason().c_str());
        QVERIFY2(session->reason().find("--slurm") == std::string::npos, session->reason().c_str());
    }

    // Slurm's packages are installed, but this computer belongs to no cluster: known at once.
    void tellsThatThereIsNoCluster() {
        Lab lab;
        lab.slurm.set("bare");
        auto session = lab.launch("ms=2");
        QVERIFY(RunHome::finish(*session, 30));
        QCOMPARE(session->status(), RunStatus::Failed);
        QVERIFY2(session->reason().find("find no cluster here") != std::string::npos, session->reason().c_str());
        QVERIFY2(session->reason().find("--login") != std::string::npos, session->reason().c_str());
    }

    void isNotMistakenForTheNextJobOfItsNumber() {
        Lab lab;
        auto session = lab.launch("ms=20", 100000);
        QVERIFY(Lab::runs(*session));
        // The controller was reset: it has forgotten the job, and gives 570 to somebody else's.
        (void)writeFileAtomically(lab.slurm.job(570) / "name", "somebody-else\n");
        lab.slurm.setState(570, "CANCELLED");
        for (int i = 0; i < 40; ++i) {
            (void)session->poll(now());
            QTest::qWait(100);
        }
        QCOMPARE(session->status(), RunStatus::Running);
        QVERIFY(session->kill(now()));
        QVERIFY(RunHome::finish(*session, 60));
        QCOMPARE(session->status(), RunStatus::Cancelled);
        QCOMPARE(readFile(lab.slurm.job(570) / "state").value_or(""), std::string("CANCELLED\n"));
    }

    void runsThroughALoginNode_data() {
        QTest::addColumn<int>("nodes");
        QTest::newRow("one node") << 1;
        QTest::newRow("two nodes") << 2;
    }
    void runsThroughALoginNode() {
        QFETCH(int, nodes);
        RemoteLab lab;
        SlurmOptions options = RemoteLab::options();
        options.devicesPerNode = 1;
        auto session = lab.launch("ms=5", 20, options, nodes);
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        QVERIFY(RunHome::finish(*session, 120));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QCOMPARE(session->lastStep(), std::int64_t(20));
        const auto here = readFile(session->folder().metrics()),
                   there = readFile(lab.folderThere(*session) / "metrics.jsonl");
        QVERIFY(here && there && *here == *there);
        QCOMPARE(std::filesystem::exists(session->folder().rankLog(1)), nodes == 2);
    }

    void chainsJobsBehindALoginNode() {
        RemoteLab lab;
        auto session = lab.launch("ms=20", 150, RemoteLab::options());
        QVERIFY(Lab::runs(*session, 10));
        lab.warn(570);
        QVERIFY(RunHome::finish(*session, 120));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QCOMPARE(session->attempt(), std::int64_t(2));
        std::vector<std::int64_t> wanted(150);
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<std::int64_t>(i) + 1;
        QCOMPARE(stepsOf(*session), wanted);
    }

    void aLoginNodeOutOfReachEndsNothing() {
        RemoteLab lab;
        auto session = lab.launch("ms=20", 400, RemoteLab::options());
        QVERIFY(Lab::runs(*session, 10));
        lab.nodes.cut("login");
        QVERIFY(Lab::runs(*session, session->lastStep() + 20));
        QVERIFY(session->stop(now()));
        QVERIFY(RunHome::finish(*session, 120));
        QVERIFY2(session->status() == RunStatus::Cancelled, session->reason().c_str());
        QVERIFY(std::filesystem::exists(lab.folderThere(*session) / "checkpoints"));
    }

    void aJobThatIsStartedTwiceRunsOnce() {
        Lab lab;
        auto session = lab.launch("ms=2");
        QVERIFY(RunHome::finish(*session, 60));
        const std::string before = *readFile(session->folder().metrics());
        ProcessSpec again;
        again.arguments = {"/bin/bash", (session->folder().path / "control" / "job.sbatch").string()};
        again.captureOutput = true;
        auto process = Process::start(again);
        QVERIFY(process && process->wait(60));
        QCOMPARE(process->poll()->code, 0);
        QCOMPARE(*readFile(session->folder().metrics()), before);
    }
};
SLIPWAY_TEST(TstSlurmFlow)
#include "tst_slurm_flow.moc"
