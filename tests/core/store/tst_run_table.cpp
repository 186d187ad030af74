// Lists from columns in memory: they follow every change, and read what is new and no more.
#include "core/store/database.h"
#include "core/store/reindex.h"
#include "core/store/run_listing.h"
#include "core/store/run_table.h"
#include "core/store/skipped_trials.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

#include <sqlite3.h>

#include <limits>
#include <random>

using namespace slipway;
using namespace slipway::test;

namespace {

/// The rows that statements of a connection give.
class RowCounter {
public:
    explicit RowCounter(store::Database& db) : m_db(db.raw().getHandle()) {
        sqlite3_trace_v2(m_db, SQLITE_TRACE_ROW, count, &m_rows);
    }
    RowCounter(const RowCounter&) = delete;
    RowCounter& operator=(const RowCounter&) = delete;
    ~RowCounter() { sqlite3_trace_v2(m_db, 0, nullptr, nullptr); }
    [[nodiscard]] int rows() const { return m_rows; }

private:
    static int count(unsigned, void* rows, void*, void*) {
        ++*static_cast<int*>(rows);
        return 0;
    }
    sqlite3* m_db;
    int m_rows = 0;
};

std::string planOf(store::Database& db, const std::string& sql) {
    store::Query query = db.query("EXPLAIN QUERY PLAN " + sql);
    std::string out;
    while (query.next()) out += query.text(3) + "\n";
    return out;
}

std::string textOf(const Result<RunListing>& listing) {
    if (!listing) return listing.error().code;
    std::string out = std::to_string(listing->counts.total) + "/" + std::to_string(listing->numInScope) + " " +
                      std::to_string(listing->counts.failed) + " " + std::to_string(listing->figure.numKnown) + " " +
                      std::to_string(listing->figure.median) + " " + std::to_string(listing->greatestInScope) + ":";
    for (std::size_t i = 0; i < listing->ids.size(); ++i) out += " " + listing->ids.at(i).value;
    return out;
}

/// The answers of a store to one question.
std::string answersOf(RunStore& store, const RunQuery& query) {
    std::string out = textOf(store.listing(query));
    const auto groups = store.groups(query, {"final_loss"});
    if (!groups) return out + groups.error().code;
    for (const RunGroup& group : *groups)
        out += " " + std::to_string(group.count) + "/" + std::to_string(group.ran) + "/" +
               std::to_string(group.failed) + "/" + std::to_string(group.figures[0].median);
    return out;
}

std::vector<RunQuery> questions() {
    std::vector<RunQuery> out;
    for (const char* filter : {"", "status:failed or tag:b", "loss<0.5", "7", "not name~renamed", "loss:nan",
                               "last_step>1", "model.rope_theta:known", "notes:none archived:yes"})
        for (const char* sort : {"", "final_loss", "name"}) {
            RunQuery query;
            query.filter = filter;
            if (*sort != '\0') query.sort = {{sort, out.size() % 2 == 0}, {"status", false}};
            query.figure = "final_loss";
            query.groupBy = "tag";
            query.scope = out.size() % 5 == 0 ? RunScope::Trash : RunScope::Active;
            out.push_back(query);
        }
    return out;
}

}  // namespace

class TstRunTable : public QObject {
    Q_OBJECT

private slots:
    // A store that has been open for long answers like one that was opened now, whoever changed what.
    void followsEveryChange() {
        StoreFixture f;
        RunStore reader = f.open(OpenMode::ReadOnly);
        std::mt19937 random(21);
        std::vector<RunId> ids;
        const auto any = [&] { return ids[random() % ids.size()]; };
        for (int round = 0; round < 120; ++round) {
            RunStore& writer = f.store;
            switch (ids.size() < 4 ? 0 : random() % 10) {
                case 0:
                case 1:
                    ids.push_back(f.add("r" + std::to_string(round), aConfig("run " + std::to_string(round)), {},
                                        1000 + static_cast<std::int64_t>(random() % 50)));
                    break;
                case 2: {
                    RunChange change;
                    change.status = random() % 2 == 0 ? RunStatus::Failed : RunStatus::Completed;
                    change.measured.emplace().finalLoss = random() % 5 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                                                            : static_cast<double>(random() % 100) / 100;
                    QVERIFY(writer.updateRun(any(), change));
                    break;
                }
                case 3: QVERIFY(writer.rename(any(), "renamed " + std::to_string(random() % 3))); break;
                case 4: QVERIFY(writer.changeTags({any()}, {"b"}, {"c"})); break;
                case 5: QVERIFY(writer.setArchived({any()}, random() % 2 == 0)); break;
                case 6: QVERIFY(writer.trash({any()}, 5)); break;
                case 7: QVERIFY(writer.restore({any()})); break;
                case 8: {
                    const RunId id = any();
                    f.appendToStream(id, stepLine(static_cast<std::int64_t>(random() % 5) + 1, 3));
                    f.ingest(id);
                    break;
                }
                default:
                    if (random() % 4 == 0) {
                        const auto gone = writer.emptyTrash(10);
                        QVERIFY(gone);
                        for (const RunId& id : *gone) std::erase(ids, id);
                    } else {
                        QVERIFY(rebuildIndex(f.home, 0));
                    }
            }
            RunStore fresh = f.open(OpenMode::ReadOnly);
            for (const RunQuery& query : questions()) {
                const std::string expected = answersOf(fresh, query);
                QCOMPARE(answersOf(reader, query), expected);
                QCOMPARE(answersOf(writer, query), expected);
            }
        }
    }

