// Runs as jobs of a real Slurm: slurmctld and two slurmd on this computer (tests/support/slurm_cluster).
#include "core/base/file.h"
#include "tests/support/slipway_test.h"
#include "tests/support/slurm_cluster.h"

#include <optional>

using namespace slipway;
using namespace slipway::test;

namespace {

std::int64_t now() {
    return unixMillisecondsNow();
}

}  // namespace

class TstSlurmCluster : public QObject {
    Q_OBJECT

private:
    std::optional<SlurmCluster> m_cluster;

private slots:
    void initTestCase() {
        if (const char* missing = SlurmCluster::isMissing()) QSKIP(missing);
        m_cluster.emplace();
        if (!m_cluster->problem.empty()) QSKIP(("Slurm does not start here: " + m_cluster->problem).c_str());
        QVERIFY(waitUntil(60, SlurmCluster::isIdle));
    }
    void cleanupTestCase() { m_cluster.reset(); }

    void runsOnTwoNodes() {
        SlurmLab lab;
        SlurmOptions options;
        options.devicesPerNode = 1;
        auto session = lab.launch("ms=5", 50, options, 2);
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        QVERIFY(RunHome::finish(*session, 120));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QVERIFY(readFile(session->folder().rankLog(1))->find("rank 1 of 2") != std::string::npos);
    }

    void aKilledControllerEndsNothing() {
        SlurmLab lab;
        auto session = lab.launch("ms=20", 1000);
        QVERIFY(SlurmLab::runs(*session, 5));
        // It writes its memory down every five seconds; a job that is younger is killed with its loss.
        constexpr int kSavedMilliseconds = 8000;
        QTest::qWait(kSavedMilliseconds);
        m_cluster->killController();
        QVERIFY(SlurmLab::runs(*session, session->lastStep() + 20));
        QCOMPARE(m_cluster->run("restart"), std::string());
        QVERIFY(RunHome::finish(*session, 120));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QCOMPARE(session->attempt(), std::int64_t(1));
        QCOMPARE(session->lastStep(), std::int64_t(1000));
    }

    void continuesAfterTheTimeLimit() {
        SlurmLab lab;
        SlurmOptions options;
        options.timeLimit = "2";
        options.warningSeconds = 110;
        auto session = lab.launch("ms=50", 1000000, options);
        // Its first points may come while squeue still lists it as waiting: queued is not yet queued again.
        QVERIFY(SlurmLab::runs(*session, 1));
        QVERIFY(SlurmLab::reaches(*session, 150, [&] { return session->status() == RunStatus::Queued; }));
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
        QVERIFY(SlurmLab::runs(*session, step + 5));
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
        SlurmLab lab;
        auto first = lab.launch("ms=20", 100000);
        QVERIFY(SlurmLab::runs(*first, 3));
        m_cluster->killController();
        m_cluster->forget();
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
