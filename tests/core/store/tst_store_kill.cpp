// Readers of one stream that are killed at random, and two at once: every point is stored, and once.
#include "core/base/file.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <random>

using namespace slipway;
using namespace slipway::test;

namespace {

/// A reader in a process of its own: follows the stream in small pieces until it has `size` bytes of it.
pid_t startReader(const Home& home, const RunId& id, std::uint64_t size) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    auto store = RunStore::open(home, OpenMode::ReadWrite);
    if (!store) ::_exit(3);
    MetricReader reader;
    while (true) {
        const auto offset = store->offset(id);
        if (!offset) ::_exit(4);
        if (*offset >= size) ::_exit(0);
        const auto bytes = readFileFrom(home.run(id)->metrics(), *offset, 3000);
        if (!bytes || !ingestBytes(*store, reader, id, *bytes, *offset)) ::_exit(5);
    }
}

}  // namespace

class TstStoreKill : public QObject {
    Q_OBJECT

private slots:
    void killedReadersLoseNothing() {
        StoreFixture f;
        const RunId id = prepare(f, 6000);
        const std::uint64_t size = std::filesystem::file_size(f.home.run(id)->metrics());
        std::mt19937 random(8);
        int kills = 0;
        for (int round = 0; round < 5000; ++round) {
            const pid_t child = startReader(f.home, id, size);
            QVERIFY(child > 0);
            ::usleep(2000 + random() % 20000);
            ::kill(child, SIGKILL);
            int status = 0;
            QCOMPARE(::waitpid(child, &status, 0), child);
            if (WIFEXITED(status)) {
                QCOMPARE(WEXITSTATUS(status), 0);
                break;
            }
            ++kills;
        }
        qInfo("%d kills", kills);
        QVERIFY(kills >= 3);
        compare(f, id, 6000);
    }

    void twoReadersDoubleNothing() {
        StoreFixture f;
        const RunId id = prepare(f, 6000);
        const std::uint64_t size = std::filesystem::file_size(f.home.run(id)->metrics());
        const pid_t children[] = {startReader(f.home, id, size), startReader(f.home, id, size),
                                  startReader(f.home, id, size)};
        for (const pid_t child : children) {
            int status = 0;
            QCOMPARE(::waitpid(child, &status, 0), child);
            QVERIFY(WIFEXITED(status));
            QCOMPARE(WEXITSTATUS(status), 0);
        }
        compare(f, id, 6000);
    }

private:
    static RunId prepare(StoreFixture& f, int steps) {
        const RunId id = f.add("r", aConfig("x"));
        std::string text = toLine(MetricHeader{1, "r", 1, 0, 2, 0});
        for (int i = 1; i <= steps; ++i) {
            text += stepLine(i, 1.0 / i);
            if (i % 100 == 0) text += toLine(MetricEvent{i, "checkpoint", "", 0});
        }
        f.appendToStream(id, text);
        return id;
    }

    static void compare(StoreFixture& f, const RunId& id, int steps) {
        const MetricSeries loss = *f.store.series(id, "loss");
        QCOMPARE(loss.size(), static_cast<std::size_t>(steps));
        for (int i = 0; i < steps; ++i) {
            QCOMPARE(loss.steps[static_cast<std::size_t>(i)], i + 1);
            QCOMPARE(loss.values[static_cast<std::size_t>(i)], 1.0 / (i + 1));
        }
        QCOMPARE(f.store.events(id)->size(), static_cast<std::size_t>(steps / 100));
        QVERIFY(f.store.check());
    }
};

SLIPWAY_TEST(TstStoreKill)
#include "tst_store_kill.moc"
