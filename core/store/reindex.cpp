#include "core/store/reindex.h"

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/spec/stored_config.h"
#include "core/store/ingest.h"
#include "core/store/meta_file.h"
#include "core/store/store_impl.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace slipway {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> safeFolders(const fs::path& parent, Issues& issues) {
    std::vector<std::string> out;
    std::error_code code;
    for (fs::directory_iterator it(parent, code), end; !code && it != end; it.increment(code)) {
        const std::string name = it->path().filename().string();
        std::error_code ignored;
        if (it->is_directory(ignored) && isSafeId(name)) out.push_back(name);
    }
    if (code && code != std::errc::no_such_file_or_directory)
        issues.push_back({Severity::Error, "folder_unreadable", parent.string(),
                          "The folder could not be read: " + code.message() + "."});
    std::sort(out.begin(), out.end());
    return out;
}

/// Text of a member of plan.json, compact; empty when absent.
std::string memberText(const Json& json, const char* key) {
    if (!json.is_object()) return {};
    const auto it = json.find(key);
    return it == json.end() || it->is_null() ? std::string() : dumpJson(*it, false);
}

/// A file that is no longer there is normal (an imported run has no plan); any other failure is an issue.
std::optional<Json> optionalJson(const fs::path& path, Issues& issues) {
    auto json = readJsonFile(path);
    if (json) return std::move(*json);
    if (json.error().code != "file_missing")
        issues.push_back({Severity::Error, json.error().code, path.string(), json.error().text()});
    return {};
}

}  // namespace

class StoreRebuilder {
public:
    StoreRebuilder(RunStore& store, const Home& home, ReindexReport& report)
        : m_store(store), m_home(home), m_report(report) {}

    Result<void> run(const std::string& name) {
        const RunDir dir{m_home.runs() / name};
        const auto meta = optionalJson(dir.meta(), m_report.issues);
        const auto configJson = optionalJson(dir.config(), m_report.issues);
        if (!meta && !configJson) {
            m_report.issues.push_back({Severity::Warning, "no_run_folder", dir.path.string(),
                                       "This folder holds neither meta.json nor config.json and was passed over."});
            return {};
        }
        RunRecord record;
        record.id = RunId(name);
        record.folder = dir.path;
        RunConfig config;
        bool configKnown = false;
        if (configJson) {
            auto parsed = readStoredConfig(*configJson, dir.config().string());
            configKnown = parsed.has_value();
            if (parsed)
                config = std::move(parsed->config);
            else
                m_report.issues.push_back(
                    {Severity::Error, parsed.error().code, dir.config().string(), parsed.error().message});
        }
        record.name = configKnown ? config.name : name;
        if (configKnown) record.configHash = configHash(config);
        const auto plan = optionalJson(dir.plan(), m_report.issues).value_or(Json::object());
        if (plan.is_object() && plan.contains("forecast")) record.forecast = figuresFromJson(plan["forecast"]);
        if (meta) store::readMeta(*meta, record);
        record.tags = store::cleanTags(record.tags);

        auto& db = m_store.m_impl->db;
        auto stored = store::guarded(db, [&]() -> Result<void> {
            store::WriteTransaction transaction(db);
            db.query("DELETE FROM runs WHERE run_id = ?").bind(1, name).run();
            const std::int64_t row = store::writeRow(db, record);
            if (configKnown)
                store::writeDocuments(db, row, config, memberText(plan, "cluster"), memberText(plan, "forecast"));
            else
                db.query("INSERT INTO run_documents (run, cluster, forecast) VALUES (?, ?, ?)")
                    .bind(1, row)
                    .bind(2, memberText(plan, "cluster"))
                    .bind(3, memberText(plan, "forecast"))
                    .run();
            if (auto read = stream(dir, row); !read) return read;
            // Figures written before there was this one.
            if (meta && meta->is_object() && meta->contains("measured") &&
                !(*meta)["measured"].contains("final_eval_loss"))
                store::fillFinalEvalLoss(db, row);
            transaction.commit();
            return {};
        });
        if (!stored) return stored;
        ++m_report.runs;
        const bool statusKnown = meta && meta->is_object() && meta->contains("status");
        return statusKnown ? Result<void>{} : deriveStatus(record.id);
    }

