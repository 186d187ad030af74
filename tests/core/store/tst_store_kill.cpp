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

/// The most pieces a reader that is to be killed stores in one life, so that no machine is too fast to be killed.
constexpr int kPiecesOfALife = 12;

/// A reader in a process of its own: follows the stream in small pieces until it has `size` bytes of it. With
/// `progress`, an open descriptor, it writes a byte there after each piece and waits for its end after
/// kPiecesOfALife of them.
pid_t startReader(const Home& home, const RunId& id, std::uint64_t size, int progress = -1) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    auto store = RunStore::open(home, OpenMode::ReadWrite);
    if (!store) ::_exit(3);
    MetricReader reader;
    for (int pieces = 0;;) {
        const auto offset = store->offset(id);
        if (!offset) ::_exit(4);
        if (*offset >= size) ::_exit(0);
        const auto bytes = readFileFrom(home.run(id)->metrics(), *offset, 3000);
        if (!bytes || !ingestBytes(*store, reader, id, *bytes, *offset)) ::_exit(5);
        if (progress < 0) continue;
        if (::write(progress, ".", 1) != 1) ::_exit(6);
        while (++pieces >= kPiecesOfALife) ::pause();
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
        while (true) {
            int progress[2];
            QCOMPARE(::pipe(progress), 0);
            const pid_t child = startReader(f.home, id, size, progress[1]);
            QVERIFY(child > 0);
            ::close(progress[1]);
            // Killed inside a piece: a random number of them after the start, and a part of one.
            char piece = 0;
            for (unsigned seen = random() % kPiecesOfALife + 1; seen > 0 && ::read(progress[0], &piece, 1) == 1;)
                --seen;
            ::usleep(random() % 500);
            ::kill(child, SIGKILL);
            int status = 0;
            QCOMPARE(::waitpid(child, &status, 0), child);
            ::close(progress[0]);
            if (WIFEXITED(status)) {
                QCOMPARE(WEXITSTATUS(status), 0);
                break;
            }
            ++kills;
        }
        qInfo("%d kills", kills);
        QVERIFY(kills >= static_cast<int>(size) / 3000 / kPiecesOfALife - 1);
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
