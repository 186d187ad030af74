#include "app/agent/reserved_file.h"
#include "core/base/file.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

using namespace slipway;
using namespace slipway::test;

class TstReservedFile : public QObject {
    Q_OBJECT

private slots:
    void writesOnAFullDisk() {
        const SmallDisk disk("256k");
        if (!disk.mounted()) QSKIP("mounting a small tmpfs needs root");
        const auto reserve = disk.path() / "reserve", record = disk.path() / "record";
        QVERIFY(reserveFile(reserve, 64 * 1024));
        auto filler = AppendFile::open(disk.path() / "filler");
        QVERIFY(filler);
        while (filler->append(std::string(4096, 'x'))) {
        }
        const std::string text(64 * 1024, 'r');
        QCOMPARE(writeFileAtomically(record, text).error().code, std::string("disk_full"));
        QVERIFY(writeReserved(reserve, record, text));
        QCOMPARE(*readFile(record), text);
        QVERIFY(!std::filesystem::exists(reserve));
    }

    void aShorterTextCutsTheFile() {
        const TempDir folder;
        const auto reserve = folder.path() / "reserve", record = folder.path() / "record";
        QVERIFY(reserveFile(reserve, 4096));
        QCOMPARE(std::filesystem::file_size(reserve), std::uintmax_t{4096});
        QVERIFY(writeReserved(reserve, record, "{}\n"));
        QCOMPARE(*readFile(record), std::string("{}\n"));
    }

    void withoutAReserveItSaysSo() {
        const TempDir folder;
        const auto written = writeReserved(folder.path() / "reserve", folder.path() / "record", "{}");
        QVERIFY(!written);
        QCOMPARE(written.error().code, std::string("file_unwritable"));
        QVERIFY(!std::filesystem::exists(folder.path() / "record"));
    }

    // Whoever may write into the run's folder must not make the agent write somewhere else.
    void aLinkIsNotFollowed() {
        const TempDir folder;
        const auto reserve = folder.path() / "reserve", victim = folder.path() / "victim";
        QVERIFY(writeFileAtomically(victim, "mine"));
        std::filesystem::create_symlink(victim, reserve);
        QVERIFY(!reserveFile(reserve, 4096));
        QVERIFY(!writeReserved(reserve, folder.path() / "record", "{}"));
        QCOMPARE(*readFile(victim), std::string("mine"));
    }

    void aDiskWithoutRoomIsRefused() {
        const SmallDisk disk("64k");
        if (!disk.mounted()) QSKIP("mounting a small tmpfs needs root");
        QCOMPARE(reserveFile(disk.path() / "reserve", 1024 * 1024).error().code, std::string("disk_full"));
    }
};

SLIPWAY_TEST(TstReservedFile)
#include "tst_reserved_file.moc"
