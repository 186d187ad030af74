#include "core/base/file.h"
#include "core/run/rank_map.h"
#include "tests/support/slipway_test.h"

#include <QTemporaryDir>
#include <functional>

using namespace slipway;

namespace {

std::string line(std::int64_t step, double seconds, double wait, double memory = 1e6) {
    return "{\"kind\":\"health\",\"step\":" + std::to_string(step) +
           ",\"time_unix_ms\":1,\"tensor_bytes\":1,\"tensor_peak_bytes\":" + std::to_string(memory) +
           ",\"rss_bytes\":3,\"step_seconds\":" + std::to_string(seconds) +
           ",\"wait_seconds\":" + std::to_string(wait) + "}\n";
}

struct Folder {
    QTemporaryDir temp;
    RunDir run{std::filesystem::path(temp.path().toStdString())};

    void write(std::int64_t rank, const std::string& text) const {
        (void)makeFolders(run.rankStream(rank).parent_path());
        (void)writeFileAtomically(run.rankStream(rank), text);
    }
    void steps(std::int64_t rank, std::int64_t count, const std::function<double(std::int64_t)>& own) const {
        std::string text;
        for (std::int64_t step = 1; step <= count; ++step) text += line(step, 1.0, 1.0 - own(step));
        write(rank, text);
    }
};

bool near(const std::optional<double>& value, double wanted) {
    return value && std::abs(*value - wanted) < 1e-5;
}

}  // namespace

class TstRankMap : public QObject {
    Q_OBJECT

private slots:
    void everyStep() {
        const Folder folder;
        folder.write(0, line(1, 1, 0.25, 5e6) + line(2, 2, 0.5) + "{\"kind\":\"spans\",\"step\":2}\n" + line(3, 3, 1));
        folder.write(1, line(1, 1, 0) + line(2, 2, 0) + "{\"kind\":\"health\",\"step\":3,\"step_sec");
        const RankMap map = readRankMap(folder.run, {.numRanks = 3});
        QCOMPARE(map.numColumns, std::int64_t{3});
        QVERIFY(map.hasWaits && !map.isSampled);
        QVERIFY(near(map.value(RankQuantity::StepTime, 0, 1), 2));
        QVERIFY(near(map.value(RankQuantity::OwnTime, 0, 2), 2));
        QVERIFY(near(map.value(RankQuantity::Wait, 0, 0), 0.25));
        QVERIFY(near(map.value(RankQuantity::Memory, 0, 0), 5e6));
        QVERIFY(!map.value(RankQuantity::StepTime, 1, 2));  // half a line
        QVERIFY(!map.value(RankQuantity::StepTime, 2, 0));  // no stream
        QVERIFY(near(map.median(RankQuantity::Wait, 0), 0.125));
        QCOMPARE(readRankMap(Folder().run, {.numRanks = 2}).numColumns, std::int64_t{0});
    }

    void restartReplacesSteps() {
        const Folder folder;
        folder.write(0, line(1, 1, 0) + line(2, 9, 0) + line(3, 9, 0) + line(2, 2, 0) + line(3, 3, 0));
        const RankMap map = readRankMap(folder.run, {.numRanks = 1});
        QVERIFY(near(map.value(RankQuantity::StepTime, 0, 0), 1));
        QVERIFY(near(map.value(RankQuantity::StepTime, 0, 1), 2));
        QVERIFY(near(map.value(RankQuantity::StepTime, 0, 2), 3));
    }

    // Streams of an older trainer have no waits: step times are shown, nobody is called slow.
    void withoutWaits() {
        const Folder folder;
        for (int rank = 0; rank < 4; ++rank)
            folder.write(rank, "{\"kind\":\"health\",\"step\":1,\"step_seconds\":" + std::to_string(rank + 1) + "}\n");
        const RankMap map = readRankMap(folder.run, {.numRanks = 4});
        QVERIFY(!map.hasWaits);
        QVERIFY(near(map.value(RankQuantity::StepTime, 3, 0), 4));
        ParallelLayout layout;
        layout.dp = 4;
        QVERIFY(stragglersOf(map, layout).empty());
    }

