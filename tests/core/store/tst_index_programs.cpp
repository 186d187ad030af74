// Several programs on one index: each opens, changes and rebuilds it while the others have it open.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/process/file_lock.h"
#include "core/store/reindex.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

/// Runs `work` in a process of its own; its return value is the exit code.
int inAnotherProgram(const std::function<int()>& work) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work());
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool hasNews(const AdoptReport& report) {
    return report.runs + report.sweeps + report.changed > 0 || report.finishedRebuild;
}

/// A program that opens the index, tags run r1 with the letter it is sent, and closes the index.
class Tagger {
public:
    explicit Tagger(const Home& home) {
        if (::pipe(m_ask) != 0 || ::pipe(m_answer) != 0) qFatal("pipe");
        m_child = ::fork();
        if (m_child != 0) return;
        ::close(m_ask[1]);
        for (char letter = 0; ::read(m_ask[0], &letter, 1) == 1;) {
            bool done = false;
            {
                auto store = RunStore::open(home, OpenMode::ReadWrite);
                done = store && store->changeTags({RunId("r1")}, {std::string(1, letter)}, {});
            }
            letter = done ? 'y' : 'n';
            if (::write(m_answer[1], &letter, 1) != 1) break;
        }
        ::_exit(0);
    }
    Tagger(const Tagger&) = delete;
    Tagger& operator=(const Tagger&) = delete;
    ~Tagger() {
        ::close(m_ask[1]);
        ::waitpid(m_child, nullptr, 0);
    }
    bool tag(char letter) {
        return ::write(m_ask[1], &letter, 1) == 1 && ::read(m_answer[0], &letter, 1) == 1 && letter == 'y';
    }

private:
    int m_ask[2]{}, m_answer[2]{};
    pid_t m_child = 0;
};

/// Descriptors of this process whose file somebody has deleted.
int numDeletedDescriptors() {
    int deleted = 0;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
        std::error_code code;
        if (fs::read_symlink(entry.path(), code).string().ends_with(" (deleted)")) ++deleted;
    }
    return deleted;
}

std::set<std::string> idsOf(RunStore& store) {
    RunQuery all;
    all.scope = RunScope::All;
    std::set<std::string> out;
    const auto ids = store.ids(all);
    if (ids)
        for (const RunId& id : *ids) out.insert(id.value);
    return out;
}

std::set<std::string> foldersOf(const Home& home) {
    std::set<std::string> out;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(home.runs(), code)) out.insert(entry.path().filename().string());
    return out;
}

NewRun newRun(const std::string& id) {
    NewRun run;
    run.id = RunId(id);
    run.config = aConfig(id);
    return run;
}

void execute(sqlite3* db, const char* sql) {
    char* message = nullptr;
    if (sqlite3_exec(db, sql, nullptr, nullptr, &message) != SQLITE_OK) qFatal("%s: %s", sql, message);
}

void executeAlone(const fs::path& path, const char* sql) {
    sqlite3* db = nullptr;
    sqlite3_open(path.c_str(), &db);
    execute(db, sql);
    sqlite3_close(db);
}

constexpr std::int64_t kNow = 2000000000000;

}  // namespace

class TstIndexPrograms : public QObject {
    Q_OBJECT

private slots:
    // A connection that is opened beside another must not drop its locks: the next program that closes would take the log
    // away under it.
    void programsDoNotLoseEachOther() {
        TempDir dir;
        const Home home{dir.path() / "home"};
        // Forked before this process has a connection: what SQLite remembers of one would make the child careful.
        Tagger tagger(home);
        auto store = RunStore::open(home, OpenMode::ReadWrite);
        QVERIFY(store && store->createRun(newRun("r1"), 1000));
        for (char tag = 'a'; tag < 'd'; ++tag) {
            auto reader = RunStore::open(home, OpenMode::ReadOnly);
            QVERIFY(reader && reader->list({}));
            QVERIFY(tagger.tag(tag));
            QCOMPARE(numDeletedDescriptors(), 0);
            for (RunStore* one : {&*reader, &*store}) {
                const auto tags = one->run(RunId("r1"))->tags;
                QVERIFY(std::find(tags.begin(), tags.end(), std::string(1, tag)) != tags.end());
            }
        }
        QVERIFY(store->check());
    }

