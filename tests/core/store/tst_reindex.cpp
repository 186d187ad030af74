#include "core/base/file.h"
#include "core/store/reindex.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <sstream>

using namespace slipway;
using namespace slipway::test;

namespace {

std::string bits(double value) {
    std::uint64_t raw = 0;
    std::memcpy(&raw, &value, sizeof raw);
    return std::isnan(value) ? "nan" : std::to_string(raw);
}

std::string bits(const std::optional<double>& value) {
    return value ? bits(*value) : "none";
}

/// Everything the store knows, as text; two stores are equal when this is.
std::string everything(RunStore& store) {
    std::ostringstream out;
    RunQuery all;
    all.scope = RunScope::All;
    all.sort = {{"id", false}};
    const auto ids = store.ids(all);
    if (!ids) return ids.error().text();
    RunQuery wide = all;
    wide.limit = 1000;
    for (const char* column : {"model", "num_layers", "tp", "dp", "zero_stage", "schedule", "num_nodes", "device", "lr",
                               "world_size", "num_micro_batches", "data"})
        wide.columns.emplace_back(column);
    const auto rows = store.list(wide);
    if (!rows) return rows.error().text();
    for (const RunRow& row : *rows) {
        out << "\nrun " << row.record.id.value;
        for (const CellValue& cell : row.cells)
            std::visit(
                [&](const auto& v) {
                    if constexpr (!std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
                        out << " " << v;
                    else
                        out << " -";
                },
                cell);
    }
    for (const RunId& id : *ids) {
        const RunRecord r = *store.run(id);
        const auto time = [](const std::optional<std::int64_t>& t) { return t ? std::to_string(*t) : "-"; };
        out << "\n"
            << r.id.value << "|" << r.name << "|" << wordOf(r.status) << "|" << r.attempts << "|"
            << r.createdUnixMilliseconds << "|" << time(r.startedUnixMilliseconds) << "|"
            << time(r.endedUnixMilliseconds) << "|" << r.folder << "|" << r.configHash << "|" << r.notes << "|"
            << r.archived << r.locked << "|" << time(r.deletedUnixMilliseconds) << "|" << r.sweep.value << "|"
            << time(r.trial) << "|" << (r.exitCode ? *r.exitCode : -999) << "|" << r.reason << "|" << r.numSteps << "|"
            << r.lastStep << "|" << r.configJson << "|" << r.forecastJson << "|" << r.clusterJson << "|"
            << r.forecast.mfuRule << "|" << r.measured.mfuRule;
        for (const std::string& tag : r.tags) out << "#" << tag;
        for (const FigureInfo& figure : figureInfos())
            out << " " << bits(r.forecast.*figure.member) << "/" << bits(r.measured.*figure.member);
        out << "\noffset " << *store.offset(id) << " malformed " << *store.malformedLines(id);
        const std::vector<AttemptRecord> attempts = *store.attempts(id);
        const std::vector<std::string> names = *store.metricNames(id);
        for (const AttemptRecord& a : attempts) {
            out << "\nattempt " << a.attempt << " " << a.resumeStep << " " << a.worldSize << " "
                << a.startedUnixMilliseconds << " " << a.endStatus << " " << (a.exitCode ? *a.exitCode : -1) << " "
                << time(a.endStep);
            for (const std::string& name : names) {
                const MetricSeries s = *store.attemptSeries(id, name, a.attempt);
                for (std::size_t i = 0; i < s.size(); ++i) out << "," << s.steps[i] << "=" << bits(s.values[i]);
            }
        }
        const std::vector<MetricSeries> curves = *store.allSeries(id);
        for (const MetricSeries& s : curves) {
            out << "\n" << s.name << " " << s.unit;
            for (std::size_t i = 0; i < s.size(); ++i) out << "," << s.steps[i] << "=" << bits(s.values[i]);
        }
        const std::vector<EventRecord> events = *store.events(id);
        for (const EventRecord& e : events)
            out << "\nevent " << e.attempt << " " << e.step << " " << e.name << " " << e.detail << " "
                << e.timeUnixMilliseconds;
    }
    const std::vector<SweepRecord> sweeps = *store.sweeps();
    for (const SweepRecord& s : sweeps) {
        out << "\nsweep " << s.id.value << "|" << s.name << "|" << s.identity << "|" << s.status << "|"
            << s.createdUnixMilliseconds << "|" << (s.endedUnixMilliseconds ? *s.endedUnixMilliseconds : -1) << "|"
            << s.document << "|" << s.notes;
        const std::vector<TrialRecord> trials = *store.trials(s.id);
        for (const TrialRecord& t : trials)
            out << "\ntrial " << t.index << "|" << t.name << "|" << t.status << "|" << t.reason << "|" << t.run.value
                << "|" << t.configHash << "|" << t.point;
    }
    return out.str();
}

/// Two sweeps, five runs with every mark there is, two attempts, NaN, malformed lines.
void fill(StoreFixture& f) {
    for (int i = 0; i < 5; ++i) {
        NewRun run;
        run.id = RunId("2026010" + std::to_string(i) + "-run");
        run.config = aConfig("run " + std::to_string(i), 1 + i % 2, 1);
        run.config.parallel.zeroStage = i == 1 ? 1 : 0;
        run.config.optimizer.lr = 0.1 + i / 3.0;
        run.forecastJson =
            R"({"step_seconds":0.30000000000000004,"mfu":0.41,"mfu_rule":"C","memory":{"weight_bytes":12}})";
        run.cluster = ClusterSpec{};
        run.cluster->numNodes = i + 1;
        run.tags = {"first"};
        if (i < 2) {
            run.sweep = SweepId("20260101-sweep");
            run.trial = i;
        }
        f.add(run, 1000 + i);
        // What a run session writes.
        Json plan = Json::object();
        plan["cluster"] = toJson(*run.cluster);
        plan["forecast"] = *parseJson(run.forecastJson, "");
        QVERIFY(writeJsonFile(f.home.run(run.id)->plan(), plan));
    }
    const RunId a("20260100-run");
    f.appendToStream(a, toLine(MetricHeader{1, a.value, 1, 0, 2, 50}));
    for (int i = 1; i <= 1200; ++i)
        f.appendToStream(a, stepLine(i, i == 30 ? std::numeric_limits<double>::quiet_NaN() : 10.0 / i));
    f.appendToStream(a, toLine(MetricEvent{1200, "checkpoint", "step_00001200", 60}) + "{broken\n" +
                            toLine(MetricHeader{1, a.value, 2, 1100, 2, 70}));
    for (int i = 1101; i <= 1300; ++i)
        f.appendToStream(a, i == 1200 ? evalLine(i, 1.0 / i, 2.75) : stepLine(i, 1.0 / i));
    f.appendToStream(a, toLine(MetricEnd{"completed", 1300, 0, 80}) + "{\"kind\":\"st");
    f.ingest(a);
    RunChange done;
    done.status = RunStatus::Completed;
    done.exitCode = 0;
    done.attempts = 2;
    done.startedUnixMilliseconds = 70;
    done.endedUnixMilliseconds = 80;
    done.measured = summarise(*f.store.allSeries(a), {1e6, 1e9, "C", 2});
    QVERIFY(f.store.updateRun(a, done));
    const RunId b("20260101-run");
    RunChange failed;
    failed.status = RunStatus::Failed;
    failed.reason = "Out of memory on rank 1, \"pp\" group.";
    failed.exitCode = 11;
    RunFigures figures;
    figures.finalLoss = std::numeric_limits<double>::quiet_NaN();
    figures.mfu = -std::numeric_limits<double>::infinity();
    figures.stepSeconds = 0.1 + 0.2;
    failed.measured = figures;
    QVERIFY(f.store.updateRun(b, failed));
    QVERIFY(f.store.rename(b, "이름 with \"quotes\""));
    QVERIFY(f.store.setNotes(b, "line 1\nline 2\t|"));
    QVERIFY(f.store.changeTags({b}, {"x y", "한국어"}, {"first"}));
    QVERIFY(f.store.setArchived({RunId("20260102-run")}, true));
    QVERIFY(f.store.trash({RunId("20260103-run")}, 777));
    QVERIFY(f.store.setLocked({RunId("20260104-run")}, true));
    QVERIFY(f.store.upsertSweep({SweepId("20260101-sweep"), "tp vs dp", "id1", "completed", 5, 6,
                                 R"({"axes":{"parallel.tp":[1,2]},"x":0.1})", "a note"}));
    QVERIFY(f.store.upsertSweep({SweepId("20260102-sweep"), "empty", "id2", "planned", 7, {}, "", ""}));
    QVERIFY(f.store.upsertTrial({SweepId("20260101-sweep"), 0, "tp1", "running", "", a, "h0", R"({"parallel.tp":1})"}));
    QVERIFY(f.store.upsertTrial(
        {SweepId("20260101-sweep"), 1, "tp2", "skipped", "does not fit", {}, "h1", R"({"parallel.tp":2})"}));
    QVERIFY(
        f.store.upsertTrial({SweepId("20260101-sweep"), 0, "tp1", "completed", "", a, "h0", R"({"parallel.tp":1})"}));
}

void removeIndex(StoreFixture& f) {
    TempDir elsewhere;
    f.store = std::move(*RunStore::open(Home{elsewhere.path()}, OpenMode::ReadWrite));  // closes the old one
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(f.home.index().string() + suffix);
}

}  // namespace

class TstReindex : public QObject {
    Q_OBJECT

private slots:
    void nothingIsLost() {
        StoreFixture f;
        fill(f);
        const std::string before = everything(f.store);
        QVERIFY(before.size() > 100000);
        removeIndex(f);
        f.store = f.open();
        QCOMPARE(f.store.count({})->total, 0);
        const auto report = rebuildIndex(f.home, 0);
        QVERIFY2(report, report ? "" : report.error().text().c_str());
        QCOMPARE(report->runs, 5);
        QCOMPARE(report->sweeps, 2);
        QCOMPARE(report->trials, 2);
        QCOMPARE(report->points, 2 * 1400);
        QCOMPARE(report->issues.size(), std::size_t{1});
        QCOMPARE(report->issues[0].code, std::string("malformed_lines"));
        const std::string after = everything(f.store);
        if (after != before) {
            std::size_t at = 0;
            while (after[at] == before[at]) ++at;
            qWarning("before: %s\nafter:  %s", before.substr(at < 80 ? 0 : at - 80, 200).c_str(),
                     after.substr(at < 80 ? 0 : at - 80, 200).c_str());
        }
        QVERIFY(after == before);
        // In place, over a full index, it changes nothing either.
        QVERIFY(rebuildIndex(f.home, 0));
        QVERIFY(everything(f.store) == before);
    }

