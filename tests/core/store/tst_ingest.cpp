#include "core/base/file.h"
#include "core/store/reindex.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::test;

class TstIngest : public QObject {
    Q_OBJECT

private slots:
    void followsAGrowingFile() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        MetricReader reader;
        QCOMPARE(ingestStream(f.store, reader, id)->offset, std::uint64_t{0});  // no file yet
        const std::string second = stepLine(2, 2.0);
        f.appendToStream(id, toLine(MetricHeader{1, "r", 1, 0, 2, 0}) + stepLine(1, 3.0) + second.substr(0, 10));
        auto result = ingestStream(f.store, reader, id);
        QVERIFY(result);
        QCOMPARE(result->records, 2);
        QCOMPARE(result->lastStep, 1);
        QCOMPARE(ingestStream(f.store, reader, id)->records, 0);  // half a line waits
        f.appendToStream(id, second.substr(10) + "rubbish\n" + toLine(MetricEvent{2, "checkpoint", "", 0}) +
                                 toLine(MetricEnd{"completed", 2, 0, 0}));
        RunStore other = f.open();
        result = ingestStream(other, reader, id);
        QCOMPARE(result->records, 3);
        QCOMPARE(result->malformedLines, 1);
        QCOMPARE(result->events.at(0).name, std::string("checkpoint"));
        QCOMPARE(result->ends.at(0).status, std::string("completed"));
        QCOMPARE(ingestStream(f.store, reader, id)->records, 0);
        QCOMPARE(f.store.series(id, "loss")->values, (std::vector<double>{3, 2}));
    }

    void refusesAShorterFile() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        f.appendToStream(id, stepLine(1, 3.0) + stepLine(2, 2.0));
        f.ingest(id);
        std::filesystem::resize_file(f.home.run(id)->metrics(), 20);
        MetricReader reader;
        QCOMPARE(ingestStream(f.store, reader, id).error().code, std::string("stream_replaced"));
        QCOMPARE(f.store.series(id, "loss")->size(), std::size_t{2});
        std::filesystem::remove(f.home.run(id)->metrics());
        QCOMPARE(ingestStream(f.store, reader, id).error().code, std::string("stream_replaced"));
    }

    void longFilesInPieces() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        std::string text;
        for (int i = 1; i <= 30000; ++i) text += stepLine(i, 1.0 / i);
        QVERIFY(text.size() > 3U << 20);
        f.appendToStream(id, text);
        MetricReader reader;
        int calls = 1;
        while (ingestStream(f.store, reader, id, 1)->more) ++calls;
        QVERIFY(calls >= 3);
        QCOMPARE(f.store.series(id, "loss")->size(), std::size_t{30000});
    }

    // A program that is killed before it has read the stream leaves a whole run to the next one, in a new index as well.
    void stagedStreamsAreReadByWhoeverComes() {
        StoreFixture f;
        const RunId id("staged");
        const std::string text = toLine(MetricHeader{1, "staged", 1, 0, 2, 0}) + stepLine(1, 3.0) + stepLine(2, 2.0);
        const auto failed = f.store.stageStream(id, [](AppendFile&) { return Result<void>(fail("no", "No.")); });
        QCOMPARE(failed.error().code, std::string("no"));
        QVERIFY(std::filesystem::is_empty(f.home.runs()));
        QVERIFY(f.store.stageStream(id, [&](AppendFile& file) { return file.append(text); }));
        NewRun run;
        run.id = id;
        run.config = aConfig("x");
        run.isStreamStaged = true;
        run.life.status = RunStatus::Completed;
        QVERIFY(f.store.createRun(run, 5));
        RunStore next = f.open();
        QVERIFY(adoptFolders(next, 6));
        QCOMPARE(next.series(id, "loss")->size(), std::size_t{2});
        QVERIFY(next.run(id)->status == RunStatus::Completed);
        // The first one is not killed after all.
        QVERIFY(adoptRun(f.store, id, 7));
        QCOMPARE(f.store.series(id, "loss")->size(), std::size_t{2});
    }

    void bytesFromElsewhere() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        MetricReader reader;
        const std::string text = stepLine(1, 3.0) + stepLine(2, 2.0);
        QCOMPARE(ingestBytes(f.store, reader, id, text, 0)->records, 2);
        const auto again = ingestBytes(f.store, reader, id, text, 0);
        QCOMPARE(again->records, 0);
        QCOMPARE(again->offset, text.size());
    }
};

SLIPWAY_TEST(TstIngest)
#include "tst_ingest.moc"
