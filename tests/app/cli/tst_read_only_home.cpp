// Every command over a home that can only be read: what reads prints what it prints for the owner, what writes is refused with a
// reason, and the home stays as it is, byte by byte.
#include "core/base/json.h"
#include "core/spec/run_config.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/seed_store.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;
using Lines = std::vector<std::vector<const char*>>;

/// Commands, and what they are given; words in capitals are replaced.
const std::map<std::string, Lines> kReaders = {
    {"runs",
     {{},
      {"--all", "--json"},
      {"tag:even"},
      {"--group-by", "status"},
      {"--columns", "name,mfu", "--format", "csv"},
      {"--views"}}},
    {"show", {{"RUN"}, {"RUN", "--json"}}},
    {"logs", {{"RUN"}}},
    {"compare", {{"RUN", "OTHER"}}},
    {"why", {{"RUN"}}},
    {"report", {{"RUN", "--format", "md"}, {"SWEEP", "--format", "csv"}}},
    {"clone", {{"RUN", "--print"}}},
    {"plan", {{"CONFIG", "--cluster", "NVIDIA A100 SXM 80 GB"}, {"CONFIG"}}},
    {"lint", {{"CONFIG"}}},
    {"machine", {{}}},
    {"fields", {{}}},
    {"models", {{}}},
    {"devices", {{}}},
    {"curves", {{}}},
    {"alerts", {{"list"}}},
    {"nodes", {{"list"}, {"log"}}},
    {"playbook", {{"list", "--content", "CONTENT"}}},
    {"reindex", {{}}},  // its index is its reader's own
};

const std::map<std::string, Lines> kWriters = {
    {"tag", {{"RUN", "new"}}},
    {"archive", {{"RUN"}}},
    {"rm", {{"RUN"}}},
    {"restore", {{"TRASHED"}}},
    {"launch", {{"CONFIG"}}},
    {"resume", {{"RUN"}}},
    {"clone", {{"RUN", "--set", "data.tokens=tiny.tok"}}},
    {"sweep", {{"SWEEPFILE"}}},
    {"import", {{"LOG"}}},
    {"watch", {{"LOG", "--once"}}},
    {"corpus", {{"TEXT"}}},
    {"alerts", {{"set", "loss_spike", "--off"}}},
    {"nodes", {{"add", "--no-check", "somewhere"}}},
    {"init", {{"--share", "GROUP"}}},
    {"runs", {{"--save-view", "mine"}}},
};

/// Those that use no home, take more of the computer than a test has, or print their own time.
const std::set<std::string> kWithoutHome = {"search",     "cost",  "laws", "tpu",     "validate", "convert",
                                            "completion", "bench", "tune", "trainer", "verify",   "stop"};

/// Everything below a folder: name, size, time.
std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> contentsOf(const fs::path& folder) {
    std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        found[entry.path().string()] = {entry.is_regular_file() ? entry.file_size() : 0, entry.last_write_time()};
    return found;
}

void setPermissions(const fs::path& folder, unsigned folders, unsigned files) {
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) fs::permissions(entry.path(), fs::perms(files));
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_directory()) fs::permissions(entry.path(), fs::perms(folders));
    fs::permissions(folder, fs::perms(folders));
}

}  // namespace

class TstReadOnlyHome : public QObject {
    Q_OBJECT

    std::unique_ptr<CliBench> m_bench;
    TempDir m_cache;
    std::map<std::string, std::string> m_words;
    std::map<std::string, std::string> m_owners;  ///< what a line of a reader printed to the owner

    Words replaced(const std::string& command, const std::vector<const char*>& line) const {
        Words words{command};
        for (const char* word : line) {
            const auto found = m_words.find(word);
            words.push_back(found == m_words.end() ? word : found->second);
        }
        return words;
    }
    static void rows(const std::map<std::string, Lines>& commands) {
        QTest::addColumn<QString>("command");
        QTest::addColumn<int>("line");
        for (const auto& [command, lines] : commands)
            for (std::size_t i = 0; i < lines.size(); ++i) {
                QString row = QString::fromStdString(command);
                for (const char* word : lines[i]) row += QLatin1Char(' ') + QString::fromUtf8(word);
                QTest::newRow(qPrintable(row)) << QString::fromStdString(command) << static_cast<int>(i);
            }
    }
    /// The command in a process of somebody who may only read.
    CliBench::Outcome asReader(const Words& words) {
        const fs::path out = m_cache.path() / "out", err = m_cache.path() / "err";
        fs::remove(out);
        fs::remove(err);
        const pid_t child = ::fork();
        if (child == 0) {
            if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(99);
            ::setenv("XDG_CACHE_HOME", m_cache.path().c_str(), 1);
            ::setenv("HOME", m_cache.path().c_str(), 1);
            const auto outcome = m_bench->run(words);
            const bool written = writeFileAtomically(out, outcome.out) && writeFileAtomically(err, outcome.err);
            ::_exit(written ? outcome.code : 98);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), readFile(out).value_or(""),
                readFile(err).value_or("")};
    }

