#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/own_file.h"
#include "tests/support/slipway_test.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <chrono>
#include <csignal>
#include <fstream>

using namespace slipway;

// Calls of this program and what is linked into it, counted on their way to the kernel.
namespace {
int flushedFiles = 0, flushedSystems = 0;
}
extern "C" int fsync(int file) {
    ++flushedFiles;
    return static_cast<int>(::syscall(SYS_fsync, file));
}
extern "C" int syncfs(int file) noexcept {
    ++flushedSystems;
    return static_cast<int>(::syscall(SYS_syncfs, file));
}

class TstFile : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    std::filesystem::path at(const char* name) const {
        return std::filesystem::path(m_dir.path().toStdString()) / name;
    }

private slots:
    // Two computers, or two programs at once, replace a file within one tick of the file system's clock.
    void stampsTellReplacementsOfOneInstantApart() {
        const auto path = at("meta.json");
        const auto writeAt = [&](const char* text, std::int64_t milliseconds) {
            QVERIFY(writeFileAtomically(path, text).has_value());
            std::filesystem::last_write_time(
                path,
                std::filesystem::file_time_type(std::chrono::duration_cast<std::filesystem::file_time_type::duration>(
                    std::chrono::milliseconds(milliseconds))));
        };
        QCOMPARE(fileStamp(path), std::int64_t{0});
        writeAt("{\"a\": 1}", 5);
        const std::int64_t first = fileStamp(path);
        QCOMPARE(fileStamp(path), first);
        std::filesystem::rename(path, at("kept.json"));  // so that its inode is not used again
        writeAt("{\"a\": 2}", 5);
        QVERIFY(fileStamp(path) != first);
        const std::int64_t second = fileStamp(path);
        writeAt("{\"a\": 22}", 5);
        QVERIFY(fileStamp(path) != second);
        QVERIFY(first != 0);
        QVERIFY(std::filesystem::remove(path) && std::filesystem::remove(at("kept.json")));
    }
    void endsWhereAFileCannot() {
        const auto large = at("large.json");
        QVERIFY(writeFileAtomically(large, "{}").has_value());
        std::filesystem::resize_file(large, (std::uintmax_t{1} << 30) + 1);  // sparse
        QCOMPARE(QString::fromStdString(readFile(large).error().code), QString("file_too_large"));
        QCOMPARE(QString::fromStdString(readFile("/dev/zero").error().code), QString("file_too_large"));
        std::filesystem::resize_file(large, (std::uintmax_t{256} << 20) + 1);
        QCOMPARE(QString::fromStdString(readJsonFile(large).error().code), QString("file_too_large"));
        std::filesystem::remove(large);
    }

    void readsAPipe() {
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        QCOMPARE(::write(ends[1], "{}", 2), ssize_t{2});
        ::close(ends[1]);
        const auto text = readFile("/proc/self/fd/" + std::to_string(ends[0]));
        ::close(ends[0]);
        QVERIFY2(text.has_value(), text ? "" : text.error().message.c_str());
        QCOMPARE(QByteArray::fromStdString(*text), QByteArray("{}"));
    }

    void atomicWriteReplacesTheWholeFile() {
        const auto path = at("a.json");
        QVERIFY(writeFileAtomically(path, std::string(100000, 'x')));
        QVERIFY(writeFileAtomically(path, "short"));
        QCOMPARE(*readFile(path), std::string("short"));
        // Nothing temporary stays behind.
        int files = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(m_dir.path().toStdString()))
            ++files;
        QCOMPARE(files, 1);
    }
    // Many files, one flush; what lies elsewhere, or is written later, is flushed by itself.
    void filesAreFlushedTogether() {
        const auto folder = at("many");
        std::filesystem::create_directory(folder);
        flushedFiles = flushedSystems = 0;
        {
            FlushTogether together(folder);
            for (int i = 0; i < 20; ++i) QVERIFY(writeFileAtomically(folder / std::to_string(i), "x"));
            QCOMPARE(flushedFiles, 0);
            QCOMPARE(*readFile(folder / "7"), std::string("x"));
            QVERIFY(together.flush());
            QCOMPARE(flushedSystems, 1);
            QVERIFY(writeFileAtomically(at("many.json"), "x"));
            QCOMPARE(flushedFiles, 2);  // itself and its folder
        }
        QVERIFY(writeFileAtomically(folder / "later", "x"));
        QCOMPARE(flushedFiles, 4);
        QVERIFY(FlushTogether(at("nowhere")).flush());
    }

    void missingFileIsNamed() {
        const auto text = readFile(at("none"));
        QVERIFY(!text);
        QCOMPARE(text.error().code, std::string("file_missing"));
        QCOMPARE(text.error().where, at("none").string());
        QCOMPARE(readFile(m_dir.path().toStdString()).error().code, std::string("file_unreadable"));
    }
    void readsARange() {
        QVERIFY(writeFileAtomically(at("r"), "0123456789"));
        QCOMPARE(*readFileFrom(at("r"), 3, 4), std::string("3456"));
        QCOMPARE(*readFileFrom(at("r"), 8, 100), std::string("89"));
        QCOMPARE(*readFileFrom(at("r"), 10, 5), std::string());
        QCOMPARE(*readFileFrom(at("r"), 99, 5), std::string());
    }
    void openingCutsAnUnfinishedLine_data() {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::newRow("empty") << QByteArray() << QByteArray("new\n");
        QTest::newRow("whole") << QByteArray("a\nb\n") << QByteArray("a\nb\nnew\n");
        QTest::newRow("half") << QByteArray("a\nb") << QByteArray("a\nnew\n");
        QTest::newRow("only half") << QByteArray("abc") << QByteArray("new\n");
        QTest::newRow("long half") << QByteArray("a\n") + QByteArray(10000, 'z') << QByteArray("a\nnew\n");
        QTest::newRow("half of 4096") << QByteArray(4095, 'y') + "\n" + QByteArray(4096, 'z')
                                      << QByteArray(4095, 'y') + "\nnew\n";
    }
    void openingCutsAnUnfinishedLine() {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        const auto path = at("stream");
        std::ofstream(path, std::ios::binary) << before.toStdString();
        auto file = AppendFile::open(path);
        QVERIFY(file);
        QVERIFY(file->append("new\n"));
        QVERIFY(file->sync());
        QCOMPARE(*readFile(path), after.toStdString());
    }
    void aFailedAppendLeavesNoHalfRecord() {
        // A file size limit fails the write in the middle of the record, as a full disk does.
        const auto path = at("limited");
        auto file = AppendFile::open(path);
        QVERIFY(file->append("first\n"));
        const auto before = std::signal(SIGXFSZ, SIG_IGN);
        rlimit old{};
        getrlimit(RLIMIT_FSIZE, &old);
        const rlimit tight{10, old.rlim_max};
        setrlimit(RLIMIT_FSIZE, &tight);
        const auto written = file->append("second record\n");
        setrlimit(RLIMIT_FSIZE, &old);
        std::signal(SIGXFSZ, before);
        QVERIFY(!written);
        QCOMPARE(*readFile(path), std::string("first\n"));
        QVERIFY(file->append("third\n"));
        QCOMPARE(*readFile(path), std::string("first\nthird\n"));
    }
    void aFullDiskIsCalledSo() {
        if (access("/dev/full", W_OK) != 0) QSKIP("needs /dev/full");
        auto file = AppendFile::open("/dev/full");
        if (!file) QSKIP("this system does not open /dev/full for appending");
        const auto written = file->append("x\n");
        QVERIFY(!written);
        QCOMPARE(written.error().code, std::string("disk_full"));
    }
};
SLIPWAY_TEST(TstFile)
#include "tst_file.moc"
