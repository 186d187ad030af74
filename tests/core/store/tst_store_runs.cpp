#include "core/store/reindex.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <cmath>
#include <limits>

using namespace slipway;
using namespace slipway::test;

namespace {

std::string idsOf(StoreFixture& f, const RunQuery& query) {
    std::string out;
    const auto rows = f.store.list(query);
    if (!rows) return rows.error().text();
    for (const RunRow& row : *rows) out += (out.empty() ? "" : " ") + row.record.id.value;
    return out;
}

}  // namespace

class TstStoreRuns : public QObject {
    Q_OBJECT

private slots:
    // Many runs at once: one that cannot be made takes no other with it, nobody sees a part, and a failure leaves no
    // rows.
    void storesRunsTogether() {
        StoreFixture f;
        RunStore other = f.open(OpenMode::ReadOnly);
        const auto numSeen = [&] { return other.count({})->total; };
        const auto stored = f.store.together([&]() -> Result<void> {
            f.add("a", aConfig("one"));
            f.appendToStream(RunId("a"), stepLine(1, 3.0));
            f.ingest(RunId("a"));
            NewRun again;
            again.id = RunId("a");
            if (f.store.createRun(again, 1)) return fail("store_failed", "A run was made twice.");
            f.add("b", aConfig("two"));
            return numSeen() == 0 ? Result<void>{} : fail("store_failed", "A part was seen.");
        });
        QVERIFY2(stored.has_value(), stored ? "" : stored.error().message.c_str());
        QCOMPARE(numSeen(), std::int64_t{2});
        QCOMPARE(f.store.run(RunId("a"))->name, std::string("one"));
        QCOMPARE(f.store.series(RunId("a"), "loss")->values.size(), std::size_t{1});
        const auto failed = f.store.together([&]() -> Result<void> {
            f.add("c", aConfig("three"));
            return fail("disk_full", "No space.");
        });
        QCOMPARE(failed.error().code, std::string("disk_full"));
        QCOMPARE(numSeen(), std::int64_t{2});
        f.add("d", aConfig("four"));  // nothing is left open
        QCOMPARE(numSeen(), std::int64_t{3});
        QVERIFY(adoptFolders(f.store, 0));  // the files of c stayed
        QCOMPARE(numSeen(), std::int64_t{4});
    }

