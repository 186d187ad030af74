// A rank that waits for another: it is asked to stop, or the other one has ended and will never come.
#include "tests/support/caught_signals.h"
#include "tests/support/slipway_test.h"
#include "tests/trainer/loop/trainer_runs.h"

#include <QElapsedTimer>
#include <csignal>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr qint64 kSoonMilliseconds = 20000;  // --join-seconds is far above

RunConfig runOver(std::int64_t ranks) {
    RunConfig config = tinyRun(3);
    config.parallel.dp = ranks;
    config.train.globalBatchSize = 4 * ranks;
    return config;
}

}  // namespace

class TstBeforeStart : public QObject {
    Q_OBJECT

private slots:
    // It ends with the code of a stop, as one that trains does, and reports no failure.
    void aWaitingRankStops_data() {
        QTest::addColumn<int>("absent");
        QTest::addColumn<bool>("bySignal");
        for (const int absent : {0, 1}) {
            QTest::addRow("SIGTERM while rank %d has not come", absent) << absent << true;
            QTest::addRow("stop file while rank %d has not come", absent) << absent << false;
        }
    }
    void aWaitingRankStops() {
        QFETCH(int, absent);
        QFETCH(bool, bySignal);
        TrainerRun run(runOver(3));
        run.absent = absent;
        run.start({"--join-seconds", "300"});
        for (const auto& rank : run.ranks)
            QVERIFY(waitUntil(60, [&] { return catchesSignal(rank->processId(), SIGTERM); }));
        QElapsedTimer sinceRequest;
        sinceRequest.start();
        if (bySignal) {
            for (const auto& rank : run.ranks) ::kill(static_cast<pid_t>(rank->processId()), SIGTERM);
        } else {
            QVERIFY(makeFolders(run.dir.stopFile().parent_path()));
            QVERIFY(writeFileAtomically(run.dir.stopFile(), ""));
        }
        const std::vector<int> codes = run.wait(60);
        const std::string said = run.errors();
        QVERIFY2(codes == (std::vector<int>{14, 14}), said.c_str());
        QVERIFY2(said.find("stopped on request before the first step") != std::string::npos, said.c_str());
        QVERIFY2(sinceRequest.elapsed() < kSoonMilliseconds, qPrintable(QString::number(sinceRequest.elapsed())));
        for (const std::int64_t rank : {0, 1, 2}) QVERIFY(!std::filesystem::exists(run.dir.rankError("local", rank)));
    }

    // Whoever started the ranks: the word of the one that ended is in the run folder.
    void aRankThatEndsBeforeItJoinsEndsTheOthers_data() {
        QTest::addColumn<int>("ends");
        for (const int ends : {0, 1}) QTest::addRow("rank %d", ends) << ends;
    }
    void aRankThatEndsBeforeItJoinsEndsTheOthers() {
        QFETCH(int, ends);
        TrainerRun run(runOver(2));
        RunConfig other = run.config;
        other.parallel.dp = 4;
        const std::string wrong = (run.temp.path() / "wrong.json").string();
        QVERIFY(writeJsonFile(wrong, toJson(other)));
        run.moreOfRank = {ends, {"--config", wrong}};
        QElapsedTimer sinceStart;
        sinceStart.start();
        run.start({"--join-seconds", "300"});
        const std::vector<int> codes = run.wait(60);
        QCOMPARE(codes[static_cast<std::size_t>(ends)], static_cast<int>(TrainerExit::BadConfig));
        QCOMPARE(codes[static_cast<std::size_t>(1 - ends)], static_cast<int>(TrainerExit::CommunicationFailure));
        QVERIFY2(sinceStart.elapsed() < kSoonMilliseconds, qPrintable(QString::number(sinceStart.elapsed())));
        const auto error = rankErrorFromJson(*readJsonFile(run.dir.rankError("local", 1 - ends)), "x");
        const std::string named =
            "rank " + std::to_string(ends) + " ended before the first step: parallel: WORLD_SIZE is 2";
        QVERIFY2(error->message.find(named) != std::string::npos, error->message.c_str());
    }
};

SLIPWAY_TEST(TstBeforeStart)
#include "tst_before_start.moc"
