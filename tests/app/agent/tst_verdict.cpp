// Cases in the notation of the problem: "r0:12!@5 r1:s9" is rank 0 ended with code 12 and wrote an error file at time
// 5, rank 1 was killed by signal 9. A leading '*' marks an end that the agent caused.
#include "app/agent/verdict.h"
#include "tests/support/slipway_test.h"

#include <QStringList>

using namespace slipway;

namespace {

VerdictInput inputFrom(const QString& text) {
    VerdictInput input;
    std::int64_t order = 100;
    for (QString word : text.split(' ', Qt::SkipEmptyParts)) {
        RankState rank;
        rank.endedByAgent = word.startsWith('*');
        if (rank.endedByAgent) word.remove(0, 1);
        rank.rank = word.mid(1, word.indexOf(':') - 1).toLongLong();
        QString end = word.mid(word.indexOf(':') + 1);
        rank.endedUnixMilliseconds = order++;
        rank.state = "exited";
        if (const auto mark = end.indexOf("!@"); mark >= 0) {
            const int code = end.left(mark).toInt();
            input.errors[rank.rank] = {rank.rank,
                                       "code",
                                       "it broke.",
                                       code == 12 ? "tp" : "",
                                       code == 12 ? "all_reduce" : "",
                                       code,
                                       end.mid(mark + 2).toLongLong()};
            end = end.left(mark);
        }
        if (end.startsWith('s'))
            rank.signal = end.mid(1).toLongLong();
        else
            rank.exitCode = end.toLongLong();
        input.ranks.push_back(rank);
    }
    return input;
}

}  // namespace

class TstVerdict : public QObject {
    Q_OBJECT

private slots:
    void aProgramsCodesAreItsOwn() {
        VerdictInput input = inputFrom("r0:14");
        QCOMPARE(evaluate(input).reason, std::string("stopped"));
        input.isProgram = true;
        QCOMPARE(evaluate(input).reason, std::string("rank_failed"));
        QCOMPARE(evaluate(input).code, std::int64_t{14});
        // SIGTERM that the agent sent ends a program as asked; one that had to be killed is told.
        input = inputFrom("*r0:s15");
        input.isProgram = true;
        input.cause = EndCause::Terminated;
        QCOMPARE(evaluate(input).detail, std::string("Stopped on request."));
        input = inputFrom("*r0:s9");
        input.isProgram = true;
        input.cause = EndCause::Terminated;
        QVERIFY(evaluate(input).detail.find("was killed") != std::string::npos);
        // One that reads control/stop ends by itself, with 0.
        input = inputFrom("r0:0");
        input.isProgram = input.wasAsked = true;
        QCOMPARE(evaluate(input).reason, std::string("stopped"));
    }

    void judges_data() {
        QTest::addColumn<QString>("ranks");
        QTest::addColumn<int>("cause");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<int>("code");
        QTest::addColumn<int>("rank");  // -1: none to blame
        QTest::addColumn<QString>("detail");
        const int none = static_cast<int>(EndCause::None), failed = static_cast<int>(EndCause::RankFailed),
                  killed = static_cast<int>(EndCause::Killed), terminated = static_cast<int>(EndCause::Terminated),
                  hang = static_cast<int>(EndCause::Hang);
        QTest::newRow("all well") << "r0:0 r1:0" << none << "completed" << 0 << -1 << "completed";
        QTest::newRow("stopped") << "r0:14 r1:14" << none << "stopped" << 14 << -1 << "Stopped on request";
        QTest::newRow("stopped at the last step")
            << "r0:14 r1:0" << none << "stopped" << 14 << -1 << "Stopped on request";
        QTest::newRow("killed rank explains its peer")
            << "r0:12!@5 r1:s9" << failed << "rank_killed" << 137 << 1
            << "Rank 1 was killed by signal 9 (Killed); rank 0: it broke. (all_reduce in group tp)";
        QTest::newRow("crash, peer told to end")
            << "r1:s11 *r0:s9" << failed << "rank_killed" << 139 << 1 << "signal 11";
        QTest::newRow("earliest error file")
            << "r0:1!@9 r1:1!@7" << failed << "rank_failed" << 1 << 1 << "Rank 1: it broke.";
        QTest::newRow("communication never masks")
            << "r0:12!@3 r1:11!@8" << failed << "rank_failed" << 11 << 1 << "Rank 1";
        QTest::newRow("only communication")
            << "r0:12!@3 r1:12!@8" << failed << "rank_failed" << 12 << 0 << "all_reduce in group tp";
        QTest::newRow("code without file") << "r0:0 r1:13" << failed << "rank_failed" << 13 << 1 << "exit code 13";
        QTest::newRow("disk full") << "r0:15!@3" << failed << "disk_full" << 15 << 0 << "it broke";
        QTest::newRow("killed on request") << "*r0:s9 *r1:s9" << killed << "killed" << 137 << -1 << "on request";
        QTest::newRow("terminated, one was deaf")
            << "*r0:14 *r1:s9" << terminated << "stopped" << 14 << -1 << "did not end in time";
        QTest::newRow("hang") << "*r0:s9" << hang << "hang" << 12 << -1 << "The run hung";
        QTest::newRow("completed though told to end")
            << "*r0:0 *r1:0" << terminated << "completed" << 0 << -1 << "completed";
    }
    void judges() {
        QFETCH(QString, ranks);
        QFETCH(int, cause);
        QFETCH(int, rank);
        QFETCH(QString, detail);
        VerdictInput input = inputFrom(ranks);
        input.cause = static_cast<EndCause>(cause);
        input.hangDetail = "no progress for 300 s";
        const AgentExit exit = evaluate(input);
        QTEST(QString::fromStdString(exit.reason), "reason");
        QTEST(static_cast<int>(exit.code), "code");
        QCOMPARE(static_cast<int>(exit.firstFailedRank.value_or(-1)), rank);
        QVERIFY2(exit.detail.find(detail.toStdString()) != std::string::npos, exit.detail.c_str());
    }
};

SLIPWAY_TEST(TstVerdict)
#include "tst_verdict.moc"
