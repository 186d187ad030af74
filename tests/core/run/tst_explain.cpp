#include "core/run/explain.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

namespace {

AgentExit exitOf(const char* reason, std::int64_t code, const char* detail, std::int64_t ended = 0) {
    AgentExit exit;
    exit.reason = reason;
    exit.code = code;
    exit.detail = detail;
    exit.endedUnixMilliseconds = ended;
    return exit;
}

}  // namespace

class TstExplain : public QObject {
    Q_OBJECT

private slots:
    void oneSentence_data() {
        QTest::addColumn<QString>("reason");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("detail");
        QTest::addColumn<QString>("log");
        QTest::addColumn<int>("step");
        QTest::addColumn<QString>("status");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("completed") << "completed" << 0 << "All ranks completed."
                                   << "" << 9 << "completed"
                                   << "";
        QTest::newRow("stopped") << "stopped" << 14 << "Stopped on request."
                                 << "" << 9 << "cancelled"
                                 << "Stopped on request after step 9.";
        QTest::newRow("killed") << "killed" << 137 << "x"
                                << "" << 0 << "cancelled"
                                << "Ended on request before the first step, without a checkpoint.";
        QTest::newRow("nan") << "rank_failed" << 13 << "Rank 0 ended with exit code 13."
                             << "noise" << 7 << "failed"
                             << "Rank 0 stopped: non-finite loss (exit code 13) after step 7.";
        QTest::newRow("out of memory") << "rank_failed" << 11 << "Rank 2: cannot allocate 3 GiB."
                                       << "" << 1 << "failed"
                                       << "Rank 2: cannot allocate 3 GiB (out of memory) after step 1.";
        QTest::newRow("crash")
            << "rank_killed" << 139 << "Rank 1 was killed by signal 11 (Segmentation fault)."
            << "step 4\nterminate called after x\nbye\n"
            << 4 << "failed"
            << "Rank 1 was killed by signal 11 (Segmentation fault) after step 4; the log says: terminate called after x.";
        QTest::newRow("hang") << "hang" << 12 << "The run hung: no progress for 300 s."
                              << "" << 5 << "failed"
                              << "The run hung: no progress for 300 s after step 5.";
        QTest::newRow("start failed")
            << "start_failed" << 127 << "/x/trainer: The program does not exist."
            << "" << 0 << "failed"
            << "/x/trainer: The program does not exist (program not started) before the first step.";
    }
    void oneSentence() {
        QFETCH(QString, reason);
        QFETCH(int, code);
        QFETCH(QString, detail);
        QFETCH(QString, log);
        QFETCH(int, step);
        const EndVerdict verdict = explainEnd(
            {{exitOf(reason.toUtf8().constData(), code, detail.toUtf8().constData())}, log.toStdString(), step});
        QTEST(QString::fromStdString(wordOf(verdict.status)), "status");
        QTEST(QString::fromStdString(verdict.reason), "sentence");
        QCOMPARE(verdict.code, code);
    }

    void withoutARecordItIsLost() { QCOMPARE(explainEnd({}).status, RunStatus::Lost); }

    // Of several nodes: no communication failure masks another, the earliest counts.
    void findsTheNodeToBlame() {
        std::vector<AgentExit> exits = {exitOf("rank_failed", 12, "peer gone", 5), exitOf("completed", 0, "", 1),
                                        exitOf("rank_killed", 137, "killed", 9),
                                        exitOf("rank_failed", 11, "memory", 12)};
        QCOMPARE(causeOf(exits), std::size_t(2));
        exits.erase(exits.begin() + 2, exits.end());
        QCOMPARE(causeOf(exits), std::size_t(0));
        exits.erase(exits.begin());
        QCOMPARE(explainEnd({exits, "", 0}).status, RunStatus::Completed);
    }

    void picksTheTellingLine_data() {
        QTest::addColumn<QByteArray>("log");
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("empty") << QByteArray("") << QByteArray("");
        QTest::newRow("last") << QByteArray("one\ntwo\n\n") << QByteArray("two");
        QTest::newRow("error") << QByteArray("Error: bad\n  at x\n") << QByteArray("Error: bad");
        QTest::newRow("last error") << QByteArray("error 1\nerror 2\n") << QByteArray("error 2");
        QTest::newRow("terminal escapes") << QByteArray("\x1b[31mred\x1b[0m \x07ring\n") << QByteArray("red ring");
        QTest::newRow("our own mark") << QByteArray("x\n--- attempt 2 ---\n") << QByteArray("x");
        QTest::newRow("too long") << QByteArray(400, 'a') << QByteArray(200, 'a') + "…";
        QTest::newRow("not inside a character") << QByteArray(199, 'a') + "한국" << QByteArray(199, 'a') + "…";
    }
    void picksTheTellingLine() {
        QFETCH(QByteArray, log);
        QTEST(QByteArray::fromStdString(tellingLine(log.toStdString())), "line");
    }
};

SLIPWAY_TEST(TstExplain)
#include "tst_explain.moc"