    void aRebuildKeepsWhatStartsMeanwhile() {
        StoreFixture f;
        for (int i = 0; i < 5; ++i) f.add("old" + std::to_string(i), aConfig("old"));
        RunStore other = f.open();
        bool started = false;
        const auto report = rebuildIndex(f.home, 0, [&](std::int64_t done, std::int64_t) {
            if (done < 2 || started) return true;
            started = true;
            return other.createRun(newRun("new"), 5).has_value() &&
                   other.upsertSweep({SweepId("sweep"), "s", "id", "running", 1, {}, "", ""}).has_value() &&
                   other.upsertTrial({SweepId("sweep"), 0, "t", "running", "", RunId("new"), "", ""}).has_value() &&
                   other.changeTags({RunId("old4")}, {"kept"}, {}).has_value();
        });
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QVERIFY(started);
        QCOMPARE(report->removed, 0);
        QCOMPARE(idsOf(f.store).size(), std::size_t{6});
        QCOMPARE(f.store.sweeps()->size(), std::size_t{1});
        QCOMPARE(f.store.trials(SweepId("sweep"))->size(), std::size_t{1});
        QCOMPARE(f.store.run(RunId("old4"))->tags, std::vector<std::string>{"kept"});
    }

    void aKilledRebuildIsFinishedByTheNextProgram() {
        StoreFixture f;
        for (int i = 0; i < 40; ++i) f.add("run" + std::to_string(100 + i), aConfig("run"));
        for (const int killedAt : {0, 1, 17, 39}) {
            const int code = inAnotherProgram([&] {
                // As if the index had been new: rows that this rebuild has not reached are old.
                (void)rebuildIndex(f.home, 0, [&](std::int64_t done, std::int64_t) {
                    if (done == killedAt) ::kill(::getpid(), SIGKILL);
                    return true;
                });
                return 0;
            });
            QCOMPARE(code, 128 + SIGKILL);
            RunStore next = f.open();
            QVERIFY(!*next.isComplete());
            const auto adopted = adoptFolders(next, kNow);
            QVERIFY(adopted && adopted->finishedRebuild);
            QCOMPARE(adopted->runs, std::int64_t{40 - killedAt});  // it goes on where the other was killed
            QVERIFY(*next.isComplete());
            QCOMPARE(idsOf(next).size(), std::size_t{40});
            QVERIFY(!hasNews(*adoptFolders(next, kNow)));
        }
    }

    void aNewIndexIsIncompleteUntilItsFoldersAreRead() {
        StoreFixture f;
        f.add("r1", aConfig("one"));
        { RunStore closing = std::move(f.store); }
        for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(f.home.index().string() + suffix);
        f.store = f.open();
        QVERIFY(!*f.store.isComplete());
        QCOMPARE(adoptFolders(f.store, kNow)->runs, std::int64_t{1});
        QVERIFY(*f.store.isComplete());
    }

    void oneProgramRebuildsAtATime() {
        StoreFixture f;
        f.add("r1", aConfig("one"));
        RunStore other = f.open();
        std::string code, adoptCode;
        QVERIFY(rebuildIndex(f.home, 0, [&](std::int64_t, std::int64_t) {
            code = rebuildIndex(f.home, 0).error().code;
            adoptCode = adoptFolders(other, kNow).error().code;
            return true;
        }));
        QCOMPARE(code, std::string("index_rebuilding"));
        QCOMPARE(adoptCode, std::string("index_rebuilding"));
        QVERIFY(rebuildIndex(f.home, 0));
    }

    void foldersOfOthersAreAdopted() {
        StoreFixture here, there;
        here.add("mine", aConfig("mine"));
        QVERIFY(adoptFolders(here.store, kNow));
        const RunId id = there.add("theirs", aConfig("theirs"));
        there.appendToStream(id, toLine(MetricHeader{1, id.value, 1, 0, 2, 50}) + stepLine(1, 3) + stepLine(2, 2));
        fs::copy(there.home.run(id)->path, here.home.run(id)->path, fs::copy_options::recursive);
        auto adopted = adoptFolders(here.store, kNow);
        QCOMPARE(adopted->runs, std::int64_t{1});
        QCOMPARE(here.store.run(id)->name, std::string("theirs"));
        QCOMPARE(here.store.series(id, "loss")->size(), std::size_t{2});
        QVERIFY(!hasNews(*adoptFolders(here.store, kNow)));
        // Its writer goes on: nobody launched it from here, so nobody else reads its stream.
        here.appendToStream(id, stepLine(3, 1));
        adopted = adoptFolders(here.store, kNow);
        QCOMPARE(adopted->changed, std::int64_t{1});
        QCOMPARE(here.store.series(id, "loss")->size(), std::size_t{3});
        // Another computer changes it.
        auto meta = *readJsonFile(here.home.run(id)->meta());
        meta["tags"] = Json::array({"from there"});
        meta["status"] = "completed";
        QVERIFY(writeJsonFile(here.home.run(id)->meta(), meta));
        QVERIFY(adoptFolders(here.store, kNow));
        QCOMPARE(here.store.run(id)->tags, std::vector<std::string>{"from there"});
        QCOMPARE(here.store.run(id)->status, RunStatus::Completed);
    }

