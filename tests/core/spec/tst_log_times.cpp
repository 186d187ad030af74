#include "core/base/file.h"
#include "core/spec/log_times.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <fstream>

using namespace slipway;
namespace fs = std::filesystem;

class TstLogTimes : public QObject {
    Q_OBJECT

    static void write(const fs::path& path, const std::string& text) {
        std::ofstream(path, std::ios::app | std::ios::binary) << text;
    }
    static std::string notes(const fs::path& log) { return readFile(logTimesFile(log)).value_or(""); }
    static std::int64_t timeOf(const fs::path& log, std::uint64_t end) {
        return LogTimes(logTimesFile(log)).timeOf(end).value_or(-1);
    }

private slots:
    // A burst is noted at once, the rest of its second together, the end whenever it comes.
    void notesLengthsAsTheLogGrows() {
        test::TempDir temp;
        const fs::path log = temp.path() / "rank_00003.log";
        LogTimesWriter writer(log);
        writer.begin();
        writer.look(10, 1000);
        QCOMPARE(notes(log), std::string());
        write(log, "one\n");
        writer.look(10.2, 1200);
        write(log, "two\n");
        writer.look(10.4, 1400);
        writer.look(10.6, 1600);
        write(log, "three\n");
        writer.look(11.2, 2200);
        writer.look(11.4, 2400);
        QCOMPARE(notes(log), std::string("4 1200\n14 2200\n"));
        write(log, "end");
        writer.look(11.6, 2600, true);
        QCOMPARE(notes(log), std::string("4 1200\n14 2200\n17 2600\n"));
        QCOMPARE(writer.logBytes(), 17U);
        QCOMPARE(timeOf(log, 4), 1200);
        QCOMPARE(timeOf(log, 8), 2200);
        QCOMPARE(timeOf(log, 17), 2600);
        QCOMPARE(timeOf(log, 18), -1);  // written since the last note
    }
    // What nobody watched is of unknown age, also between two attempts; a log that was cut begins again.
    void laterAttemptsAndCutLogs() {
        test::TempDir temp;
        const fs::path log = temp.path() / "rank_00000.log";
        write(log, "old\n");
        LogTimesWriter first(log);
        first.begin();
        write(log, "one\n");
        first.look(0, 100);
        write(log, "unseen\n");
        LogTimesWriter second(log);
        second.begin();
        write(log, "two\n");
        second.look(0, 500);
        QCOMPARE(notes(log), std::string("4 0\n8 100\n15 0\n19 500\n"));
        QCOMPARE(timeOf(log, 4), -1);
        QCOMPARE(timeOf(log, 8), 100);
        QCOMPARE(timeOf(log, 15), -1);
        QCOMPARE(timeOf(log, 19), 500);
        LogTimesWriter third(log);
        third.begin();  // all of it is known: nothing to note
        QCOMPARE(notes(log), std::string("4 0\n8 100\n15 0\n19 500\n"));
        fs::resize_file(log, 6);
        third.look(9, 900);
        QCOMPARE(notes(log), std::string("6 900\n"));
        fs::resize_file(log, 2);
        LogTimesWriter fourth(log);
        fourth.begin();
        QCOMPARE(notes(log), std::string("2 0\n"));
    }
    // Ascending ends over many pieces of the file, and only its tail.
    void readsLongFilesInPieces() {
        test::TempDir temp;
        const fs::path log = temp.path() / "rank_00000.log";
        std::string text = "a line that is no note\n";
        constexpr std::int64_t kNotes = 20000;
        for (std::int64_t i = 1; i <= kNotes; ++i)
            text += std::to_string(100 * i) + ' ' + std::to_string(1000 * i) + '\n';
        write(logTimesFile(log), text + "200010");  // and a note that is being written
        LogTimes all(logTimesFile(log));
        for (std::int64_t i = 1; i <= kNotes; ++i) QCOMPARE(all.timeOf(100 * i - 50).value_or(-1), 1000 * i);
        QVERIFY(!all.timeOf(100 * kNotes + 1));
        LogTimes tail(logTimesFile(log), 1000);
        QVERIFY(!tail.timeOf(100));
        QCOMPARE(tail.timeOf(100 * kNotes - 101).value_or(-1), 1000 * (kNotes - 1));
        QVERIFY(!LogTimes(temp.path() / "none.times").timeOf(1));
    }
};

SLIPWAY_TEST(TstLogTimes)
#include "tst_log_times.moc"
