// What Slurm's programs print: whole, hostile and cut short.
#include "core/base/file.h"
#include "core/launch/slurm_options.h"
#include "core/launch/slurm_script.h"
#include "core/launch/slurm_text.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

using namespace slipway;
using namespace slipway::test;

class TstSlurmText : public QObject {
    Q_OBJECT

private slots:
    void readsSqueue() {
        const SlurmTable table = readSqueue(
            "570|RUNNING|None|slipway-r-a1\n571|PENDING|ReqNodeNotAvail, UnavailableNodes:n1|slipway-r-a2\n\n");
        QVERIFY(table.isWhole);
        QCOMPARE(table.jobs.size(), std::size_t(2));
        QCOMPARE(table.jobs[1].number, std::int64_t(571));
        QCOMPARE(table.jobs[1].phase(), JobPhase::Pending);
        QCOMPARE(table.jobs[1].reason, std::string("ReqNodeNotAvail, UnavailableNodes:n1"));
        QCOMPARE(table.jobs[1].name, std::string("slipway-r-a2"));
    }

    void readsSacct() {
        const SlurmTable table = readSacct(
            "570\x1f"
            "CANCELLED by 0\x1f"
            "None\x1fslipway|r-a1\n");
        QVERIFY(table.isWhole);
        QCOMPARE(table.jobs.front().state, std::string("CANCELLED"));
        QCOMPARE(table.jobs.front().name, std::string("slipway|r-a1"));
    }