    void dropsRowsWithoutFolder() {
        StoreFixture f;
        fill(f);
        std::filesystem::remove_all(f.home.run(RunId("20260104-run"))->path);
        std::filesystem::remove_all(*f.home.sweep(SweepId("20260101-sweep")));
        const auto report = rebuildIndex(f.home, 0);
        QCOMPARE(report->removed, 2);
        QCOMPARE(f.store.run(RunId("20260104-run")).error().code, std::string("run_missing"));
        QVERIFY(f.store.trials(SweepId("20260101-sweep"))->empty());
    }

    void readsFoldersThatTheTrainerMadeAlone() {
        StoreFixture f;
        const auto folder = [&](const char* name) {
            const std::filesystem::path path = f.home.runs() / name;
            std::filesystem::create_directories(path);
            if (!writeJsonFile(path / "config.json", toJson(aConfig("by hand")))) qFatal("config");
            return path;
        };
        folder("begun");  // its creator was killed, or is still at it
        folder("ended");
        f.appendToStream(RunId("ended"), toLine(MetricHeader{1, "ended", 1, 0, 2, 500}) + stepLine(1, 4.0) +
                                             stepLine(2, 3.0) + toLine(MetricEnd{"cancelled", 2, 14, 900}));
        folder("torn");
        f.appendToStream(RunId("torn"), toLine(MetricHeader{1, "torn", 1, 0, 2, 500}) + stepLine(1, 4.0));
        std::filesystem::create_directories(f.home.runs() / "empty");
        std::filesystem::create_directories(f.home.runs() / ".hidden");
        folder("bad");
        std::ofstream(f.home.runs() / "bad" / "config.json") << R"({"nmae": "x"})";
        f.appendToStream(RunId("bad"), stepLine(1, 4.0));
        const auto report = rebuildIndex(f.home, 0);
        QVERIFY(report);
        QCOMPARE(report->runs, 3);
        QCOMPARE(report->issues.size(), std::size_t{3});  // begun, empty, the config of bad
        QVERIFY(!f.store.run(RunId("begun")));
        const RunRecord ended = *f.store.run(RunId("ended"));
        QCOMPARE(wordOf(ended.status), std::string("cancelled"));
        QCOMPARE(*ended.exitCode, 14);
        QCOMPARE(*ended.measured.finalLoss, 3.0);
        QCOMPARE(ended.createdUnixMilliseconds, 500);
        QCOMPARE(wordOf(f.store.run(RunId("torn"))->status), std::string("lost"));
        QCOMPARE(f.store.run(RunId("bad"))->name, std::string("bad"));
    }

