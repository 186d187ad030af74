// The first step of a batch job: who may start the attempt, and what a job that was queued again does.
#include "app/agent/begin_job.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/spec/agent_files.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;

namespace {

struct Prepared {
    TempDir temp;
    RunDir folder{temp.path()};

    Prepared() {
        LaunchPlan plan;
        plan.runId = "run1";
        plan.attempt = 2;
        plan.nodes = {{"node0", {{0, 0, {"/trainer", "--config", "c"}, {"RANK=0", "SLIPWAY_ATTEMPT=2"}, {}}}}};
        (void)writeJsonFile(folder.launch(), toJson(plan));
    }
    [[nodiscard]] std::string begin(std::int64_t restarts, std::int64_t attempt = 2) const {
        const auto begun = beginJob(folder, {attempt, restarts});
        return begun ? std::to_string(*begun) : begun.error().code;
    }
    [[nodiscard]] LaunchPlan plan() const { return *parseLaunchPlan(*readFile(folder.launch()), "launch.json"); }
};

}  // namespace

class TstBeginJob : public QObject {
    Q_OBJECT

private slots:
    void takesEachStartOnce() {
        const Prepared at;
        QCOMPARE(at.begin(0), std::string("2"));
        QCOMPARE(at.begin(0), std::string("already_started"));
        QCOMPARE(at.plan().attempt, std::int64_t(2));
    }

    // A controller that was killed does not know that the job has ended, and starts it again.
    void doesNotRunACompletedRunAgain() {
        const Prepared at;
        QCOMPARE(at.begin(0), std::string("2"));
        AgentExit exit;
        exit.attempt = 2;
        exit.reason = "completed";
        for (const NodePlan& node : at.plan().nodes) {
            exit.node = node.node;
            QVERIFY(makeFolders(at.folder.agentFolder(node.node)));
            QVERIFY(writeJsonFile(at.folder.agentFolder(node.node) / "exit.json", toJson(exit)));
        }
        QCOMPARE(at.begin(1), std::string("already_started"));
        QCOMPARE(at.plan().attempt, std::int64_t(2));
    }

    void makesTheNextAttempt() {
        const Prepared at;
        QCOMPARE(at.begin(0), std::string("2"));
        QCOMPARE(at.begin(1), std::string("3"));
        QCOMPARE(at.begin(1), std::string("already_started"));
        const RankCommand rank = at.plan().nodes.front().ranks.front();
        QCOMPARE(rank.arguments, (std::vector<std::string>{"/trainer", "--config", "c", "--resume", "latest"}));
        QCOMPARE(rank.environment, (std::vector<std::string>{"RANK=0", "SLIPWAY_ATTEMPT=3"}));
        QCOMPARE(at.begin(2), std::string("4"));
        QCOMPARE(at.plan().nodes.front().ranks.front().arguments.size(), std::size_t(5));
    }

    void aPersonsStopHolds() {
        const Prepared at;
        std::filesystem::create_directories(at.folder.stopFile().parent_path());
        (void)writeFileAtomically(at.folder.stopFile(), "attempt 2\n");
        QCOMPARE(at.begin(0), std::string("stop_requested"));
        // The script's own request before the time limit has done its work.
        (void)writeFileAtomically(at.folder.stopFile(), "time limit\n");
        QCOMPARE(at.begin(1), std::string("3"));
        QVERIFY(!std::filesystem::exists(at.folder.stopFile()));
        (void)writeFileAtomically(at.folder.killFile(), "attempt 3\n");
        QCOMPARE(at.begin(2), std::string("stop_requested"));
    }

    void leavesTheRunOfALaterAttemptAlone() {
        const Prepared at;
        QCOMPARE(at.begin(0, 1), std::string("wrong_attempt"));
        QCOMPARE(at.begin(0, 3), std::string("wrong_attempt"));
        QCOMPARE(at.begin(0), std::string("2"));
    }

    void readsItsArgument_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("good");
        QTest::newRow("usual") << "2.13" << true;
        for (const char* text : {"", "2", "2.", ".1", "0.1", "-1.0", "2.-1", "2.1x", "2.1.0", "99999999999999999999.0"})
            QTest::newRow(text) << text << false;
    }
    void readsItsArgument() {
        QFETCH(QString, text);
        QTEST(parseJobStart(text.toStdString()).has_value(), "good");
    }
};

SLIPWAY_TEST(TstBeginJob)
#include "tst_begin_job.moc"