    // SQLite keeps a copy of each page that a part of a transaction changes, and walks over all of them for each of its statements:
    // minutes for the marks of five thousand runs.
    void marksOfManyRunsKeepNoCopies() {
        StoreFixture f;
        std::vector<RunId> ids;
        QVERIFY(f.store.together([&]() -> Result<void> {
            for (int i = 0; i < 400; ++i) {
                ids.emplace_back("run" + std::to_string(i));
                f.add(ids.back().value, aConfig("one"));
            }
            return {};
        }));
        QVERIFY(f.store.together([&] { return f.store.setArchived(ids, true); }));  // all pages are in the cache
        sqlite3_int64 copies = 0;
        QVERIFY(f.store.together([&]() -> Result<void> {
            const sqlite3_int64 before = sqlite3_memory_used();
            sqlite3_memory_highwater(1);
            auto locked = f.store.setLocked(ids, true);
            copies = sqlite3_memory_highwater(0) - before;
            return locked;
        }));
        QVERIFY2(copies < 150'000, qPrintable(QString::number(copies)));
        QVERIFY(f.store.run(ids.back())->locked);
        // One that may not be moved to the trash keeps all of them out of it.
        QVERIFY(f.store.setLocked({ids[0]}, false));
        QVERIFY(f.store.together([&]() -> Result<void> {
            return f.store.trash(ids, 1) ? fail("store_failed", "A locked run is in the trash.") : Result<void>{};
        }));
        QVERIFY(!f.store.run(ids[0])->deletedUnixMilliseconds);
    }

    void keepsWhatARunIs() {
        StoreFixture f;
        NewRun run;
        run.id = RunId("20260101-a");
        run.config = aConfig("dp2 tp2", 2, 2);
        run.cluster = ClusterSpec{};
        run.cluster->numNodes = 3;
        run.forecastJson = R"({"step_seconds":0.5,"mfu":0.4,"mfu_rule":"C","parameters":1000})";
        run.tags = {"b", " a ", "b", ""};
        run.sweep = SweepId("s1");
        run.trial = 4;
        f.add(run, 1234);
        QCOMPARE(f.store.createRun(run, 1).error().code, std::string("run_exists"));

        const RunRecord r = *f.store.run(run.id);
        QCOMPARE(r.name, std::string("dp2 tp2"));
        QCOMPARE(wordOf(r.status), std::string("planned"));
        QCOMPARE(r.createdUnixMilliseconds, 1234);
        QVERIFY(!r.startedUnixMilliseconds && !r.endedUnixMilliseconds && !r.exitCode && !r.deletedUnixMilliseconds);
        QCOMPARE(r.tags, (std::vector<std::string>{"a", "b"}));
        QCOMPARE(r.sweep.value, std::string("s1"));
        QCOMPARE(*r.trial, 4);
        QCOMPARE(r.configHash, configHash(run.config));
        QCOMPARE(r.numSteps, 100);
        QCOMPARE(*r.forecast.stepSeconds, 0.5);
        QCOMPARE(r.forecast.mfuRule, std::string("C"));
        QVERIFY(!r.forecast.commBytes && !r.measured.mfu);
        QCOMPARE(r.folder, f.home.runs() / "20260101-a");
        QVERIFY(diffConfigs(*parseRunConfig(*parseJson(r.configJson, ""), ""), run.config).empty());
        QCOMPARE(r.forecastJson, run.forecastJson);

        RunQuery query;
        query.columns = {"tp",  "num_nodes",    "schedule",  "model.rope_theta", "tag",
                         "mfu", "forecast.mfu", "precision", "world_size"};
        const auto rows = f.store.list(query);
        QVERIFY(rows && rows->size() == 1);
        const std::vector<CellValue>& cells = rows->front().cells;
        QCOMPARE(std::get<std::int64_t>(cells[0]), 2);
        QCOMPARE(std::get<std::int64_t>(cells[1]), 3);
        QVERIFY(std::holds_alternative<std::monostate>(cells[2]));  // no pipeline, no schedule
        QCOMPARE(std::get<double>(cells[3]), 10000.0);
        QCOMPARE(std::get<std::string>(cells[4]), std::string("a, b"));
        QVERIFY(std::holds_alternative<std::monostate>(cells[5]));
        QCOMPARE(std::get<double>(cells[6]), 0.4);
        QCOMPARE(std::get<std::string>(cells[7]), std::string("fp32"));
        QCOMPARE(std::get<std::int64_t>(cells[8]), 4);
        query.columns = {"mfuu"};
        QCOMPARE(f.store.list(query).error().message, std::string("Unknown field mfuu; did you mean mfu?"));
    }

    // What people type is refused; what is in a folder already is read (namesInFoldersAreRepaired).
    void namesThatCannotBeStored() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        const std::string longer(201, 'x'), nul("a\0b", 3), broken = "\xFF";
        for (const std::string& name : {longer, nul, broken}) {
            QCOMPARE(f.store.rename(id, name).error().code, std::string("bad_name"));
            QCOMPARE(f.store.changeTags({id}, {"a", name}, {}).error().code, std::string("bad_name"));
            NewRun run;
            run.id = RunId("s");
            run.config = aConfig(name);
            QCOMPARE(f.store.createRun(run, 1).error().code, std::string("bad_name"));
            QVERIFY(!std::filesystem::exists(f.home.runs() / "s"));
        }
        QVERIFY(f.store.setNotes(id, longer));
        QCOMPARE(f.store.setNotes(id, nul).error().message, std::string("notes must not contain a NUL character."));
        const RunRecord r = *f.store.run(id);
        QCOMPARE(r.name, std::string("x"));
        QVERIFY(r.tags.empty());
        QCOMPARE(r.notes, longer);
    }