    // Trials that never became a run are counted with the runs of their sweep.
    void countsWhatWasSkipped() {
        StoreFixture f;
        for (const char* id : {"a", "b"}) {
            NewRun run;
            run.id = RunId(id);
            run.config = aConfig(id);
            run.sweep = SweepId(std::string("sweep-") + id);
            f.add(run, 1000);
        }
        f.add("c", aConfig("c"));
        RunStore reader = f.open(OpenMode::ReadOnly);
        SkippedTrials kept;
        const auto skipped = [&](const char* filter) {
            RunQuery query;
            query.filter = filter;
            return kept.of(reader, query).value_or(-1);
        };
        for (const char* id : {"sweep-a", "sweep-b"})
            QVERIFY(f.store.upsertSweep({SweepId(id), "s", "", "running", 1000, {}, "{}", ""}));
        QCOMPARE(skipped(""), 0);
        std::int64_t trial = 0;
        for (const auto& [sweep, status] : std::initializer_list<std::pair<const char*, const char*>>{
                 {"sweep-a", "completed"}, {"sweep-a", "skipped"}, {"sweep-a", "infeasible"}, {"sweep-b", "skipped"}})
            QVERIFY(f.store.upsertTrial({SweepId(sweep), trial++, "t", status, "", {}, "", ""}));
        QCOMPARE(skipped(""), 3);
        QCOMPARE(skipped("name:b"), 1);
        QCOMPARE(skipped("name:c"), 0);
        QCOMPARE(*skippedIn(reader, SweepId("sweep-a")), 2);
        QVERIFY(f.store.upsertTrial({SweepId("sweep-a"), 1, "t", "running", "", RunId("d"), "", ""}));
        QCOMPARE(skipped(""), 2);
    }

    // What a transaction wrote and took back is in no later list.
    void forgetsWhatWasUndone() {
        StoreFixture f;
        for (const char* id : {"a", "b"}) f.add(id, aConfig("one"));
        RunQuery query;
        query.filter = "undone";
        QCOMPARE(f.store.count(query)->total, 0);
        const auto failed = f.store.together([&]() -> Result<void> {
            if (auto renamed = f.store.rename(RunId("a"), "undone"); !renamed) return renamed;
            return f.store.count(query)->total == 1 ? fail("disk_full", "No space.") : Result<void>{};
        });
        QCOMPARE(failed.error().code, std::string("disk_full"));
        // Other changes bring the number of changes back to where it was, and beyond.
        for (const char* name : {"x", "y", "z"}) QVERIFY(f.store.rename(RunId("b"), name));
        QCOMPARE(f.store.count(query)->total, 0);
    }

    void readsOnlyWhatIsNew() {
        StoreFixture f;
        constexpr int kRuns = 300;
        QVERIFY(f.store.together([&]() -> Result<void> {
            for (int i = 0; i < kRuns; ++i) f.add("r" + std::to_string(i), aConfig("run " + std::to_string(i)));
            return {};
        }));
        auto db = store::Database::open(f.home.index(), OpenMode::ReadOnly);
        QVERIFY(db);
        store::RunTable table;
        RunQuery query;
        query.filter = "run 7";
        query.sort = {{"name", false}};
        const auto rowsOf = [&](const std::string& filter) {
            query.filter = filter;
            const RowCounter counter(*db);
            const auto listing = table.listing(*db, query, {});
            return listing ? counter.rows() : -1;
        };
        QVERIFY(rowsOf("run 7") >= kRuns);
        // A keystroke: the number of changes, and no row of a run.
        QCOMPARE(rowsOf("run 77"), 1);
        QCOMPARE(rowsOf("not 3"), 1);
        QVERIFY(f.store.rename(RunId("r5"), "another"));
        const int afterOne = rowsOf("another");
        QVERIFY2(afterOne >= 2 && afterOne < 10, qPrintable(QString::number(afterOne)));
        QCOMPARE(table.listing(*db, query, {})->counts.total, 1);
        // A field that was not asked for yet costs one row for each run.
        QCOMPARE(rowsOf("lr>0"), kRuns + 1);
        QCOMPARE(rowsOf("lr>1"), 1);
    }

