#include "core/base/file.h"
#include "core/store/database.h"
#include "core/store/migrations.h"
#include "core/store/reindex.h"
#include "tests/core/store/database_dump.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <QRegularExpression>
#include <cmath>
#include <limits>

using namespace slipway;
using namespace slipway::test;

namespace {

int schemaVersion() {
    return static_cast<int>(store::migrations().size());
}

void runSql(const std::filesystem::path& path, const char* sql) {
    sqlite3* db = nullptr;
    sqlite3_open(path.c_str(), &db);
    char* message = nullptr;
    if (sqlite3_exec(db, sql, nullptr, nullptr, &message) != SQLITE_OK) qFatal("%s", message);
    sqlite3_close(db);
}

int pragma(const std::filesystem::path& path, const char* sql) {
    sqlite3* db = nullptr;
    sqlite3_stmt* statement = nullptr;
    sqlite3_open(path.c_str(), &db);
    sqlite3_prepare_v2(db, sql, -1, &statement, nullptr);
    sqlite3_step(statement);
    const int value = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return value;
}

std::vector<std::string> filesIn(const std::filesystem::path& folder) {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

class TstStoreOpen : public QObject {
    Q_OBJECT

private slots:
    void createsAndReopens() {
        TempDir dir;
        const Home home{dir.path() / "a" / "b"};
        QCOMPARE(RunStore::open(home, OpenMode::ReadOnly).error().code, std::string("store_missing"));
        QVERIFY(RunStore::open(home, OpenMode::ReadWrite));
        QCOMPARE(pragma(home.index(), "PRAGMA user_version"), schemaVersion());
        QVERIFY(RunStore::open(home, OpenMode::ReadOnly));
        auto again = RunStore::open(home, OpenMode::ReadWrite);
        QVERIFY(again);
        QVERIFY(again->check());
    }

    // Of a stranger's index: its trigger calls no function with effects, and nobody rewrites its schema behind SQLite's back.
    void distrustsWhatTheFileBrings() {
        TempDir dir;
        const Home home{dir.path()};
        QVERIFY(RunStore::open(home, OpenMode::ReadWrite));
        runSql(home.index(), "CREATE TRIGGER evil AFTER INSERT ON metric_names BEGIN SELECT effect(); END");
        for (const OpenMode mode : {OpenMode::ReadWrite, OpenMode::ReadOnly}) {
            auto db = store::Database::open(home.index(), mode);
            QVERIFY(db);
            sqlite3* handle = db->raw().getHandle();
            for (const int setting : {SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_TRUSTED_SCHEMA}) {
                int isOn = -1;
                QCOMPARE(sqlite3_db_config(handle, setting, -1, &isOn), SQLITE_OK);
                QCOMPARE(isOn, setting == SQLITE_DBCONFIG_DEFENSIVE ? 1 : 0);
            }
            if (mode == OpenMode::ReadOnly) continue;
            static int calls = 0;
            const auto effect = [](sqlite3_context*, int, sqlite3_value**) { ++calls; };
            sqlite3_create_function(handle, "effect", 0, SQLITE_UTF8, nullptr, effect, nullptr, nullptr);
            QVERIFY_EXCEPTION_THROWN(db->execute("INSERT INTO metric_names (name) VALUES ('x')"), SQLite::Exception);
            QCOMPARE(calls, 0);
            db->execute("PRAGMA writable_schema = ON");
            QVERIFY_EXCEPTION_THROWN(db->execute("DELETE FROM sqlite_master"), SQLite::Exception);
        }
    }

    void saysThatAFolderCannotBeWritten() {
        // No file can be made there, whoever asks.
        ::setenv("XDG_CACHE_HOME", "/proc/self", 1);  // where the index of a home lies that cannot be written
        const auto opened = RunStore::open(Home{"/proc/self"}, OpenMode::ReadWrite);
        ::unsetenv("XDG_CACHE_HOME");
        QCOMPARE(opened.error().code, std::string("folder_unwritable"));
        QVERIFY(opened.error().message.find("--home") != std::string::npos);
    }

    void readOnlyCannotWrite() {
        StoreFixture f;
        f.add("r1", aConfig("one"));
        RunStore reader = f.open(OpenMode::ReadOnly);
        QCOMPARE(reader.run(RunId("r1"))->name, std::string("one"));
        QVERIFY(!reader.setNotes(RunId("r1"), "x"));
        QCOMPARE(f.store.run(RunId("r1"))->notes, std::string());
    }

    void refusesNewerSchema() {
        TempDir dir;
        const Home home{dir.path()};
        QVERIFY(RunStore::open(home, OpenMode::ReadWrite));
        runSql(home.index(), "PRAGMA user_version = 77");
        const std::string before = *readFile(home.index());
        const auto files = filesIn(dir.path());
        for (const OpenMode mode : {OpenMode::ReadWrite, OpenMode::ReadOnly}) {
            const auto opened = RunStore::open(home, mode);
            QVERIFY(!opened);
            QCOMPARE(opened.error().code, std::string("schema_newer"));
            QVERIFY(opened.error().message.find("version 77") != std::string::npos);
            QVERIFY(opened.error().message.find("up to " + std::to_string(schemaVersion())) != std::string::npos);
        }
        QVERIFY(*readFile(home.index()) == before);
        QCOMPARE(filesIn(dir.path()), files);
    }

    void refusesNewerSchemaInTheLog() {
        // The version stands in the write-ahead log only, as after a crash of the newer program.
        TempDir dir;
        const Home home{dir.path()};
        QVERIFY(RunStore::open(home, OpenMode::ReadWrite));
        sqlite3* other = nullptr;
        sqlite3_open(home.index().c_str(), &other);
        QCOMPARE(sqlite3_exec(other, "PRAGMA user_version = 78", nullptr, nullptr, nullptr), SQLITE_OK);
        const auto opened = RunStore::open(home, OpenMode::ReadWrite);
        QVERIFY(!opened);
        QCOMPARE(opened.error().code, std::string("schema_newer"));
        sqlite3_close(other);
        QCOMPARE(pragma(home.index(), "PRAGMA user_version"), 78);
    }

    // An index of the first schema, as an older program left it: nothing is lost, and the column that is new is filled
    // from the points that are in force.
    void bringsAnOldIndexAlong() {
        constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
        TempDir dir;
        const std::filesystem::path first = dir.path() / "first.sqlite";
        runSql(first, std::string(store::migrations().front().sql).c_str());
        StoreFixture f;
        RunChange ended;
        ended.status = RunStatus::Completed;
        ended.measured = RunFigures{};
        ended.measured->finalLoss = 2.5;
        const auto head = [](const RunId& id, std::int64_t attempt, std::int64_t resumeStep) {
            return toLine(MetricHeader{1, id.value, attempt, resumeStep, 2, 50});
        };
        const RunId plain = f.add("plain", aConfig("plain")), held = f.add("held", aConfig("held")),
                    resumed = f.add("resumed", aConfig("resumed")), diverged = f.add("diverged", aConfig("diverged"));
        f.appendToStream(plain, head(plain, 1, 0) + stepLine(1, 3));
        f.appendToStream(held, head(held, 1, 0) + evalLine(10, 3, 4.5) + evalLine(20, 3, 4.25) + stepLine(21, 3));
        f.appendToStream(resumed, head(resumed, 1, 0) + evalLine(10, 3, 4.5) + evalLine(20, 3, 4.25) +
                                      head(resumed, 2, 15) + stepLine(16, 3));
        f.appendToStream(diverged, head(diverged, 1, 0) + evalLine(10, 3, 4.5) + evalLine(20, kNan, kNan));
        for (const RunId& id : {plain, held, resumed, diverged}) {
            f.ingest(id);
            QVERIFY(f.store.updateRun(id, ended));
        }
        TempDir elsewhere;
        f.store = std::move(*RunStore::open(Home{elsewhere.path()}, OpenMode::ReadWrite));  // closes the index
        bringBack(f.home.index(), 1);
        QCOMPARE(schemaOf(f.home.index()), schemaOf(first));  // the tables of the first migration, no more and no less

        QCOMPARE(RunStore::open(f.home, OpenMode::ReadOnly).error().code, std::string("schema_older"));
        f.store = f.open();
        QCOMPARE(pragma(f.home.index(), "PRAGMA user_version"), schemaVersion());
        const auto lossOf = [&](const RunId& id) { return f.store.run(id)->measured.finalEvalLoss; };
        QVERIFY(!lossOf(plain));
        QCOMPARE(lossOf(held), std::optional(4.25));
        QCOMPARE(lossOf(resumed), std::optional(4.5));  // the evaluation at step 20 was superseded
        QVERIFY(lossOf(diverged) && std::isnan(*lossOf(diverged)));
        QCOMPARE(f.store.run(held)->measured.finalLoss, std::optional(2.5));
        // By column, filter and order; unknown stands last.
        RunQuery query;
        query.filter = "final_eval_loss<4.3";
        QCOMPARE(f.store.list(query)->size(), std::size_t{1});
        query.filter = "eval_loss>=4";
        QCOMPARE(f.store.list(query)->size(), std::size_t{2});
        query.filter.clear();
        query.sort = {{"final_eval_loss", false}};
        query.columns = {"final_eval_loss"};
        const auto rows = f.store.list(query);
        QCOMPARE(rows->front().record.id.value, held.value);
        QCOMPARE(std::get<double>(rows->front().cells.front()), 4.25);
        QVERIFY(std::holds_alternative<std::monostate>(rows->back().cells.front()));
        // The folders were written before there was this figure; a rebuilt index has it too.
        for (const RunId& id : {plain, held, resumed, diverged}) {
            Json meta = *readJsonFile(f.home.run(id)->meta());
            meta["measured"].erase("final_eval_loss");
            QVERIFY(writeJsonFile(f.home.run(id)->meta(), meta));
        }
        QVERIFY(rebuildIndex(f.home, 0));
        QCOMPARE(lossOf(held), std::optional(4.25));
        QCOMPARE(lossOf(resumed), std::optional(4.5));
        QVERIFY(!lossOf(plain));
    }

    // Whatever version an index has, its rows, points and levels are there after it was opened, and lists show them.
    void everyOlderSchemaKeepsEverything_data() {
        QTest::addColumn<int>("version");
        for (int version = 1; version < schemaVersion(); ++version)
            QTest::newRow(store::migrations()[static_cast<std::size_t>(version) - 1].name.data()) << version;
    }

    void everyOlderSchemaKeepsEverything() {
        QFETCH(int, version);
        TempDir dir;
        std::string tables;
        for (int i = 0; i < version; ++i) tables += store::migrations()[static_cast<std::size_t>(i)].sql;
        const std::filesystem::path old = dir.path() / "old.sqlite";
        runSql(old, tables.c_str());
        StoreFixture f;
        std::string stream;
        for (std::int64_t step = 1; step <= 2500; ++step) stream += stepLine(step, 3.0 / static_cast<double>(step));
        for (const char* id : {"a", "b"}) {
            f.add(id, aConfig(std::string("run ") + id));
            f.appendToStream(RunId(id), stream);
            f.ingest(RunId(id));
        }
        QVERIFY(f.store.changeTags({RunId("b")}, {"kept"}, {}));
        const QStringList before = dumpDatabase(f.home.index());
        {
            TempDir elsewhere;  // closes the index
            f.store = std::move(*RunStore::open(Home{elsewhere.path()}, OpenMode::ReadWrite));
            bringBack(f.home.index(), version);
        }
        QCOMPARE(schemaOf(f.home.index()), schemaOf(old));
        f.store = f.open();
        QVERIFY(f.store.check());
        while (*f.store.fillLevels(100)) {
        }
        QStringList after = dumpDatabase(f.home.index());
        if (version < 5) {  // how often the stream went back is counted since the fifth only
            after.replaceInStrings(QRegularExpression(QStringLiteral(" rewinds=\\d+")), QString());
            QStringList expected = before;
            expected.replaceInStrings(QRegularExpression(QStringLiteral(" rewinds=\\d+")), QString());
            QCOMPARE(after, expected);
        } else {
            QCOMPARE(after, before);
        }
        RunQuery query;
        query.filter = "kept";
        QCOMPARE(f.store.list(query)->front().record.name, std::string("run b"));
        QVERIFY(f.store.rename(RunId("a"), "kept too"));
        QCOMPARE(f.store.count(query)->total, 2);
    }

    void damagedFiles_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("text") << QByteArray(
            "this is no database at all, but it is long enough to have a header of a hundred bytes, is it not? yes");
        QTest::newRow("short") << QByteArray("SQLite format 3");
        QTest::newRow("header and rubbish") << QByteArray("SQLite format 3\0", 16) + QByteArray(4000, 'x');
    }

    void damagedFiles() {
        QFETCH(QByteArray, content);
        TempDir dir;
        const Home home{dir.path()};
        QVERIFY(writeFileAtomically(home.index(), content.toStdString()));
        const auto opened = RunStore::open(home, OpenMode::ReadWrite);
        QVERIFY(!opened);
        QCOMPARE(opened.error().code, std::string("store_corrupt"));
        QVERIFY(opened.error().message.find("reindex") != std::string::npos);
        QVERIFY(*readFile(home.index()) == content.toStdString());
    }

    void refusesAnotherProgramsDatabase() {
        TempDir dir;
        const Home home{dir.path()};
        runSql(home.index(), "CREATE TABLE photos (id); PRAGMA user_version = 3");
        QCOMPARE(RunStore::open(home, OpenMode::ReadWrite).error().code, std::string("store_corrupt"));
        QCOMPARE(pragma(home.index(), "PRAGMA user_version"), 3);
    }

    void damageInsideIsReported() {
        StoreFixture f;
        for (int i = 0; i < 200; ++i) f.add("r" + std::to_string(1000 + i), aConfig("name " + std::to_string(i)));
        { RunStore closing = std::move(f.store); }
        std::string bytes = *readFile(f.home.index());
        QVERIFY(bytes.size() > 60000);
        for (std::size_t i = 8192; i < bytes.size(); i += 3) bytes[i] = static_cast<char>(0x5A);
        QVERIFY(writeFileAtomically(f.home.index(), bytes));
        auto opened = RunStore::open(f.home, OpenMode::ReadWrite);
        QVERIFY(opened ? !opened->check() : opened.error().code == "store_corrupt");
        if (opened) QCOMPARE(opened->list({}).error().code, std::string("store_corrupt"));
        QVERIFY(std::filesystem::file_size(f.home.index()) == bytes.size());
        f.store = std::move(*RunStore::open(Home{f.dir.path() / "other"}, OpenMode::ReadWrite));
    }

    void secondWriterWaits() {
        StoreFixture f;
        f.add("r1", aConfig("one"));
        RunStore other = f.open();
        QVERIFY(f.store.rename(RunId("r1"), "a"));
        QVERIFY(other.rename(RunId("r1"), "b"));
        QCOMPARE(f.store.run(RunId("r1"))->name, std::string("b"));
    }
};

SLIPWAY_TEST(TstStoreOpen)
#include "tst_store_open.moc"
