// A file system of one megabyte, filled up while a stream is stored. Needs the right to mount; skips without it.
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

#include <sys/mount.h>

#include <algorithm>

using namespace slipway;
using namespace slipway::test;

class TstStoreFullDisk : public QObject {
    Q_OBJECT

private slots:
    void stopsCleanlyAndGoesOn() {
        const SmallDisk disk("1m");
        if (!disk.mounted()) QSKIP("mounting a small disk needs root");
        // The stream lies elsewhere, only the index is on the small disk.
        const Home home{disk.path()};
        auto store = RunStore::open(home, OpenMode::ReadWrite);
        QVERIFY2(store, store ? "" : store.error().text().c_str());
        const RunId id("r");
        QVERIFY(store->createRun({id, aConfig("x"), "", {}, "", {}, {}, {}}, 1));
        std::string stream;
        for (int i = 1; i <= 60000; ++i) stream += stepLine(i, 1.0 / i);
        MetricReader reader;
        std::uint64_t offset = 0;
        Error error;
        while (error.code.empty() && offset < stream.size()) {
            const auto result = ingestBytes(*store, reader, id, std::string_view(stream).substr(offset, 20000), offset);
            if (result)
                offset = result->offset;
            else
                error = result.error();
        }
        QCOMPARE(error.code, std::string("disk_full"));
        QVERIFY(offset > 0);
        // What was stored is all there, to the last point of the offset.
        const auto check = [&](RunStore& s, std::uint64_t upTo) {
            const auto lines = std::count(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(upTo), '\n');
            const auto loss = s.series(id, "loss");
            return loss && s.offset(id) && *s.offset(id) == upTo && loss->size() == static_cast<std::size_t>(lines) &&
                   loss->steps.back() == lines;
        };
        QVERIFY(check(*store, offset));
        QCOMPARE(store->setNotes(id, std::string(2000000, 'x')).error().code, std::string("disk_full"));
        QCOMPARE(store->run(id)->notes, std::string());
        // More room, and it goes on where it stopped.
        QCOMPARE(::mount("tmpfs", disk.path().c_str(), "tmpfs", MS_REMOUNT, "size=40m"), 0);
        while (offset < stream.size()) {
            const auto result =
                ingestBytes(*store, reader, id, std::string_view(stream).substr(offset, 500000), offset);
            QVERIFY2(result, result ? "" : result.error().text().c_str());
            offset = result->offset;
        }
        QVERIFY(check(*store, stream.size()));
        QVERIFY(store->check());
    }
};

SLIPWAY_TEST(TstStoreFullDisk)
#include "tst_store_full_disk.moc"