    Result<void> sweep(const std::string& name) {
        const fs::path folder = m_home.sweeps() / name;
        const auto json = optionalJson(folder / "sweep.json", m_report.issues);
        if (!json) return {};
        auto& db = m_store.m_impl->db;
        return store::guarded(db, [&]() -> Result<void> {
            auto record = store::sweepFromJson(*json, SweepId(name));
            if (!record) {
                m_report.issues.push_back(
                    {Severity::Error, record.error().code, folder.string(), record.error().text()});
                return {};
            }
            store::WriteTransaction transaction(db);
            db.query("DELETE FROM trials WHERE sweep_id = ?").bind(1, name).run();
            store::writeSweepRow(db, *record);
            if (const auto text = readFile(folder / "trials.jsonl"))
                trials(*text, SweepId(name), folder / "trials.jsonl");
            else if (text.error().code != "file_missing")
                m_report.issues.push_back({Severity::Error, text.error().code, folder.string(), text.error().text()});
            transaction.commit();
            ++m_report.sweeps;
            return {};
        });
    }

    /// Removes rows whose folders are gone.
    Result<void> prune(const std::vector<std::string>& runs, const std::vector<std::string>& sweeps) {
        auto& db = m_store.m_impl->db;
        return store::guarded(db, [&]() -> Result<void> {
            store::WriteTransaction transaction(db);
            m_report.removed += drop(runs, "SELECT run_id FROM runs", "DELETE FROM runs WHERE run_id = ?");
            const std::int64_t gone =
                drop(sweeps, "SELECT sweep_id FROM sweeps", "DELETE FROM sweeps WHERE sweep_id = ?");
            db.execute("DELETE FROM trials WHERE sweep_id NOT IN (SELECT sweep_id FROM sweeps)");
            m_report.removed += gone;
            transaction.commit();
            return {};
        });
    }

private:
    Result<void> stream(const RunDir& dir, std::int64_t row) {
        constexpr std::size_t kPiece = 16U << 20;
        std::int64_t malformed = 0;
        std::string firstMalformed;
        while (true) {
            const store::StreamCursor cursor = store::cursorOf(m_store.m_impl->db, row, RunStore::kMetrics);
            const auto bytes = readFileFrom(dir.metrics(), cursor.offset, kPiece);
            if (!bytes) {
                if (bytes.error().code != "file_missing")
                    m_report.issues.push_back(
                        {Severity::Error, bytes.error().code, dir.metrics().string(), bytes.error().text()});
                return {};
            }
            const MetricBatch batch = m_reader.read(*bytes, cursor.offset, cursor.insideLine);
            if (batch.toOffset == batch.fromOffset) break;
            if (auto applied = store::applyBatch(m_store.m_impl->db, row, batch, RunStore::kMetrics, cursor); !applied)
                return fail(applied.error());
            for (const MetricRecord& record : batch.records)
                if (const auto* step = std::get_if<MetricStep>(&record))
                    m_report.points += static_cast<std::int64_t>(step->values.size());
            if (malformed == 0) firstMalformed = batch.firstMalformed;
            malformed += batch.malformedLines;
        }
        if (malformed > 0)
            m_report.issues.push_back(
                {Severity::Warning, "malformed_lines", dir.metrics().string(),
                 std::to_string(malformed) + " lines could not be read, the first at " + firstMalformed + "."});
        return {};
    }

    /// For folders that were made by hand or by a trainer alone: what the stream says about the end.
    Result<void> deriveStatus(const RunId& id) {
        const auto attempts = m_store.attempts(id);
        if (!attempts) return fail(attempts.error());
        auto& db = m_store.m_impl->db;
        return store::guarded(db, [&]() -> Result<void> {
            auto record = m_store.m_impl->record(id);
            if (!record) return fail(record.error());
            if (!attempts->empty()) {
                const AttemptRecord& newest = attempts->back();
                record->status = runStatusFrom(newest.endStatus).value_or(RunStatus::Lost);
                record->exitCode = newest.exitCode;
                if (record->createdUnixMilliseconds == 0)
                    record->createdUnixMilliseconds = attempts->front().startedUnixMilliseconds;
                record->startedUnixMilliseconds = newest.startedUnixMilliseconds;
                record->endedUnixMilliseconds = newest.endedUnixMilliseconds;
                auto series = m_store.allSeries(id);
                if (!series) return fail(series.error());
                DeriveBasis basis;
                basis.flopsPerToken = record->forecast.flopsPerToken;
                basis.peakFlops = record->forecast.peakFlops;
                basis.mfuRule = record->forecast.mfuRule;
                basis.numDevices = newest.worldSize;
                record->measured = summarise(*series, basis);
            }
            store::WriteTransaction transaction(db);
            store::writeRow(db, *record);
            transaction.commit();
            return {};
        });
    }

