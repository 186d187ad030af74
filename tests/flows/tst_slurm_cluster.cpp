// Runs as jobs of a real Slurm: slurmctld and two slurmd on this computer (tests/support/slurm_cluster).
#include "core/base/file.h"
#include "core/process/free_port.h"
#include "core/process/process.h"
#include "core/remote/slurm_command.h"
#include "core/run/run_session.h"
#include "core/store/run_store.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

using namespace slipway;
using namespace slipway::test;

namespace {

std::int64_t now() {
    return unixMillisecondsNow();
}

/// "" when it ended well, else what it printed.
std::string command(const std::vector<std::string>& arguments, std::string* output = nullptr) {
    ProcessSpec spec;
    spec.arguments = arguments;
    spec.captureOutput = true;
    auto process = Process::start(spec);
    if (!process) return process.error().message;
    const auto& exit = process->wait(60);
    if (output != nullptr) *output = process->output();
    if (exit && exit->ok()) return {};
    return process->errorOutput() + (exit ? exit->text() : " no end");
}

struct Cluster {
    TempDir temp;
    std::string port = std::to_string(*freePort("127.0.0.1"));
    std::string problem;

    Cluster() {
        ::setenv("SLURM_CONF", (temp.path() / "slurm.conf").c_str(), 1);
        problem = run("start");
    }
    ~Cluster() { (void)run("stop"); }
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    [[nodiscard]] std::string run(const std::string& what) const {
        // Its daemons keep whatever output it has.
        ProcessSpec spec;
        spec.arguments = {SLIPWAY_SOURCE_DIR "/tests/support/slurm_cluster", what, temp.path().string(), port};
        spec.output = temp.path() / "cluster.log";
        auto process = Process::start(spec);
        if (!process) return process.error().message;
        const auto& exit = process->wait(60);
        return exit && exit->ok() ? "" : readFile(temp.path() / "cluster.log").value_or("no log");
    }
    void killController() const {
        const int pid = std::atoi(readFile(temp.path() / "slurmctld.pid").value_or("0").c_str());
        if (pid > 1) ::kill(pid, SIGKILL);
    }
};

struct Lab {
    RunHome at;
    Result<RunStore> store = RunStore::open(at.home, OpenMode::ReadWrite);

    Result<RunSession> launch(const std::string& script, std::int64_t steps, SlurmOptions options = {},
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
    static bool runs(RunSession& session, std::int64_t step) {
        return reaches(session, 120,
                       [&] { return session.status() == RunStatus::Running && session.lastStep() >= step; });
    }
};

}  // namespace

class TstSlurmCluster : public QObject {
    Q_OBJECT

private:
    std::optional<Cluster> m_cluster;

private slots:
    void initTestCase() {
        if (::geteuid() != 0) QSKIP("Slurm's daemons are started as root here");
        if (::access("/usr/sbin/slurmctld", X_OK) != 0 || programInPath("sbatch").empty())
            QSKIP("Slurm is not installed (slurm-wlm)");
        m_cluster.emplace();
        if (!m_cluster->problem.empty()) QSKIP(("Slurm does not start here: " + m_cluster->problem).c_str());
        QVERIFY(waitUntil(60, [] {
            std::string nodes;
            return command({programInPath("sinfo").string(), "--noheader", "--format=%T %D"}, &nodes).empty() &&
                   nodes == "idle 2\n";
        }));
    }
    void cleanupTestCase() { m_cluster.reset(); }

    void runsOnTwoNodes() {
        Lab lab;
        SlurmOptions options;
        options.devicesPerNode = 1;
        auto session = lab.launch("ms=5", 50, options, 2);
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        QVERIFY(RunHome::finish(*session, 120));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QVERIFY(readFile(session->folder().rankLog(1))->find("rank 1 of 2") != std::string::npos);
    }

    void aKilledControllerEndsNothing() {
        Lab lab;
        auto session = lab.launch("ms=20", 1000);
        QVERIFY(Lab::runs(*session, 5));
        // It writes its memory down every five seconds; a job that is younger is killed with its loss.
        constexpr int kSavedMilliseconds = 8000;
        QTest::qWait(kSavedMilliseconds);
        m_cluster->killController();
        QVERIFY(Lab::runs(*session, session->lastStep() + 20));
        QCOMPARE(m_cluster->run("restart"), std::string());
        QVERIFY(RunHome::finish(*session, 120));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QCOMPARE(session->attempt(), std::int64_t(1));
        QCOMPARE(session->lastStep(), std::int64_t(1000));
    }

    void continuesAfterTheTimeLimit() {
        Lab lab;
        SlurmOptions options;
        options.timeLimit = "2";
        options.warningSeconds = 110;
        auto session = lab.launch("ms=50", 1000000, options);
        // Its first points may come while squeue still lists it as waiting: queued is not yet queued again.
        QVERIFY(Lab::runs(*session, 1));
        QVERIFY(Lab::reaches(*session, 150, [&] { return session->status() == RunStatus::Queued; }));
        const std::int64_t step = session->lastStep();
        // Slurm holds a job that is queued again back for two minutes.
        std::string number;
        QCOMPARE(command({programInPath("squeue").string(), "--noheader", "--format=%i",
                          "--name=slipway-" + session->id().value + "-a1"},
                         &number),
                 std::string());
        QVERIFY(number.find('\n') != std::string::npos);
        number.resize(number.find('\n'));
        QVERIFY(waitUntil(60, [&] {
            return command({programInPath("scontrol").string(), "update", "JobId=" + number, "StartTime=now"}).empty();
        }));
        QVERIFY(Lab::runs(*session, step + 5));
        QCOMPARE(session->attempt(), std::int64_t(2));
        const std::int64_t resumed = lab.store->attempts(session->id())->back().resumeStep;
        QVERIFY(resumed >= step);
        QVERIFY(readFile(session->folder().rankLog(0))->find("starts at step " + std::to_string(resumed)) !=
                std::string::npos);
        QVERIFY(session->kill(now()));
        QVERIFY(RunHome::finish(*session, 120));
        QCOMPARE(session->status(), RunStatus::Cancelled);
    }

    void isNotMistakenForTheNextJobOfItsNumber() {
        Lab lab;
        auto first = lab.launch("ms=20", 100000);
        QVERIFY(Lab::runs(*first, 3));
        // A controller without its memory gives the same numbers again.
        m_cluster->killController();
        std::filesystem::remove_all(m_cluster->temp.path() / "state");
        std::filesystem::create_directories(m_cluster->temp.path() / "state");
        QCOMPARE(m_cluster->run("restart"), std::string());
        auto second = lab.launch("ms=20", 50);
        QVERIFY(RunHome::finish(*second, 120));
        QVERIFY2(second->status() == RunStatus::Completed, second->reason().c_str());
        // Whatever became of the first, the second one's end is not its own.
        (void)first->poll(now());
        QVERIFY(first->status() != RunStatus::Completed);
        QVERIFY(first->kill(now()));
        QVERIFY(RunHome::finish(*first, 120));
        QVERIFY2(first->status() == RunStatus::Cancelled || first->status() == RunStatus::Failed,
                 first->reason().c_str());
    }
};
SLIPWAY_TEST(TstSlurmCluster)
#include "tst_slurm_cluster.moc"