    // What another computer wrote into meta.json stays when this one changes something else.
    void changesOfTwoComputersMeet() {
        StoreFixture f;
        const RunId id = f.add("r1", aConfig("one"));
        auto meta = *readJsonFile(f.home.run(id)->meta());
        meta["notes"] = "from there";
        QVERIFY(writeJsonFile(f.home.run(id)->meta(), meta));
        QVERIFY(f.store.changeTags({id}, {"from here"}, {}));
        QCOMPARE(f.store.run(id)->notes, std::string("from there"));
        meta = *readJsonFile(f.home.run(id)->meta());
        QCOMPARE(meta["notes"].get<std::string>(), std::string("from there"));
        QCOMPARE(meta["tags"].size(), std::size_t{1});
    }

    void aFolderThatIsBeingMadeIsNoRunYet() {
        StoreFixture f;
        const RunDir dir = *f.home.run(RunId("half"));
        fs::create_directories(dir.path);
        QVERIFY(writeJsonFile(dir.config(), toJson(aConfig("half"))));
        QVERIFY(!hasNews(*adoptFolders(f.store, kNow)));
        QVERIFY(rebuildIndex(f.home, 0));
        QVERIFY(idsOf(f.store).empty());
        QVERIFY(writeJsonFile(dir.meta(), Json{{"status", "completed"}}));
        QCOMPARE(adoptFolders(f.store, kNow)->runs, std::int64_t{1});  // though runs/ itself did not change
    }

    // A creator that is killed leaves a whole run or none, and none that waits for it for ever.
    void killedCreatorsLeaveWholeRuns() {
        StoreFixture f;
        std::mt19937 random(20261123);
        int killed = 0;
        for (int round = 0; round < 12; ++round) {
            const pid_t child = ::fork();
            if (child == 0) {
                auto store = RunStore::open(f.home, OpenMode::ReadWrite);
                for (int i = 0; store; ++i)
                    if (!store->createRun(newRun("r" + std::to_string(round) + "-" + std::to_string(i)), 7)) break;
                ::_exit(1);
            }
            waitUntil(20, [&] {
                const std::string prefix = "r" + std::to_string(round) + "-";
                const auto all = foldersOf(f.home);
                return std::any_of(all.begin(), all.end(), [&](const auto& n) { return n.starts_with(prefix); });
            });
            ::usleep(random() % 30000);
            ::kill(child, SIGKILL);
            int status = 0;
            ::waitpid(child, &status, 0);
            killed += WIFSIGNALED(status) ? 1 : 0;
        }
        QCOMPARE(killed, 12);
        QVERIFY(adoptFolders(f.store, unixMillisecondsNow()));
        std::set<std::string> runs;
        for (const std::string& name : foldersOf(f.home)) {
            if (name.starts_with(".")) continue;
            runs.insert(name);
            const RunDir dir{f.home.runs() / name};
            QVERIFY(readJsonFile(dir.config()) && readJsonFile(dir.meta()));
        }
        QCOMPARE(idsOf(f.store), runs);
        QVERIFY(runs.size() >= 12);
        for (const std::string& id : runs) QCOMPARE(f.store.run(RunId(id))->status, RunStatus::Lost);
        // What was given up goes, in time.
        QVERIFY(f.store.createRun(newRun("another"), 8));
        QVERIFY(adoptFolders(f.store, unixMillisecondsNow() + 7200000));
        for (const std::string& name : foldersOf(f.home)) QVERIFY2(!name.starts_with("."), name.c_str());
    }