    void trials(const std::string& text, const SweepId& id, const fs::path& path) {
        std::set<std::int64_t> indexes;
        std::int64_t bad = 0;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            if (end == std::string::npos) break;  // an unfinished last line was never acknowledged
            const auto json = parseJson(std::string_view(text).substr(at, end - at), path.string());
            at = end + 1;
            const auto trial = json ? store::trialFromJson(*json, id) : tl::unexpected(json.error());
            if (!trial) {
                ++bad;
                continue;
            }
            store::writeTrialRow(m_store.m_impl->db, *trial);
            indexes.insert(trial->index);
        }
        m_report.trials += static_cast<std::int64_t>(indexes.size());
        if (bad > 0)
            m_report.issues.push_back({Severity::Warning, "malformed_lines", path.string(),
                                       std::to_string(bad) + " lines could not be read."});
    }

    std::int64_t drop(const std::vector<std::string>& keep, const std::string& select, const std::string& remove) {
        std::vector<std::string> gone;
        {
            store::Query query = m_store.m_impl->db.query(select);
            while (query.next())
                if (!std::binary_search(keep.begin(), keep.end(), query.text(0))) gone.push_back(query.text(0));
        }
        for (const std::string& id : gone) m_store.m_impl->db.query(remove).bind(1, id).run();
        return static_cast<std::int64_t>(gone.size());
    }

    RunStore& m_store;
    const Home& m_home;
    ReindexReport& m_report;
    MetricReader m_reader;
};

Result<ReindexReport> reindex(RunStore& store, const Home& home, const ReindexProgress& progress) {
    ReindexReport report;
    const std::vector<std::string> runs = safeFolders(home.runs(), report.issues);
    const std::vector<std::string> sweeps = safeFolders(home.sweeps(), report.issues);
    if (hasErrors(report.issues))
        return fail(report.issues.front().code, report.issues.front().message, report.issues.front().field);
    const auto total = static_cast<std::int64_t>(runs.size() + sweeps.size());
    std::int64_t done = 0;
    const auto goesOn = [&] { return !progress || progress(done++, total); };
    const Error cancelled{"cancelled", "The index was rebuilt in part only; run it again to finish.", {}};

    StoreRebuilder rebuilder(store, home, report);
    for (const std::string& run : runs) {
        if (!goesOn()) return fail(cancelled);
        if (auto result = rebuilder.run(run); !result) return fail(result.error());
    }
    for (const std::string& sweep : sweeps) {
        if (!goesOn()) return fail(cancelled);
        if (auto result = rebuilder.sweep(sweep); !result) return fail(result.error());
    }
    if (auto pruned = rebuilder.prune(runs, sweeps); !pruned) return fail(pruned.error());
    if (progress) progress(total, total);
    return report;
}

Result<ReindexReport> rebuildIndex(const Home& home, std::int64_t nowUnixMilliseconds,
                                   const ReindexProgress& progress) {
    fs::path aside;
    auto store = RunStore::open(home, OpenMode::ReadWrite);
    const bool damaged = store ? !store->check() : store.error().code == "store_corrupt";
    if (!store && !damaged) return fail(store.error());
    if (damaged) {
        store = fail("store_corrupt", "closed", "");  // closes the connection before the files move
        const fs::path index = home.index();
        aside = index.string() + ".damaged-" + std::to_string(nowUnixMilliseconds);
        for (const char* suffix : {"", "-wal", "-shm"}) {
            std::error_code code;
            if (!fs::exists(index.string() + suffix, code)) continue;
            fs::rename(index.string() + suffix, aside.string() + suffix, code);
            if (code)
                return fail("file_unwritable", "The damaged index could not be moved aside: " + code.message() + ".",
                            index.string() + suffix);
        }
        store = RunStore::open(home, OpenMode::ReadWrite);
        if (!store) return fail(store.error());
    }
    auto report = reindex(*store, home, progress);
    if (report) report->damagedCopy = aside;
    return report;
}

}  // namespace slipway