    void namesInFoldersAreRepaired() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        const auto meta = f.home.run(id)->meta();
        Json json = *readJsonFile(meta);
        json["name"] = std::string(300, 'x') + std::string("\0", 1);
        json["tags"] = {std::string("a\0b", 3)};
        QVERIFY(writeJsonFile(meta, json));
        QVERIFY(rebuildIndex(f.home, 0));
        QCOMPARE(f.store.run(id)->name, std::string(199, 'x') + "…");
        QCOMPARE(f.store.run(id)->tags, std::vector<std::string>{"a\xEF\xBF\xBD"
                                                                 "b"});
        QVERIFY(f.store.changeTags({id}, {"c"}, {}));  // its other texts do not stand in the way
    }

    void updatesOnlyWhatIsGiven() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        RunChange change;
        change.status = RunStatus::Failed;
        change.exitCode = 13;
        change.reason = "The loss was not finite.";
        change.endedUnixMilliseconds = 99;
        RunFigures measured;
        measured.finalLoss = std::numeric_limits<double>::quiet_NaN();
        measured.mfu = std::numeric_limits<double>::infinity();
        change.measured = measured;
        QVERIFY(f.store.updateRun(id, change));
        QVERIFY(f.store.updateRun(id, RunChange{}));
        RunRecord r = *f.store.run(id);
        QCOMPARE(wordOf(r.status), std::string("failed"));
        QCOMPARE(*r.exitCode, 13);
        QVERIFY(std::isnan(*r.measured.finalLoss));
        QVERIFY(std::isinf(*r.measured.mfu));
        RunChange again;
        again.status = RunStatus::Queued;
        again.clearEnd = true;
        QVERIFY(f.store.updateRun(id, again));
        r = *f.store.run(id);
        QVERIFY(!r.exitCode && !r.endedUnixMilliseconds && r.reason.empty());
        QCOMPARE(f.store.updateRun(RunId("nope"), again).error().code, std::string("run_missing"));
    }

    void marksGoToTheFileFirst() {
        StoreFixture f;
        const RunId a = f.add("a", aConfig("x"));
        const RunId b = f.add("b", aConfig("y"));
        QVERIFY(f.store.rename(a, "new name"));
        QVERIFY(f.store.setNotes(a, "**note**\nsecond line"));
        QVERIFY(f.store.changeTags({a, b}, {"one", "two"}, {}));
        QVERIFY(f.store.changeTags({b}, {"three"}, {"one"}));
        QVERIFY(f.store.setArchived({b}, true));
        const Json meta = *readJsonFile(f.home.run(a)->meta());
        QCOMPARE(meta["name"].get<std::string>(), std::string("new name"));
        QCOMPARE(meta["notes"].get<std::string>(), std::string("**note**\nsecond line"));
        QCOMPARE(meta["tags"].size(), std::size_t{2});
        QCOMPARE(f.store.run(b)->tags, (std::vector<std::string>{"three", "two"}));
        QCOMPARE((*readJsonFile(f.home.run(b)->meta()))["archived"].get<bool>(), true);
        // One bad id and nothing changes.
        QVERIFY(!f.store.setArchived({a, RunId("nope")}, true));
        QVERIFY(!f.store.run(a)->archived);
    }

    void unwritableFolderChangesNothing() {
        StoreFixture f;
        const RunId id = f.add("a", aConfig("x"));
        std::filesystem::remove_all(f.home.run(id)->path);
        std::ofstream(f.home.run(id)->path) << "a file where the folder should be";
        QVERIFY(!f.store.setNotes(id, "lost?"));
        QCOMPARE(f.store.run(id)->notes, std::string());
    }

    void trashAndUndo() {
        StoreFixture f;
        const RunId a = f.add("a", aConfig("x"));
        const RunId b = f.add("b", aConfig("y"));
        const RunId c = f.add("c", aConfig("z"));
        RunChange running;
        running.status = RunStatus::Running;
        QVERIFY(f.store.updateRun(c, running));
        QVERIFY(f.store.setLocked({b}, true));
        QCOMPARE(f.store.trash({a, b}, 5000).error().code, std::string("run_locked"));
        QCOMPARE(f.store.trash({a, c}, 5000).error().code, std::string("run_running"));
        QVERIFY(!f.store.run(a)->deletedUnixMilliseconds);
        QVERIFY(f.store.trash({a}, 5000));
        RunQuery query;
        query.sort = {{"id", false}};
        QCOMPARE(idsOf(f, query), std::string("b c"));
        query.scope = RunScope::Trash;
        QCOMPARE(idsOf(f, query), std::string("a"));
        QVERIFY(f.store.restore({a}));
        query.scope = RunScope::Active;
        QCOMPARE(idsOf(f, query), std::string("a b c"));

        QVERIFY(f.store.trash({a}, 5000));
        QVERIFY(f.store.emptyTrash(5000)->empty());
        QVERIFY(std::filesystem::exists(f.home.run(a)->path));
        QCOMPARE(f.store.emptyTrash(5001)->size(), std::size_t{1});
        QVERIFY(!std::filesystem::exists(f.home.run(a)->path));
        QCOMPARE(f.store.run(a).error().code, std::string("run_missing"));
    }

    void finds() {
        StoreFixture f;
        f.add("20260101-aa", aConfig("same"), {}, 1);
        f.add("20260101-ab", aConfig("same"), {}, 2);
        f.add("20260202-zz", aConfig("20260101"), {}, 3);
        f.add("20260303-zz", aConfig(""), {}, 4);
        QCOMPARE(f.store.findRun("20260101-aa")->id.value, std::string("20260101-aa"));
        QCOMPARE(f.store.findRun("20260202")->id.value, std::string("20260202-zz"));
        QCOMPARE(f.store.findRun("same")->id.value, std::string("20260101-ab"));
        QCOMPARE(f.store.findRun("20260101-a").error().code, std::string("run_ambiguous"));
        QCOMPARE(f.store.findRun("").error().code, std::string("run_missing"));
        QCOMPARE(f.store.findRun("../etc").error().code, std::string("run_missing"));
    }

    void sorts() {
        StoreFixture f;
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double inf = std::numeric_limits<double>::infinity();
        const struct {
            const char* id;
            std::int64_t dp;
            std::optional<double> mfu;
        } runs[] = {{"a", 2, 0.3}, {"b", 4, 0.1}, {"c", 2, nan}, {"d", 4, {}}, {"e", 2, 0.2}, {"f", 4, inf}};
        std::int64_t now = 0;
        for (const auto& r : runs) {
            const RunId id = f.add(r.id, aConfig(std::string("n") + r.id, r.dp), {}, ++now);
            RunChange change;
            RunFigures figures;
            figures.mfu = r.mfu;
            change.measured = figures;
            QVERIFY(f.store.updateRun(id, change));
        }
        RunQuery query;
        QCOMPARE(idsOf(f, query), std::string("f e d c b a"));  // newest first
        query.sort = {{"mfu", false}};
        QCOMPARE(idsOf(f, query), std::string("b e a f c d"));
        query.sort = {{"mfu", true}};  // what is no number is last in both directions
        QCOMPARE(idsOf(f, query), std::string("a e b f c d"));
        query.sort = {{"dp", false}, {"mfu", true}};
        QCOMPARE(idsOf(f, query), std::string("a e c b f d"));
        query.sort = {{"name", true}};
        QCOMPARE(idsOf(f, query), std::string("f e d c b a"));
        query.offset = 2;
        query.limit = 3;
        QCOMPARE(idsOf(f, query), std::string("d c b"));
        query.sort = {{"mufu", true}};
        QCOMPARE(f.store.list(query).error().message, std::string("Unknown field mufu; did you mean mfu?"));
        const RunCounts counts = *f.store.count(query);
        QCOMPARE(counts.total, 6);
        QCOMPARE(counts.planned, 6);
    }
};

SLIPWAY_TEST(TstStoreRuns)
#include "tst_store_runs.moc"
