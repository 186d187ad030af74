// RunStore: sweeps and trials. sweep.json and trials.jsonl are written before the rows.
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/store/meta_file.h"
#include "core/store/store_impl.h"

#include <nlohmann/json.hpp>

namespace slipway {

using store::guarded;
using store::Query;
using store::WriteTransaction;

namespace {

constexpr const char* kSweepColumns =
    "sweep_id, name, identity, status, created_unix_ms, ended_unix_ms, document, notes";

SweepRecord sweepFrom(Query& row) {
    return {SweepId(row.text(0)),   row.text(1), row.text(2), row.text(3), row.integer(4),
            row.optionalInteger(5), row.text(6), row.text(7)};
}

/// JSON texts in the single form that is stored in rows and files.
Result<std::string> compact(const std::string& text, const char* where) {
    if (text.empty()) return text;
    const auto json = parseJson(text, where);
    if (!json) return fail(json.error());
    return dumpJson(*json, false);
}

}  // namespace

void store::writeSweepRow(Database& db, const SweepRecord& sweep) {
    db.query(
          std::string("INSERT INTO sweeps (") + kSweepColumns +
          ") VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (sweep_id) DO UPDATE SET name = excluded.name, identity = excluded.identity, "
          "status = excluded.status, created_unix_ms = excluded.created_unix_ms, ended_unix_ms = excluded.ended_unix_ms, document = excluded.document, notes = excluded.notes")
        .bind(1, sweep.id.value)
        .bind(2, sweep.name)
        .bind(3, sweep.identity)
        .bind(4, sweep.status)
        .bind(5, sweep.createdUnixMilliseconds)
        .bind(6, sweep.endedUnixMilliseconds)
        .bind(7, sweep.document)
        .bind(8, sweep.notes)
        .run();
    db.query("UPDATE sweeps SET epoch = (SELECT epoch FROM index_state) WHERE sweep_id = ?")
        .bind(1, sweep.id.value)
        .run();
    noteListChange(db);
}

void store::writeTrialRow(Database& db, const TrialRecord& trial) {
    db.query(
          "INSERT INTO trials (sweep_id, trial, name, status, reason, run_id, config_hash, point) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (sweep_id, trial) DO UPDATE SET "
          "name = excluded.name, status = excluded.status, reason = excluded.reason, run_id = excluded.run_id, config_hash = excluded.config_hash, point = excluded.point")
        .bind(1, trial.sweep.value)
        .bind(2, trial.index)
        .bind(3, trial.name)
        .bind(4, trial.status)
        .bind(5, trial.reason)
        .bind(6, trial.run.value)
        .bind(7, trial.configHash)
        .bind(8, trial.point)
        .run();
    noteListChange(db);
}

Result<void> RunStore::upsertSweep(const SweepRecord& sweep) {
    const auto folder = m_impl->home.sweep(sweep.id);
    if (!folder) return fail(folder.error());
    SweepRecord stored = sweep;
    auto document = compact(sweep.document, "sweep");
    if (!document) return fail(document.error());
    stored.document = *document;
    return guarded(m_impl->db, [&]() -> Result<void> {
        WriteTransaction transaction(m_impl->db);
        if (auto made = makeFolders(*folder); !made) return made;
        if (auto written = writeJsonFile(*folder / "sweep.json", store::sweepJson(stored)); !written) return written;
        store::writeSweepRow(m_impl->db, stored);
        transaction.commit();
        return {};
    });
}

Result<void> RunStore::upsertTrial(const TrialRecord& trial) {
    const auto folder = m_impl->home.sweep(trial.sweep);
    if (!folder) return fail(folder.error());
    TrialRecord stored = trial;
    auto point = compact(trial.point, "point");
    if (!point) return fail(point.error());
    stored.point = *point;
    return guarded(m_impl->db, [&]() -> Result<void> {
        WriteTransaction transaction(m_impl->db);  // also orders writers of the file across processes
        if (auto made = makeFolders(*folder); !made) return made;
        auto file = AppendFile::open(*folder / "trials.jsonl");
        if (!file) return fail(file.error());
        if (auto written = file->append(dumpJson(store::trialJson(stored), false) + "\n"); !written) return written;
        if (auto synced = file->sync(); !synced) return synced;
        store::writeTrialRow(m_impl->db, stored);
        transaction.commit();
        return {};
    });
}

Result<SweepRecord> RunStore::sweep(const SweepId& id) {
    return guarded(m_impl->db, [&]() -> Result<SweepRecord> {
        Query query = m_impl->db.query(std::string("SELECT ") + kSweepColumns + " FROM sweeps WHERE sweep_id = ?");
        if (!query.bind(1, id.value).next())
            return fail("sweep_missing", "The index has no sweep %1."_text(id.value), id.value);
        return sweepFrom(query);
    });
}

Result<std::vector<SweepRecord>> RunStore::sweeps() {
    return guarded(m_impl->db, [&]() -> Result<std::vector<SweepRecord>> {
        std::vector<SweepRecord> out;
        Query query = m_impl->db.query(std::string("SELECT ") + kSweepColumns +
                                       " FROM sweeps ORDER BY created_unix_ms DESC, sweep_id DESC");
        while (query.next()) out.push_back(sweepFrom(query));
        return out;
    });
}

Result<std::vector<SweepRecord>> RunStore::sweepsByIdentity(const std::string& identity) {
    return guarded(m_impl->db, [&]() -> Result<std::vector<SweepRecord>> {
        std::vector<SweepRecord> out;
        Query query = m_impl->db.query(std::string("SELECT ") + kSweepColumns +
                                       " FROM sweeps WHERE identity = ? ORDER BY created_unix_ms DESC, sweep_id DESC");
        query.bind(1, identity);
        while (query.next()) out.push_back(sweepFrom(query));
        return out;
    });
}

Result<std::vector<TrialRecord>> RunStore::trials(const SweepId& id) {
    return guarded(m_impl->db, [&]() -> Result<std::vector<TrialRecord>> {
        std::vector<TrialRecord> out;
        Query query = m_impl->db.query(
            "SELECT trial, name, status, reason, run_id, config_hash, point FROM trials WHERE sweep_id = ? ORDER BY trial");
        query.bind(1, id.value);
        while (query.next())
            out.push_back({id, query.integer(0), query.text(1), query.text(2), query.text(3), RunId(query.text(4)),
                           query.text(5), query.text(6)});
        return out;
    });
}

}  // namespace slipway
