#include "core/store/folder_reader.h"

#include "core/base/json.h"
#include "core/base/own_file.h"
#include "core/base/untrusted_text.h"
#include "core/metrics/refused_figures.h"
#include "core/spec/stored_config.h"
#include "core/store/ingest.h"
#include "core/store/meta_file.h"
#include "core/store/store_impl.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <set>

namespace slipway {

namespace fs = std::filesystem;
using store::guarded;
using store::WriteTransaction;

namespace {

constexpr std::size_t kPieceBytes = 16U << 20;
constexpr std::int64_t kLivingMilliseconds = 60000;  // a stream written to this recently has a writer

/// Text of a member of plan.json, compact; empty if absent.
std::string memberText(const Json& json, const char* key) {
    if (!json.is_object()) return {};
    const auto it = json.find(key);
    return it == json.end() || it->is_null() ? std::string() : dumpJson(*it, false);
}

/// A missing file is normal (an imported run has no plan); any other failure is an issue.
std::optional<Json> optionalJson(const fs::path& path, Issues& issues) {
    auto json = readOwnJson(path);
    if (json) return std::move(*json);
    if (json.error().code != "file_missing")
        issues.push_back({Severity::Error, json.error().code, path.string(), json.error().text()});
    return {};
}

/// Device memory of a plan.json, in bytes; 0: unknown, or for another device than the config's (nullptr: unknown).
double deviceMemoryOf(const Json& plan, const StoredConfig* config) {
    if (!plan.is_object() || !plan.contains("cluster")) return 0;
    Issues ignored;
    const DeviceSpec device = clusterFromJson(plan["cluster"], ignored).device;
    return config == nullptr || config->config.train.device == device.kind ? device.memoryBytes : 0;
}

void tellRefused(const RunFigures& figures, const fs::path& file, Issues& issues) {
    for (const Message& why : refusedMeasurements(figures))
        issues.push_back(issueOf(Severity::Warning, "bad_measurement", file.string(), why));
}

bool isKnown(store::Database& db, const char* sql, const std::string& name, std::int64_t epoch) {
    store::Query query = db.query(sql);
    return query.bind(1, name).next() && query.integer(0) == epoch;
}

bool isThere(const fs::path& path) {
    std::error_code code;
    return fs::exists(fs::symlink_status(path, code));
}

}  // namespace

Result<FolderOutcome> FolderReader::run(const std::string& name) {
    const RunDir dir{m_store.m_impl->home.runs() / name};
    return guarded(m_store.m_impl->db, [&]() -> Result<FolderOutcome> { return readRun(dir); });
}

Result<FolderOutcome> FolderReader::readRun(const RunDir& dir) {
    auto& db = m_store.m_impl->db;
    const std::string name = dir.path.filename().string();
    MetaFacts facts;
    {
        WriteTransaction transaction(db);
        if (isKnown(db, "SELECT epoch FROM runs WHERE run_id = ?", name, m_epoch)) return FolderOutcome::Known;
        if (!isThere(dir.meta()) && !isThere(dir.metrics())) {
            m_issues.push_back(
                issueOf(Severity::Warning, "no_run_folder", dir.path.string(),
                        "The folder contains neither meta.json nor metrics.jsonl and was skipped."_text));
            return FolderOutcome::NotYet;
        }
        const auto meta = optionalJson(dir.meta(), m_issues);
        RunRecord record;
        record.id = RunId(name);
        record.name = name;
        record.folder = dir.path;
        std::optional<StoredConfig> config;
        if (const auto json = optionalJson(dir.config(), m_issues)) {
            auto parsed = readStoredConfig(*json, dir.config().string());
            if (parsed)
                config = std::move(*parsed);
            else
                m_issues.push_back({Severity::Error, parsed.error().code, dir.config().string(), parsed.error().message,
                                    parsed.error().source});
        }
        if (config) {
            record.name = repairedName(config->config.name);
            record.configHash = configHash(config->config);
        }
        const auto plan = optionalJson(dir.plan(), m_issues).value_or(Json::object());
        if (plan.is_object() && plan.contains("forecast")) record.forecast = figuresFromJson(plan["forecast"]);
        if (meta) store::readMeta(*meta, record);
        if (meta && meta->is_object() && meta->contains("measured"))
            for (const Message& why : refusedFigures((*meta)["measured"]))
                m_issues.push_back(issueOf(Severity::Warning, "bad_measurement", dir.meta().string(),
                                           "An impossible figure was skipped: %1."_text(why)));
        leaveOutBeyondDevice(record.measured, deviceMemoryOf(plan, config ? &*config : nullptr));
        if (record.measured.refusedMemoryBytes) tellRefused(record.measured, dir.meta(), m_issues);
        record.tags = store::cleanTags(record.tags);
        const bool readable = meta && meta->is_object();
        // Figures written before this one existed.
        facts = {readable && meta->contains("status"),
                 readable && meta->contains("measured") && !(*meta)["measured"].contains("final_eval_loss"),
                 readable && !meta->contains("measured") && isFinal(record.status)};

        db.query("DELETE FROM runs WHERE run_id = ?").bind(1, name).run();
        const std::int64_t row = store::writeRow(db, record);
        store::stampMeta(db, row, record);
        db.query("UPDATE runs SET epoch = -1 WHERE id = ?").bind(1, row).run();
        if (config)
            store::writeDocuments(db, row, *config, memberText(plan, "cluster"), memberText(plan, "forecast"));
        else
            db.query("INSERT INTO run_documents (run, cluster, forecast) VALUES (?, ?, ?)")
                .bind(1, row)
                .bind(2, memberText(plan, "cluster"))
                .bind(3, memberText(plan, "forecast"))
                .run();
        const auto whole = stream(dir, row);
        if (!whole) return fail(whole.error());
        if (*whole) {
            if (auto done = finishRun(dir, row, facts); !done) return fail(done.error());
            transaction.commit();
            return FolderOutcome::Read;
        }
        // A long stream is stored piece by piece, so that others may write in between. Its row has no epoch until the
        // last piece: after a kill, the next reader starts this folder again.
        transaction.commit();
    }
    while (true) {
        WriteTransaction transaction(db);
        const auto row = m_store.m_impl->rowOf(RunId(name));
        if (!row) return FolderOutcome::NotYet;  // moved to the trash and deleted in the meantime
        const auto whole = stream(dir, *row);
        if (!whole) return fail(whole.error());
        if (*whole)
            if (auto done = finishRun(dir, *row, facts); !done) return fail(done.error());
        transaction.commit();
        if (*whole) return FolderOutcome::Read;
    }
}

Result<void> FolderReader::finishRun(const RunDir& dir, std::int64_t row, const MetaFacts& meta) {
    auto& db = m_store.m_impl->db;
    if (auto read = alerts(dir, row); !read) return read;
    if (meta.lacksEvalLoss) store::fillFinalEvalLoss(db, row);
    if (m_malformed > 0)
        m_issues.push_back(issueOf(Severity::Warning, "malformed_lines", dir.metrics().string(),
                                   "%1 lines could not be read, the first at %2."_text(m_malformed, m_firstMalformed)));
    m_malformed = 0;
    const RunId id(dir.path.filename().string());
    if (!meta.hasStatus)
        if (auto derived = deriveStatus(id, dir); !derived) return derived;
    if (meta.hasStatus && meta.lacksFigures) {
        auto record = m_store.m_impl->record(id);
        const auto attempts = m_store.attempts(id);
        if (!record || !attempts) return fail(record ? attempts.error() : record.error());
        const std::int64_t numDevices = attempts->empty() ? 0 : attempts->back().worldSize;
        if (auto derived = deriveFigures(*record, numDevices, dir); !derived) return derived;
        store::writeRow(db, *record);
    }
    db.query("UPDATE runs SET epoch = ? WHERE id = ?").bind(1, m_epoch).bind(2, row).run();
    return {};
}

/// In one piece: more alerts than that in a run would never be read.
Result<void> FolderReader::alerts(const RunDir& dir, std::int64_t row) {
    auto& db = m_store.m_impl->db;
    const store::StreamCursor cursor = store::cursorOf(db, row, kAlertsFile);
    const auto bytes = readOwnFile(dir.path / kAlertsFile, cursor.offset, kPieceBytes);
    if (!bytes) return {};
    const MetricBatch batch = readAlertEvents(m_reader, *bytes, cursor.offset, cursor.insideLine);
    if (batch.toOffset == batch.fromOffset) return {};
    if (const auto applied = store::applyBatch(db, row, batch, kAlertsFile, cursor); !applied)
        return fail(applied.error());
    return {};
}

/// Stores the next piece of the stream inside the caller's transaction; true at its end.
Result<bool> FolderReader::stream(const RunDir& dir, std::int64_t row) {
    auto& db = m_store.m_impl->db;
    const store::StreamCursor cursor = store::cursorOf(db, row, RunStore::kMetrics);
    const auto bytes = readOwnFile(dir.metrics(), cursor.offset, kPieceBytes);
    if (!bytes) {
        if (bytes.error().code != "file_missing")
            m_issues.push_back({Severity::Error, bytes.error().code, dir.metrics().string(), bytes.error().text()});
        return true;
    }
    const MetricBatch batch = m_reader.read(*bytes, cursor.offset, cursor.insideLine);
    if (batch.toOffset == batch.fromOffset) return true;
    if (auto applied = store::applyBatch(db, row, batch, RunStore::kMetrics, cursor); !applied)
        return fail(applied.error());
    for (const MetricRecord& record : batch.records)
        if (const auto* step = std::get_if<MetricStep>(&record))
            m_counts.points += static_cast<std::int64_t>(step->values.size());
    if (m_malformed == 0) m_firstMalformed = batch.firstMalformed;
    m_malformed += batch.malformedLines;
    return bytes->size() < kPieceBytes;
}

/// Figures from the stream, and from what the folder's plan and config make known.
Result<void> FolderReader::deriveFigures(RunRecord& record, std::int64_t numDevices, const RunDir& dir) {
    DeriveBasis basis;
    basis.flopsPerToken = record.forecast.flopsPerToken;
    basis.peakFlops = record.forecast.peakFlops;
    basis.mfuRule = record.forecast.mfuRule;
    basis.numDevices = numDevices;
    const auto config = readOwnJson(dir.config());
    const auto plan = readOwnJson(dir.plan());
    const auto stored = config ? readStoredConfig(*config, "") : Result<StoredConfig>(fail(config.error()));
    if (plan) basis.deviceMemoryBytes = deviceMemoryOf(*plan, stored ? &*stored : nullptr);
    const auto measured = m_store.measure(record.id, basis);
    if (!measured) return fail(measured.error());
    record.measured = measured->value_or(summarise({}, basis));
    tellRefused(record.measured, dir.metrics(), m_issues);
    return {};
}

/// For folders made by hand or by a trainer alone: status and figures from the stream.
Result<void> FolderReader::deriveStatus(const RunId& id, const RunDir& dir) {
    const auto attempts = m_store.attempts(id);
    if (!attempts) return fail(attempts.error());
    auto record = m_store.m_impl->record(id);
    if (!record) return fail(record.error());
    const std::int64_t written = modifiedUnixMilliseconds(dir.metrics());
    const bool living = m_now > 0 && m_now - written < kLivingMilliseconds;
    record->status = living ? RunStatus::Running : RunStatus::Lost;
    if (!attempts->empty()) {
        const AttemptRecord& newest = attempts->back();
        if (const auto said = runStatusFrom(newest.endStatus)) record->status = *said;
        record->exitCode = newest.exitCode;
        if (record->createdUnixMilliseconds == 0)
            record->createdUnixMilliseconds = attempts->front().startedUnixMilliseconds;
        record->startedUnixMilliseconds = newest.startedUnixMilliseconds;
        record->endedUnixMilliseconds = newest.endedUnixMilliseconds;
        if (auto derived = deriveFigures(*record, newest.worldSize, dir); !derived) return derived;
    }
    store::writeRow(m_store.m_impl->db, *record);
    return {};
}

Result<bool> FolderReader::refresh(const RunId& id) {
    const auto folder = m_store.m_impl->home.run(id);
    if (!folder) return fail(folder.error());
    auto& db = m_store.m_impl->db;
    return guarded(db, [&]() -> Result<bool> {
        WriteTransaction transaction(db);
        const auto row = m_store.m_impl->rowOf(id);
        if (!row) return fail(row.error());
        auto record = m_store.m_impl->record(id);
        if (!record) return fail(record.error());
        const std::int64_t stamp = fileStamp(folder->meta());
        bool news = false;
        {
            store::Query query = db.query("SELECT meta_stamp FROM runs WHERE id = ?");
            news = query.bind(1, *row).next() && query.integer(0) != stamp;
        }
        if (news) {
            store::overlayNewerMeta(db, *record);
            store::writeRow(db, *record);
            store::stampMeta(db, *row, *record);
        }
        if (!isThere(folder->launch())) {
            const std::uint64_t before = store::cursorOf(db, *row, RunStore::kMetrics).offset;
            const auto whole = stream(*folder, *row);
            if (!whole) return fail(whole.error());
            news = news || store::cursorOf(db, *row, RunStore::kMetrics).offset != before;
            if (stamp == 0)
                if (auto derived = deriveStatus(id, *folder); !derived) return fail(derived.error());
        }
        transaction.commit();
        return news;
    });
}

Result<FolderOutcome> FolderReader::sweep(const std::string& name) {
    const fs::path folder = m_store.m_impl->home.sweeps() / name;
    auto& db = m_store.m_impl->db;
    return guarded(db, [&]() -> Result<FolderOutcome> {
        WriteTransaction transaction(db);
        if (isKnown(db, "SELECT epoch FROM sweeps WHERE sweep_id = ?", name, m_epoch)) return FolderOutcome::Known;
        const auto json = optionalJson(folder / "sweep.json", m_issues);
        if (!json) return FolderOutcome::NotYet;
        auto record = store::sweepFromJson(*json, SweepId(name));
        if (!record) {
            m_issues.push_back({Severity::Error, record.error().code, folder.string(), record.error().text()});
            return FolderOutcome::NotYet;
        }
        db.query("DELETE FROM trials WHERE sweep_id = ?").bind(1, name).run();
        store::writeSweepRow(db, *record);
        if (const auto text = readOwnFile(folder / "trials.jsonl"))
            trials(*text, SweepId(name), folder / "trials.jsonl");
        else if (text.error().code != "file_missing")
            m_issues.push_back({Severity::Error, text.error().code, folder.string(), text.error().text()});
        db.query("UPDATE sweeps SET epoch = ? WHERE sweep_id = ?").bind(1, m_epoch).bind(2, name).run();
        transaction.commit();
        return FolderOutcome::Read;
    });
}

void FolderReader::trials(const std::string& text, const SweepId& id, const fs::path& path) {
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
    m_counts.trials += static_cast<std::int64_t>(indexes.size());
    if (bad > 0)
        m_issues.push_back(
            issueOf(Severity::Warning, "malformed_lines", path.string(), "%1 lines could not be read."_text(bad)));
}

}  // namespace slipway
