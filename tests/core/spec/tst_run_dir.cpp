#include "core/spec/run_dir.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

class TstRunDir : public QObject {
    Q_OBJECT
private slots:
    void filesOfARun() {
        const RunDir run{"/h/runs/r"};
        QCOMPARE(run.rankStream(12).string(), std::string("/h/runs/r/ranks/rank_00012.jsonl"));
        QCOMPARE(run.rankLog(0).string(), std::string("/h/runs/r/logs/rank_00000.log"));
        QCOMPARE(run.rankError("n1", 12).string(), std::string("/h/runs/r/agent/n1/error_00012.json"));
        QCOMPARE(run.checkpoint(1000).string(), std::string("/h/runs/r/checkpoints/step_00001000"));
        QCOMPARE(run.stopFile().string(), std::string("/h/runs/r/control/stop"));
    }
    void idsCannotLeaveTheFolder() {
        const Home home{"/h"};
        QVERIFY(home.run(RunId("20261121-131500042-ffffffff")));
        QCOMPARE(home.run(RunId("../x")).error().code, std::string("bad_id"));
        QCOMPARE(home.sweep(SweepId("a/b")).error().code, std::string("bad_id"));
    }
    void homeIsFoundInOrder() {
        qputenv("SLIPWAY_HOME", "/from/environment");
        QCOMPARE(Home::resolve("/given").path.string(), std::string("/given"));
        QCOMPARE(Home::resolve().path.string(), std::string("/from/environment"));
        qunsetenv("SLIPWAY_HOME");
        qputenv("XDG_DATA_HOME", "/xdg");
        QCOMPARE(Home::resolve().path.string(), std::string("/xdg/slipway"));
        QCOMPARE(Home::resolve().tokenFile("a.tok").string(), std::string("/xdg/slipway/corpora/a.tok"));
        QCOMPARE(Home::resolve().tokenFile("/b.tok").string(), std::string("/b.tok"));
        QCOMPARE(Home{"/tmp"}.index().string(), std::string("/tmp/index.sqlite"));
    }
    void statusWords() {
        for (const RunStatus status : {RunStatus::Planned, RunStatus::Queued, RunStatus::Running, RunStatus::Completed,
                                       RunStatus::Failed, RunStatus::Cancelled, RunStatus::Lost})
            QCOMPARE(*runStatusFrom(wordOf(status)), status);
        QVERIFY(!runStatusFrom("done"));
        QVERIFY(!isFinal(RunStatus::Running));
        QVERIFY(isFinal(RunStatus::Lost));
    }
};
SLIPWAY_TEST(TstRunDir)
#include "tst_run_dir.moc"