private slots:
    void initTestCase() {
        m_bench = std::make_unique<CliBench>();
        const Home& home = m_bench->at.home;
        const RunConfig config = tinyConfig("tiny", 3);
        Json base = toJson(config);
        base.erase("name");
        const std::string sweep = dumpJson(Json{{"schema", 1},
                                                {"name", "over seeds"},
                                                {"base", base},
                                                {"points", Json::array({Json{{"name", "a"}, {"train.seed", 1}}})}},
                                           true);
        {
            auto store = RunStore::open(home, OpenMode::ReadWrite);
            QVERIFY(store);
            const auto runs = seedRuns(*store, {.numRuns = 6, .numSteps = 20, .cluster = ClusterSpec()});
            m_words = {
                {"RUN", runs[0].value}, {"OTHER", runs[1].value}, {"TRASHED", runs[2].value}, {"SWEEP", "sweep"}};
            QVERIFY(store->upsertSweep({SweepId("sweep"), "over seeds", "id", "completed", 1, {}, sweep, ""}));
            QVERIFY(store->upsertTrial(
                {SweepId("sweep"), 0, "first", "completed", "", runs[0], "", R"({"train.seed": 1})"}));
            for (const RunId& run : runs) {
                QVERIFY(makeFolders(home.run(run)->path / "logs"));
                QVERIFY(writeFileAtomically(home.run(run)->path / "logs" / "rank_00000.log", "a line\n"));
            }
        }
        QCOMPARE(m_bench->run({"rm", m_words["TRASHED"]}).code, 0);
        m_words["CONFIG"] = m_bench->file("config.json", dumpJson(toJson(config), true));
        m_words["SWEEPFILE"] = m_bench->file("sweep.json", sweep);
        m_words["LOG"] = m_bench->file("log.csv", "step,loss\n1,4.5\n2,4\n");
        std::string text;
        for (std::uint32_t word = 0, state = 1; word < 20000; ++word) {
            state = state * 1664525U + 1013904223U;
            for (std::uint32_t rest = (state >> 8) % 3000 + 30; rest > 0; rest /= 26)
                text += static_cast<char>('a' + rest % 26);
            text += word % 12 == 11 ? '\n' : ' ';
        }
        m_words["TEXT"] = m_bench->file("text.txt", text);
        m_words["GROUP"] = "root";
        m_words["CONTENT"] = SLIPWAY_SOURCE_DIR "/experiments/playbook";
        for (const auto& [command, lines] : kReaders)
            for (const auto& line : lines) {
                const Words words = replaced(command, line);
                const auto outcome = m_bench->run(words);
                QVERIFY2(outcome.code == 0, (command + ": " + outcome.err).c_str());
                std::string key;
                for (const std::string& word : words) key += word + '\n';
                m_owners[key] = outcome.out;
            }
        setPermissions(m_bench->at.temp.path(), 0755, 0644);  // what lies beside the home is anybody's
        fs::permissions(m_cache.path(), fs::perms(0777));
        setPermissions(home.path, 0555, 0444);
    }
    void cleanupTestCase() { setPermissions(m_bench->at.home.path, 0755, 0644); }  // so that it can be removed

    void everyCommandIsListed() {
        for (const auto& command : allCommands())
            QVERIFY2(kReaders.contains(command->name()) || kWriters.contains(command->name()) ||
                         kWithoutHome.contains(command->name()),
                     command->name().c_str());
    }

    void readersPrintWhatTheOwnerSees_data() { rows(kReaders); }
    void readersPrintWhatTheOwnerSees() {
        QFETCH(QString, command);
        QFETCH(int, line);
        const Words words =
            replaced(command.toStdString(), kReaders.at(command.toStdString())[static_cast<std::size_t>(line)]);
        std::string key;
        for (const std::string& word : words) key += word + '\n';
        const auto before = contentsOf(m_bench->at.home.path);
        const auto outcome = asReader(words);
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QVERIFY2(outcome.out == m_owners.at(key), (outcome.out + "\ninstead of\n" + m_owners.at(key)).c_str());
        QVERIFY(contentsOf(m_bench->at.home.path) == before);
    }

    void writersAreRefused_data() { rows(kWriters); }
    void writersAreRefused() {
        QFETCH(QString, command);
        QFETCH(int, line);
        const auto before = contentsOf(m_bench->at.home.path);
        const auto outcome = asReader(
            replaced(command.toStdString(), kWriters.at(command.toStdString())[static_cast<std::size_t>(line)]));
        QVERIFY2(outcome.code == kExitFailed, (std::to_string(outcome.code) + outcome.out + outcome.err).c_str());
        QVERIFY2(outcome.err.find("slipway: ") != std::string::npos, outcome.err.c_str());
        QVERIFY2(outcome.err.find("ermission denied") != std::string::npos ||
                     outcome.err.find("not permitted") != std::string::npos ||
                     outcome.err.find("cannot be written") != std::string::npos,
                 outcome.err.c_str());
        QVERIFY(contentsOf(m_bench->at.home.path) == before);
    }
};

SLIPWAY_TEST(TstReadOnlyHome)
#include "tst_read_only_home.moc"