    void aRunThatIsThereIsNotMadeAgain() {
        StoreFixture f, there;
        QVERIFY(f.store.createRun(newRun("r1"), 5));
        QCOMPARE(f.store.createRun(newRun("r1"), 6).error().code, std::string("run_exists"));
        // The index of another computer on this home does not know it, the folder does.
        const RunId id("theirs");
        QVERIFY(there.store.createRun(newRun("theirs"), 5));
        fs::copy(there.home.run(id)->path, f.home.run(id)->path, fs::copy_options::recursive);
        QCOMPARE(f.store.createRun(newRun("theirs"), 6).error().code, std::string("run_exists"));
        QCOMPARE(foldersOf(f.home), (std::set<std::string>{"r1", "theirs"}));
    }

    void readersDoNotWaitForWriters() {
        StoreFixture f;
        f.add("r1", aConfig("one"));
        sqlite3* writer = nullptr;
        sqlite3_open(f.home.index().c_str(), &writer);
        execute(writer, "BEGIN EXCLUSIVE");
        RunStore reader = f.open();  // opening waits for nobody either
        reader.setPatience(0);
        QCOMPARE(reader.list({})->size(), std::size_t{1});
        QCOMPARE(reader.changeTags({RunId("r1")}, {"x"}, {}).error().code, std::string("store_busy"));
        QVERIFY(reader.findRun("one"));
        execute(writer, "ROLLBACK");
        sqlite3_close(writer);
        QVERIFY(reader.changeTags({RunId("r1")}, {"x"}, {}));
    }

    void programsGoOverToTheNewIndex() {
        StoreFixture f;
        for (int i = 0; i < 60; ++i) f.add("r" + std::to_string(100 + i), aConfig("one"));
        RunStore reader = f.open(OpenMode::ReadOnly);
        QVERIFY(reader.list({}));
        executeAlone(f.home.index(), "DROP TABLE run_documents");  // damage that opening does not see
        QVERIFY(f.open(OpenMode::ReadOnly).list({}));              // lists read no documents
        QCOMPARE(reader.run(RunId("r100")).error().code, std::string("store_corrupt"));
        const int code = inAnotherProgram([&] { return rebuildIndex(f.home, kNow) ? 0 : 1; });
        QCOMPARE(code, 0);
        QCOMPARE(reader.list({})->size(), std::size_t{60});
        QVERIFY(f.store.rename(RunId("r100"), "renamed"));
        QCOMPARE(reader.run(RunId("r100"))->name, std::string("renamed"));
        QVERIFY(fs::exists(f.home.index().string() + ".damaged-" + std::to_string(kNow)));
    }

    void anIndexThatSomebodyDeletedIsMadeAgain() {
        StoreFixture f;
        f.add("r1", aConfig("one"));
        for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(f.home.index().string() + suffix);
        QVERIFY(!*f.store.isComplete());
        QVERIFY(adoptFolders(f.store, kNow));
        QCOMPARE(idsOf(f.store), std::set<std::string>{"r1"});
        QVERIFY(adoptRun(f.store, RunId("r1"), kNow));
        QCOMPARE(adoptRun(f.store, RunId("r2"), kNow).error().code, std::string("run_missing"));
    }

    void aDamagedSchemaIsHealed_data() {
        QTest::addColumn<QByteArray>("damage");
        QTest::newRow("version 1 on newer tables") << QByteArray("PRAGMA user_version = 1");
        QTest::newRow("version 0 on our tables") << QByteArray("PRAGMA user_version = 0");
        QTest::newRow("negative version") << QByteArray("PRAGMA user_version = -5");
        QTest::newRow("a column is gone") << QByteArray("ALTER TABLE runs DROP COLUMN host");
        QTest::newRow("a table is gone") << QByteArray("DROP TABLE index_state");
        QTest::newRow("another program's id") << QByteArray("PRAGMA application_id = 5");
    }

    void aDamagedSchemaIsHealed() {
        QFETCH(QByteArray, damage);
        StoreFixture f;
        f.add("r1", aConfig("one"));
        QVERIFY(f.store.setNotes(RunId("r1"), "kept"));
        { RunStore closing = std::move(f.store); }
        executeAlone(f.home.index(), damage.constData());
        const auto report = rebuildIndex(f.home, kNow);
        QVERIFY2(report, report ? "" : report.error().text().c_str());
        QVERIFY(!report->damagedCopy.empty());
        f.store = f.open();
        QCOMPARE(f.store.run(RunId("r1"))->notes, std::string("kept"));
        QVERIFY(f.store.check());
    }

