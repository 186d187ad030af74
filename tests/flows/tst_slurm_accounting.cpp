// Ends that only the accounting of a real Slurm still knows: slurmdbd with a database of its own, and a controller that forgets jobs within
// seconds (tests/support/slurm_cluster).
#include "tests/support/slipway_test.h"
#include "tests/support/slurm_cluster.h"

#include <optional>

using namespace slipway;
using namespace slipway::test;

class TstSlurmAccounting : public QObject {
    Q_OBJECT

private:
    std::optional<SlurmCluster> m_cluster;

    /// What squeue still lists of the run's job.
    static std::string listed(const RunId& id) {
        std::string lines = "?";
        (void)command({programInPath("squeue").string(), "--noheader", "--states=all", "--format=%i",
                       "--name=slipway-" + id.value + "-a1"},
                      &lines);
        return lines;
    }

private slots:
    void initTestCase() {
        if (const char* missing = SlurmCluster::isAccountingMissing()) QSKIP(missing);
        m_cluster.emplace(true);
        if (!m_cluster->problem.empty()) QSKIP(("Slurm does not start here: " + m_cluster->problem).c_str());
        QVERIFY(waitUntil(60, SlurmCluster::isIdle));
    }
    void cleanupTestCase() { m_cluster.reset(); }

    // Somebody cancels the job while nobody follows the run; when it is looked at again, only sacct knows.
    void aJobThatWasCancelledMeanwhile_data() {
        QTest::addColumn<QString>("option");
        QTest::newRow("while it ran") << "";
        QTest::newRow("before its time to begin") << "--begin=now+1hour";
    }
    void aJobThatWasCancelledMeanwhile() {
        QFETCH(QString, option);
        SlurmLab lab;
        SlurmOptions options;
        if (!option.isEmpty()) options.sbatch = {option.toStdString()};
        auto session = lab.launch("ms=20", 1'000'000, options);
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        const RunId id = session->id();
        const auto isSubmitted = [&] { return session->status() == RunStatus::Queued && !session->reason().empty(); };
        const auto isThere = [&] { return option.isEmpty() ? session->lastStep() > 3 : isSubmitted(); };
        QVERIFY2(SlurmLab::reaches(*session, 120, isThere), session->reason().c_str());
        session = fail("gone", std::string("gone"));
        QCOMPARE(command({programInPath("scancel").string(), "--name=slipway-" + id.value + "-a1"}), std::string());
        QVERIFY(waitUntil(120, [&] { return listed(id).empty(); }));
        auto again = RunSession::attach(*lab.store, lab.at.home, id, unixMillisecondsNow(), lab.at.programs);
        QVERIFY(again);
        QVERIFY(RunHome::finish(*again, 120));
        QVERIFY2(again->status() == RunStatus::Cancelled, (wordOf(again->status()) + ": " + again->reason()).c_str());
    }

    void aRunThatEndedMeanwhileIsCompleted() {
        SlurmLab lab;
        auto session = lab.launch("ms=5", 40);
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        const RunId id = session->id();
        QVERIFY(SlurmLab::runs(*session, 1));
        session = fail("gone", std::string("gone"));
        QVERIFY(waitUntil(120, [&] { return listed(id).empty(); }));
        auto again = RunSession::attach(*lab.store, lab.at.home, id, unixMillisecondsNow(), lab.at.programs);
        QVERIFY(again);
        QVERIFY(RunHome::finish(*again, 120));
        QVERIFY2(again->status() == RunStatus::Completed, again->reason().c_str());
        QCOMPARE(again->lastStep(), std::int64_t(40));
    }
};

SLIPWAY_TEST(TstSlurmAccounting)
#include "tst_slurm_accounting.moc"