    // 300 steps in 100 columns: each is the mean of three.
    void columnsJoinSteps() {
        const Folder folder;
        folder.steps(0, 300, [](std::int64_t step) { return static_cast<double>(step % 3) / 10; });
        const RankMap map = readRankMap(folder.run, {.numRanks = 1, .maxColumns = 100});
        QCOMPARE(map.numColumns, std::int64_t{100});
        QCOMPARE(map.numRead, std::int64_t{300});
        for (std::int64_t column = 0; column < 100; ++column)
            QVERIFY(near(map.value(RankQuantity::OwnTime, 0, column), 0.1));
        QCOMPARE(map.stepOf(0), std::int64_t{1});
        QCOMPARE(map.stepOf(100), std::int64_t{301});
    }

    // Far more than may be read: little of it is, every column has a value, and a slow stretch is found.
    void longStreamsAreSampled() {
        const Folder folder;
        constexpr std::int64_t kRanks = 8, kSteps = 4000;
        for (std::int64_t rank = 0; rank < kRanks; ++rank)
            folder.steps(rank, kSteps, [&](std::int64_t step) { return rank == 5 && step > 3000 ? 0.6 : 0.5; });
        const RankMap map = readRankMap(folder.run, {.numRanks = kRanks, .maxColumns = 40, .maxBytes = 512 * 1024});
        QVERIFY(map.isSampled);
        QCOMPARE(map.numColumns, std::int64_t{40});
        QVERIFY2(map.numRead > 1000 && map.numRead < kRanks * kSteps / 4, qPrintable(QString::number(map.numRead)));
        for (std::int64_t rank = 0; rank < kRanks; ++rank)
            for (std::int64_t column = 0; column < 40; ++column)
                QVERIFY(map.value(RankQuantity::OwnTime, rank, column));
        ParallelLayout layout;
        layout.dp = kRanks;
        const auto slow = stragglersOf(map, layout);
        QCOMPARE(slow.size(), std::size_t{1});
        QCOMPARE(slow.front().rank, std::int64_t{5});
        QVERIFY(std::abs(slow.front().slower - 0.2) < 0.01);
        QVERIFY(std::abs(static_cast<double>(slow.front().fromStep - 3000)) <= 100);
        QCOMPARE(slow.front().toStep, kSteps);
        QVERIFY(std::abs(slow.front().lostSeconds - 100) < 10);
    }

    // Ranks that share a core are now slower, now faster: that is no straggler.
    void noiseIsNoStraggler() {
        const Folder folder;
        ParallelLayout layout;
        layout.dp = 4;
        for (std::int64_t rank = 0; rank < 4; ++rank)
            folder.steps(rank, 40, [&](std::int64_t step) { return rank == 2 ? (step % 2 == 0 ? 0.6 : 0.4) : 0.5; });
        QVERIFY(stragglersOf(readRankMap(folder.run, {.numRanks = 4}), layout).empty());
    }

    // A stage is compared with itself: the second does twice the work, and nobody is slow.
    void stagesDiffer() {
        const Folder folder;
        ParallelLayout layout;
        layout.pp = 2;
        layout.dp = 3;
        for (std::int64_t rank = 0; rank < 6; ++rank)
            folder.steps(rank, 20, [&](std::int64_t) { return layout.coordinates(rank).pp == 1 ? 0.8 : 0.4; });
        QVERIFY(stragglersOf(readRankMap(folder.run, {.numRanks = 6}), layout).empty());
        folder.steps(4, 20, [&](std::int64_t) { return 0.9; });
        const auto slow = stragglersOf(readRankMap(folder.run, {.numRanks = 6}), layout);
        QCOMPARE(slow.size(), std::size_t{1});
        QCOMPARE(slow.front().rank, std::int64_t{4});
        QCOMPARE(slow.front().numSteps, std::int64_t{20});
    }
};

SLIPWAY_TEST(TstRankMap)
#include "tst_rank_map.moc"