    // Importers write the end of a run, but no figures: they come from the stream.
    void measuresImportedRuns() {
        StoreFixture f;
        std::filesystem::create_directories(f.home.runs() / "wandb");
        std::ofstream(f.home.runs() / "wandb" / "meta.json")
            << R"({"name": "w", "status": "completed", "attempts": 1})";
        f.appendToStream(RunId("wandb"), toLine(MetricHeader{1, "wandb", 1, 0, 0, 500}) + stepLine(1, 4.0) +
                                             stepLine(2, 3.0) + toLine(MetricEnd{"completed", 2, 0, 900}));
        QVERIFY(rebuildIndex(f.home, 0));
        const RunRecord run = *f.store.run(RunId("wandb"));
        QCOMPARE(wordOf(run.status), std::string("completed"));
        QCOMPARE(*run.measured.finalLoss, 3.0);
        QCOMPARE(*run.measured.minLoss, 3.0);
    }

    // Figures beyond the device of the plan, of a run without meta.json and in a meta.json: left out, with the reason.
    void leavesImpossibleFiguresOut() {
        StoreFixture f;
        ClusterSpec small;
        small.device.memoryBytes = 1e9;
        const Json plan{{"cluster", toJson(small)}, {"forecast", {{"flops_per_token", 1e12}, {"peak_flops", 1.0}}}};
        const std::string step =
            toLine(MetricStep{1, 100, 60, {{"step_seconds", 1.0}, {"memory_peak_bytes", 2e9}, {"loss", 4.0}}});
        for (const char* name : {"alone", "told"}) {
            const std::filesystem::path path = f.home.runs() / name;
            std::filesystem::create_directories(path);
            QVERIFY(writeJsonFile(path / "config.json", toJson(aConfig("by hand"))));
            QVERIFY(writeJsonFile(path / "plan.json", plan));
            f.appendToStream(RunId(name), toLine(MetricHeader{1, name, 1, 0, 1, 50}) + step +
                                              toLine(MetricEnd{"completed", 1, 0, 90}));
        }
        const Json measured{{"memory_peak_bytes", 2e9}, {"step_seconds", 1.0}, {"final_eval_loss", nullptr}};
        QVERIFY(writeJsonFile(f.home.runs() / "told" / "meta.json", {{"status", "completed"}, {"measured", measured}}));
        const auto report = rebuildIndex(f.home, 0);
        QVERIFY(report);
        std::map<std::string, int> reasons;
        for (const Issue& issue : report->issues) {
            QCOMPARE(issue.code, std::string("bad_measurement"));
            const std::string& why = issue.message;
            reasons[std::filesystem::path(issue.field).filename().string() + why.substr(0, 20)] += 1;
        }
        const std::map<std::string, int> expected{{"metrics.jsonlThe measured MFU exc", 1},
                                                  {"metrics.jsonlThe measured memory ", 1},
                                                  {"meta.jsonThe measured memory ", 1}};
        QCOMPARE(reasons, expected);
        for (const char* name : {"alone", "told"}) {
            const RunRecord run = *f.store.run(RunId(name));
            QCOMPARE(*run.measured.stepSeconds, 1.0);
            QVERIFY(!run.measured.memoryPeakBytes && !run.measured.mfu);
        }
    }

