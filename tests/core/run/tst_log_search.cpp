#include "core/base/file.h"
#include "core/run/log_search.h"
#include "core/spec/log_times.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <fstream>

using namespace slipway;

class TstLogSearch : public QObject {
    Q_OBJECT

    static void write(const std::filesystem::path& path, const std::string& text) {
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::app | std::ios::binary) << text;
    }
    static bool goOn(double) { return true; }
    static std::vector<std::string> textsOf(const std::vector<LogEntry>& entries) {
        std::vector<std::string> out;
        for (const LogEntry& entry : entries) out.push_back(entry.text);
        return out;
    }

private slots:
    void tailHasTimesAndLevels() {
        test::TempDir temp;
        const RunDir dir{temp.path()};
        QVERIFY(logTail(dir, 0, 1000, 10).empty());
        write(dir.rankLog(0), "old\nstep 1\r\nWARNING: slow\nFatal: gone\npart");
        write(logTimesFile(dir.rankLog(0)), "4 0\n12 1000\n");
        const auto lines = logTail(dir, 0, 1000, 10);
        QCOMPARE(textsOf(lines), (std::vector<std::string>{"old", "step 1", "WARNING: slow", "Fatal: gone", "part"}));
        QVERIFY(!lines[0].unixMilliseconds && !lines[2].unixMilliseconds);
        QCOMPARE(lines[1].unixMilliseconds.value_or(-1), 1000);
        QCOMPARE(lines[2].level, LogLevel::Warning);
        QCOMPARE(lines[3].level, LogLevel::Error);
        QCOMPARE(textsOf(logTail(dir, 0, 17, 10)), (std::vector<std::string>{"Fatal: gone", "part"}));
        QCOMPARE(textsOf(logTail(dir, 0, 1000, 1)), std::vector<std::string>{"part"});
    }
    // Compared with a search by hand, over logs of many pieces whose lines cross their borders.
    void findsWhatASearchOfEveryLineFinds() {
        test::TempDir temp;
        const RunDir dir{temp.path()};
        std::int64_t needles = 0, errors = 0, both = 0;
        std::uint64_t bytes = 0;
        for (const std::int64_t rank : {0, 1}) {
            std::string text;
            for (int i = 0; text.size() < (9U << 20); ++i) {
                std::string line = "step " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 97), '.');
                const bool needle = i % 1013 == rank, error = i % 509 == 3;
                if (needle) line += " NaN in Layer";
                if (error) line += " Error";
                needles += needle;
                errors += error;
                both += needle && error;
                text += line + '\n';
            }
            bytes += text.size();
            write(dir.rankLog(rank), text);
        }
        const auto count = [&](const LogQuestion& question) {
            LogSearch search(dir, {0, 1}, question);
            const bool whole = search.advance(true, goOn);
            return whole && search.bytesRead() == bytes ? search.numMatches() : -1;
        };
        QCOMPARE(count({"nan in layer", LogLevel::Info}), needles);
        QCOMPARE(count({"", LogLevel::Warning}), errors);
        QCOMPARE(count({"NAN", LogLevel::Error}), both);
        QCOMPARE(count({"nothing of the kind", LogLevel::Info}), 0);
        LogSearch all(dir, {0, 1}, {"step", LogLevel::Info});
        QVERIFY(all.advance(true, goOn));
        const auto hits = all.hits();
        QCOMPARE(hits.size(), LogSearch::kMostHits);
        QCOMPARE(hits.front().text, std::string("step 0 NaN in Layer"));
        QVERIFY(hits.back().rank == 1 && hits.back().text.starts_with("step "));
        const auto tail = logTail(dir, 1, 1000, 1);
        QCOMPARE(hits.back().text, tail.front().text);
    }
    // A live log: what came is added; a line that is being written waits for its end. A stop keeps what is found.
    void continuesAndStops() {
        test::TempDir temp;
        const RunDir dir{temp.path()};
        write(dir.rankLog(0), "one hit\nhalf a h");
        write(logTimesFile(dir.rankLog(0)), "8 500\n");
        LogSearch search(dir, {0}, {"hit", LogLevel::Info});
        QVERIFY(!search.advance(false, [](double) { return false; }));
        QCOMPARE(search.bytesRead(), 0U);
        QVERIFY(search.advance(false, goOn));
        QCOMPARE(search.numMatches(), 1);
        QCOMPARE(search.hits().front().unixMilliseconds.value_or(-1), 500);
        write(dir.rankLog(0), "it\nlast hit");
        write(logTimesFile(dir.rankLog(0)), "19 900\n");
        QVERIFY(search.advance(false, goOn));
        QCOMPARE(search.numMatches(), 2);
        QCOMPARE(search.hits().back().unixMilliseconds.value_or(-1), 900);
        QVERIFY(search.advance(true, goOn));
        QCOMPARE(textsOf(search.hits()), (std::vector<std::string>{"one hit", "half a hit", "last hit"}));
    }
    void longLinesShowTheirMatch() {
        test::TempDir temp;
        const RunDir dir{temp.path()};
        write(dir.rankLog(0), std::string(9U << 20, 'x') + "needle" + std::string(5000, 'y') + "\n");
        LogSearch search(dir, {0}, {"needle", LogLevel::Info});
        QVERIFY(search.advance(false, goOn));
        QCOMPARE(search.numMatches(), 1);
        QCOMPARE(search.hits().front().text.size(), LogSearch::kLineBytes);
        QVERIFY(search.hits().front().text.find("needle") != std::string::npos);
    }
};

SLIPWAY_TEST(TstLogSearch)
#include "tst_log_search.moc"