    void pipesAndLinksAreRefused() {
        StoreFixture f;
        for (const char* id : {"fifo", "link", "good"}) f.add(id, aConfig(id));
        const RunDir fifo = *f.home.run(RunId("fifo")), link = *f.home.run(RunId("link"));
        for (const fs::path& path : {fifo.meta(), fifo.config(), fifo.metrics(), fifo.plan()}) {
            fs::remove(path);
            QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
        }
        for (const fs::path& path : {link.meta(), link.config()}) {
            const fs::path secret = f.dir.path() / ("secret-" + path.filename().string());
            fs::rename(path, secret);
            fs::create_symlink(secret, path);
        }
        const auto report = rebuildIndex(f.home, 0);  // waits for no pipe
        QVERIFY(report);
        QCOMPARE(std::count_if(report->issues.begin(), report->issues.end(),
                               [](const Issue& issue) { return issue.code == "not_a_file"; }),
                 6);
        QCOMPARE(f.store.run(RunId("link"))->name, std::string("link"));  // the folder's name: nothing was read
        QCOMPARE(f.store.run(RunId("good"))->name, std::string("good"));
    }

    // Somebody else's home: reading it works, with an index of one's own, and changes nothing in it.
    void aReadOnlyHomeIsRead() {
        if (::geteuid() != 0) QSKIP("needs root, to become somebody else");
        StoreFixture f;
        const RunId id = f.add("r1", aConfig("one"));
        { RunStore closing = std::move(f.store); }
        fs::permissions(f.dir.path(), fs::perms(0755));
        fs::permissions(f.home.path, fs::perms(0755));  // a new home is its maker's alone
        for (const auto& entry : fs::recursive_directory_iterator(f.home.path))
            fs::permissions(entry.path(), fs::perms(entry.is_directory() ? 0755 : 0644));
        TempDir cache;
        fs::permissions(cache.path(), fs::perms(0777));
        const auto before = fs::last_write_time(f.home.path);
        const std::string meta = *readFile(f.home.run(id)->meta());
        const int code = inAnotherProgram([&] {
            if (::setuid(65534) != 0) return 9;
            ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
            if (f.home.index().parent_path() == f.home.path) return 1;
            auto store = RunStore::open(f.home, OpenMode::ReadWrite);
            if (!store || !adoptFolders(*store, unixMillisecondsNow())) return 2;
            if (idsOf(*store) != std::set<std::string>{"r1"}) return 3;
            const auto denied = store->rename(id, "x");
            return !denied && store->run(id)->name == "one" ? 0 : 4;
        });
        QCOMPARE(code, 0);
        QVERIFY(fs::last_write_time(f.home.path) == before);
        QCOMPARE(*readFile(f.home.run(id)->meta()), meta);
        f.store = f.open();
    }

    void listsSayWhenTheyChanged() {
        StoreFixture f;
        RunStore other = f.open();
        const RunId id = f.add("r1", aConfig("one"));
        f.appendToStream(id, toLine(MetricHeader{1, id.value, 1, 0, 2, 50}));
        std::int64_t version = *other.listVersion();
        f.ingest(id);
        f.appendToStream(id, stepLine(1, 3));
        f.ingest(id);
        QCOMPARE(*other.listVersion(), version);
        RunChange completed;
        completed.status = RunStatus::Completed;
        const std::vector<std::function<Result<void>()>> changes = {
            [&] { return f.store.changeTags({id}, {"x"}, {}); },
            [&] { return f.store.observeRun(id, RunStatus::Running, "far", 5); },
            [&] {
                return f.store.upsertSweep({SweepId("s"), "s", "id", "running", 1, {}, "", ""});
            },
            [&] { return f.store.updateRun(id, completed); }};
        for (const auto& change : changes) {
            QVERIFY(change());
            QVERIFY(*other.listVersion() > version);
            version = *other.listVersion();
        }
        QCOMPARE(f.store.run(id)->host, std::string());  // whoever may end it is where it ran
    }
};

SLIPWAY_TEST(TstIndexPrograms)
#include "tst_index_programs.moc"