    void movesADamagedIndexAside() {
        StoreFixture f;
        fill(f);
        const std::string before = everything(f.store);
        removeIndex(f);
        QVERIFY(writeFileAtomically(
            f.home.index(),
            "not a database, but somebody may want to look at it; it is kept under another name, as it was, always"));
        QCOMPARE(RunStore::open(f.home, OpenMode::ReadWrite).error().code, std::string("store_corrupt"));
        const auto report = rebuildIndex(f.home, 12345);
        QVERIFY2(report, report ? "" : report.error().text().c_str());
        QVERIFY(readFile(report->damagedCopy)->starts_with("not a database"));
        f.store = f.open();
        QVERIFY(everything(f.store) == before);
        QVERIFY(rebuildIndex(f.home, 12346)->damagedCopy.empty());
    }

    void canBeStopped() {
        StoreFixture f;
        fill(f);
        int calls = 0;
        const auto report = rebuildIndex(f.home, 0, [&](std::int64_t done, std::int64_t total) {
            ++calls;
            return total == 7 && done < 3;
        });
        QCOMPARE(report.error().code, std::string("cancelled"));
        QCOMPARE(calls, 4);
        QCOMPARE(f.store.count({})->total, 3);  // of five, one is archived and one in the trash
    }
};

SLIPWAY_TEST(TstReindex)
#include "tst_reindex.moc"