    void neverTakesABadAnswerForAWholeOne_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("jobs");
        QTest::newRow("cut") << "570|RUNNING|None|slipway-r-a1\n571|RUNN" << 1;
        QTest::newRow("no end of line") << "570|RUNNING|None|slipway-r-a1" << 0;
        QTest::newRow("words") << "slurm_load_jobs error: nothing\n" << 0;
        QTest::newRow("few fields") << "570|RUNNING|None\n" << 0;
        QTest::newRow("negative") << "-1|RUNNING|None|a\n" << 0;
        QTest::newRow("endless number") << "99999999999999999999|RUNNING|None|a\n" << 0;
        QTest::newRow("array without an index") << "570_|RUNNING|None|a\n" << 0;
        QTest::newRow("no state") << "570||None|a\n" << 0;
        QTest::newRow("long line") << "570|RUNNING|None|" + QString(5000, 'a') + "\n" << 0;
    }
    void neverTakesABadAnswerForAWholeOne() {
        QFETCH(QString, text);
        QFETCH(int, jobs);
        const SlurmTable table = readSqueue(text.toStdString());
        QVERIFY(!table.isWhole);
        QCOMPARE(static_cast<int>(table.jobs.size()), jobs);
    }

    void knowsPhases_data() {
        QTest::addColumn<QString>("state");
        QTest::addColumn<JobPhase>("phase");
        for (const char* state : {"PENDING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT"})
            QTest::newRow(state) << state << JobPhase::Pending;
        for (const char* state : {"RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED"})
            QTest::newRow(state) << state << JobPhase::Running;
        for (const char* state : {"COMPLETED", "CANCELLED", "CANCELLED+", "TIMEOUT", "NODE_FAIL", "BOOT_FAIL"})
            QTest::newRow(state) << state << JobPhase::Ended;
        for (const char* state : {"REVOKED", "EVAPORATED", "complet"})
            QTest::newRow(state) << state << JobPhase::Unknown;
    }
    void knowsPhases() {
        QFETCH(QString, state);
        QFETCH(JobPhase, phase);
        const SlurmTable table = readSqueue("1|" + state.toStdString() + "|None|a\n");
        QCOMPARE(table.jobs.front().phase(), phase);
    }

    void findsTheJobByItsName() {
        // The number was given again: another run's job has the larger one.
        const SlurmTable table = readSqueue(
            "570|COMPLETED|None|mine\n571|RUNNING|None|mine\n572|COMPLETED|None|mine\n573|RUNNING|None|other\n");
        QCOMPARE(newestOf(table, "mine")->number, std::int64_t(571));
        QVERIFY(newestOf(table, "min") == nullptr);
    }

    void readsElementsOfArrays() {
        const SlurmTable table = readSqueue(
            "570_0|RUNNING|None|sweep\n570_[3-5,9,20-26:3%2]|PENDING|JobArrayTaskLimit|sweep\n571|RUNNING|None|other\n");
        QVERIFY(table.isWhole);
        std::string seen;
        for (const SlurmJob& job : table.jobs) seen += job.name + "=" + job.id + " ";
        QCOMPARE(seen, std::string("sweep/0=570_0 sweep/3=570_3 sweep/4=570_4 sweep/5=570_5 sweep/9=570_9 "
                                   "sweep/20=570_20 sweep/23=570_23 sweep/26=570_26 other=571 "));
        QCOMPARE(newestOf(table, "sweep/3")->state, std::string("PENDING"));
        QVERIFY(newestOf(table, "sweep") == nullptr);
        QCOMPARE(arrayOf("sweep/3"), std::string("sweep"));
        for (const char* id :
             {"570_", "570_x", "570_[", "570_[]", "570_[5-", "570_[0-999999999]", "570_[1-5:0]", "_3"}) {
            const SlurmTable bad = readSqueue(std::string(id) + "|PENDING|None|sweep\n");
            QVERIFY2(!bad.isWhole && bad.jobs.empty(), id);
        }
    }

    // All of an array have one name and may have one number: what is done to one of them must not be done to all.
    void anElementIsNamedByItsIndex() {
        const std::string text = [] {
            std::vector<SlurmElement> elements(2);
            for (std::size_t i = 0; i < 2; ++i) {
                LaunchRequest request;
                request.run = RunId("run" + std::to_string(i));
                request.attempt = static_cast<std::int64_t>(i) + 1;
                request.folder = RunDir{"/home/it's/run" + std::to_string(i)};
                request.nodes = {{"node0", 1}};
                elements[i] = {*makeLaunchPlan(RunConfig{}, request), RunConfig{}, request.folder, "/bin/agent"};
            }
            return slurmArrayScript(elements);
        }();
        QVERIFY(text.find("0) run='/home/it'\\''s/run0' attempt=1 ;;\n1) run='/home/it'\\''s/run1' attempt=2 ;;\n") !=
                std::string::npos);
        QVERIFY(text.find("scontrol requeue \"$job\"") != std::string::npos);
        QVERIFY(text.find("--jobs=\"$job\"") != std::string::npos);
    }

    void readsTheNumberOfANewJob() {
        QCOMPARE(jobNumberIn("570\n"), std::optional<std::int64_t>(570));
        QCOMPARE(jobNumberIn("570;cluster\n"), std::optional<std::int64_t>(570));
        QCOMPARE(jobNumberIn("Welcome to the site\n570\n"), std::optional<std::int64_t>(570));
        for (const char* text : {"", "\n", "Submitted batch job 570\n", "0\n", "570x\n", "-5\n"})
            QVERIFY2(!jobNumberIn(text), text);
    }

    void saysWhyAJobWaits() {
        QVERIFY(textOf(pendingText("Resources")).find("no nodes are free") != std::string::npos);
        QVERIFY(textOf(pendingText("ReqNodeNotAvail, UnavailableNodes:n1")).find("not available") != std::string::npos);
        QCOMPARE(textOf(pendingText("None")), std::string("Waiting in Slurm's queue."));
        QVERIFY(textOf(pendingText("AssocGrpGRES")).find("AssocGrpGRES") != std::string::npos);
    }

    void refusesOptionsThatAreNotOnes_data() {
        QTest::addColumn<QString>("queue");
        QTest::addColumn<QString>("sbatch");
        QTest::newRow("injection") << "gpu\n#SBATCH --wrap=x"
                                   << "";
        QTest::newRow("option as a queue") << "--wrap=x"
                                           << "";
        QTest::newRow("no option") << ""
                                   << "qos=high";
        QTest::newRow("short option") << ""
                                      << "-J";
        QTest::newRow("own") << ""
                             << "--job-name=mine";
        QTest::newRow("beginning of an own one") << ""
                                                 << "--job-na=mine";
        QTest::newRow("line break") << ""
                                    << "--qos=a\nb";
    }
    void refusesOptionsThatAreNotOnes() {
        QFETCH(QString, queue);
        QFETCH(QString, sbatch);
        SlurmOptions options;
        options.queue = queue.toStdString();
        if (!sbatch.isEmpty()) options.sbatch = {sbatch.toStdString()};
        const auto checked = checkSlurmOptions(options);
        QVERIFY(!checked);
        QCOMPARE(checked.error().code, std::string("bad_value"));
    }

    void keepsOptionsWithTheRun() {
        const TempDir temp;
        QVERIFY(!*readSlurmOptions(RunDir{temp.path()}));
        SlurmOptions options;
        options.queue = "gpu";
        options.sbatch = {"--qos=high"};
        const auto [name, text] = slurmDocument(options);
        QVERIFY(writeFileAtomically(temp.path() / name, text));
        const auto read = readSlurmOptions(RunDir{temp.path()});
        QVERIFY(read && *read);
        QCOMPARE((*read)->queue, options.queue);
        QCOMPARE((*read)->sbatch, options.sbatch);
    }
};
SLIPWAY_TEST(TstSlurmText)
#include "tst_slurm_text.moc"