    // What the first rows and keystrokes need is in indexes; nothing reads the documents unless a filter names a field of theirs.
    void scansIndexesAlone() {
        StoreFixture f;
        f.add("a", aConfig("one"));
        auto db = store::Database::open(f.home.index(), OpenMode::ReadOnly);
        QVERIFY(db);
        std::vector<std::string> statements;
        sqlite3_trace_v2(
            db->raw().getHandle(), SQLITE_TRACE_STMT,
            [](unsigned, void* out, void*, void* sql) {
                static_cast<std::vector<std::string>*>(out)->emplace_back(static_cast<const char*>(sql));
                return 0;
            },
            &statements);
        store::RunTable table;
        RunQuery query;
        query.figure = "tokens_per_second_per_device";
        QVERIFY(table.listing(*db, query, {}));
        query.filter = "one tp:1 mfu:none";
        QVERIFY(table.listing(*db, query, {}));
        const std::vector<std::string> first = statements;
        query.filter = "reason:none";
        QVERIFY(table.listing(*db, query, {}));
        sqlite3_trace_v2(db->raw().getHandle(), 0, nullptr, nullptr);
        QVERIFY(first.size() >= 5 && statements.size() > first.size());
        for (const std::string& sql : first) {
            const std::string plan = planOf(*db, sql);
            QVERIFY2(plan.find("SCAN") == std::string::npos || plan.find("COVERING INDEX") != std::string::npos ||
                         plan.find("index_state") != std::string::npos,
                     (sql + "\n" + plan).c_str());
        }
        for (const std::string& sql : statements)
            for (const char* apart : {"run_documents", "metric_chunks", "metric_levels", "curve_outlines"})
                QVERIFY2(sql.find(apart) == std::string::npos, sql.c_str());
    }

    void stopsAndGoesOn() {
        StoreFixture f;
        f.add("a", aConfig("one"));
        std::stop_source stopped;
        stopped.request_stop();
        RunQuery query;
        query.filter = "one";
        QCOMPARE(f.store.listing(query, stopped.get_token()).error().code, std::string("cancelled"));
        QCOMPARE(f.store.prepare({"notes"}, stopped.get_token()).error().code, std::string("cancelled"));
        QCOMPARE(f.store.listing(query)->counts.total, 1);
        QCOMPARE(f.store.prepare({"notse"}, {}).error().code, std::string("unknown_field"));
        QVERIFY(f.store.prepare({"notes"}, {}));
    }

    void groupsAndSummarises() {
        StoreFixture f;
        const std::vector<std::pair<std::int64_t, std::optional<double>>> runs = {
            {2, 1.0}, {2, 3.0}, {2, std::numeric_limits<double>::infinity()}, {4, {}}, {4, 8.0}, {8, {}}};
        int i = 0;
        for (const auto& [dp, loss] : runs) {
            const RunId id = f.add("r" + std::to_string(i++), aConfig("one", dp));
            RunChange change;
            change.measured.emplace().finalLoss = loss;
            change.status = i == 1 ? RunStatus::Completed : i == 2 ? RunStatus::Failed : RunStatus::Lost;
            if (i > 3) change.status.reset();
            QVERIFY(f.store.updateRun(id, change));
        }
        RunQuery query;
        query.figure = "final_loss";
        query.groupBy = "dp";
        query.filter = "dp<8";
        const auto listing = f.store.listing(query);
        QVERIFY(listing);
        QCOMPARE(listing->figure.numKnown, 3);
        QCOMPARE(listing->figure.median, 3.0);
        QCOMPARE(listing->figure.greatest, 8.0);
        QCOMPARE(listing->numInScope, 6);
        const auto groups = f.store.groups(query, {"dp", "loss"});
        QVERIFY(groups);
        QCOMPARE(groups->size(), std::size_t{2});
        QCOMPARE(std::get<double>(groups->at(0).value), 2.0);
        QCOMPARE(groups->at(0).count, 3);
        QCOMPARE(groups->at(0).ran, 1);
        QCOMPARE(groups->at(0).failed, 2);
        QCOMPARE(groups->at(0).figures[0].greatest, 2.0);
        QCOMPARE(groups->at(0).figures[1].mean, 2.0);
        QCOMPARE(groups->at(0).figures[1].least, 1.0);
        QCOMPARE(groups->at(1).figures[1].numKnown, 1);
        QCOMPARE(groups->at(1).figures[1].median, 8.0);
        QCOMPARE(groups->at(1).failed, 0);
        QCOMPARE(f.store.groups(query, {"los"}).error().code, std::string("unknown_field"));
        for (std::size_t place = 0; place < listing->ids.size(); ++place)
            QCOMPARE(listing->ids.find(listing->ids.at(place)), static_cast<int>(place));
        QCOMPARE(listing->ids.find(RunId("r5")), -1);
        QCOMPARE(RunIds().find(RunId("r5")), -1);
    }
};

SLIPWAY_TEST(TstRunTable)
#include "tst_run_table.moc"
