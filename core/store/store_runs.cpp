// RunStore: opening, runs and their lists.
#include "core/base/error_of.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/own_file.h"
#include "core/base/untrusted_text.h"
#include "core/store/index_state.h"
#include "core/store/meta_file.h"
#include "core/store/migrations.h"
#include "core/store/run_fields.h"
#include "core/store/store_impl.h"

#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <optional>
#include <set>

namespace slipway {

using store::guarded;
using store::Query;
using store::WriteTransaction;

namespace {

Error missing(const RunId& id) {
    return errorOf("run_missing", "The index has no run %1."_text(id.value), id.value);
}

/// Rows written by a transaction may be rolled back: a table read inside one is not reused.
template <class Use>
auto withTable(store::Database& db, store::RunTable& kept, Use use) {
    return guarded(db, [&] {
        store::RunTable once;
        return use(db.isInTransaction() ? once : kept);
    });
}

void apply(const RunChange& change, RunRecord& record) {
    if (change.clearEnd) {
        record.endedUnixMilliseconds.reset();
        record.exitCode.reset();
        record.reason.clear();
    }
    if (change.status) record.status = *change.status;
    if (change.reason) record.reason = *change.reason;
    if (change.exitCode) record.exitCode = change.exitCode;
    if (change.attempts) record.attempts = *change.attempts;
    if (change.startedUnixMilliseconds) record.startedUnixMilliseconds = change.startedUnixMilliseconds;
    if (change.endedUnixMilliseconds) record.endedUnixMilliseconds = change.endedUnixMilliseconds;
    if (change.measured) record.measured = *change.measured;
}

CellValue cellFrom(Query& row, int index, RunFieldKind kind) {
    const SQLite::Column column = row.column(index);
    if (column.isNull()) return std::monostate{};
    if (column.isInteger()) return column.getInt64();
    if (column.isFloat()) return column.getDouble();
    if (kind == RunFieldKind::Integer || kind == RunFieldKind::Real) return *row.optionalReal(index);
    if (kind != RunFieldKind::Tags) return column.getString();
    std::string joined;
    for (const std::string& tag : store::splitTags(column.getString())) joined += (joined.empty() ? "" : ", ") + tag;
    return joined;
}

}  // namespace

Result<RunStore> RunStore::open(const Home& home, OpenMode mode) {
    auto db = store::Database::open(home.index(), mode);
    if (!db) return fail(db.error());
    return RunStore(std::make_unique<Impl>(Impl{home, std::move(*db), {}, {}}));
}

RunStore::RunStore(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
RunStore::RunStore(RunStore&&) noexcept = default;
RunStore& RunStore::operator=(RunStore&&) noexcept = default;
RunStore::~RunStore() = default;

const Home& RunStore::home() const {
    return m_impl->home;
}

Result<void> RunStore::check() {
    return guarded(m_impl->db, [&]() -> Result<void> {
        Query query = m_impl->db.query("PRAGMA quick_check(5)");
        std::string found;
        while (query.next())
            if (query.text(0) != "ok") found += (found.empty() ? "" : "; ") + query.text(0);
        if (found.empty() && !m_impl->db.hasOurTables()) found = "its tables are not those of its version";
        if (found.empty()) return {};
        return fail(
            "store_corrupt",
            "The run index is damaged: %1. Nothing was changed; `slipway reindex` moves it aside and builds a new one from the run folders."_text(
                found),
            m_impl->db.path());
    });
}

void RunStore::setPatience(int milliseconds) {
    m_impl->db.setPatience(milliseconds);
}

Result<std::int64_t> RunStore::listVersion() {
    return guarded(m_impl->db, [&]() -> Result<std::int64_t> {
        Query query = m_impl->db.query("SELECT list_version FROM index_state");
        return query.next() ? query.integer(0) : 0;
    });
}

Result<bool> RunStore::isComplete() {
    return guarded(m_impl->db, [&]() -> Result<bool> { return store::readIndexState(m_impl->db).complete; });
}

Result<std::int64_t> RunStore::Impl::rowOf(const RunId& id) {
    Query query = db.query("SELECT id FROM runs WHERE run_id = ?");
    if (query.bind(1, id.value).next()) return query.integer(0);
    return fail(missing(id));
}

Result<RunRecord> RunStore::Impl::record(const RunId& id) {
    static const std::string sql = "SELECT " + store::recordColumns() + " FROM runs r WHERE r.run_id = ?";
    Query query = db.query(sql);
    if (!query.bind(1, id.value).next()) return fail(missing(id));
    return store::recordFrom(query, home);
}

Result<void> RunStore::Impl::changeAll(const std::vector<RunId>& ids,
                                       const std::function<Result<void>(RunRecord&)>& edit) {
    return guarded(db, [&]() -> Result<void> {
        // Many runs within another transaction are no part of their own: at the end of each of its statements, SQLite walks over all
        // pages that the part has changed so far, which takes minutes for thousands of runs.
        const bool isWithin = ids.size() > 1 && sqlite3_get_autocommit(db.raw().getHandle()) == 0;
        std::optional<WriteTransaction> transaction;
        if (!isWithin) transaction.emplace(db);
        std::vector<RunRecord> records;
        for (const RunId& id : ids) {
            auto found = record(id);
            if (!found) return fail(found.error());
            store::overlayNewerMeta(db, *found);
            records.push_back(std::move(*found));
            if (auto edited = edit(records.back()); !edited) return edited;
        }
        for (const RunRecord& changed : records) {
            if (auto written = store::writeMeta(changed); !written) return written;
            store::stampMeta(db, store::writeRow(db, changed), changed);
        }
        if (transaction) transaction->commit();
        return {};
    });
}

Result<void> RunStore::Impl::change(const RunId& id, const std::function<Result<void>(RunRecord&)>& edit) {
    return changeAll({id}, edit);
}

StoredConfig NewRun::storedConfig() const {
    if (given) return partialConfig(config, *given);
    StoredConfig all;
    all.config = all.acting = config;
    return all;
}

Result<void> RunStore::createRun(const NewRun& run, std::int64_t nowUnixMilliseconds) {
    const auto folder = m_impl->home.run(run.id);
    if (!folder) return fail(folder.error());
    RunRecord record;
    record.id = run.id;
    record.name = run.name.empty() ? run.config.name : run.name;
    record.createdUnixMilliseconds = nowUnixMilliseconds;
    record.folder = folder->path;
    record.configHash = configHash(run.config);
    record.tags = store::cleanTags(run.tags);
    if (auto named = checkName(record.name, "name"); !named) return named;
    if (auto tagged = checkNames(record.tags, "tag"); !tagged) return tagged;
    record.sweep = run.sweep;
    record.trial = run.trial;
    apply(run.life, record);
    if (!run.forecastJson.empty()) {
        const auto forecast = parseJson(run.forecastJson, "forecast");
        if (!forecast) return fail(forecast.error());
        record.forecast = figuresFromJson(*forecast);
    }
    return guarded(m_impl->db, [&]() -> Result<void> {
        WriteTransaction transaction(m_impl->db);
        std::error_code code;
        if (m_impl->rowOf(run.id) || std::filesystem::exists(folder->meta(), code))
            return fail("run_exists", "Run %1 already exists."_text(run.id.value), run.id.value);
        const bool hasFolder = std::filesystem::exists(folder->path, code);
        if (auto written = hasFolder ? store::writeMeta(record) : store::makeRunFolder(run, record); !written)
            return written;
        const std::int64_t row = store::writeRow(m_impl->db, record);
        store::writeDocuments(m_impl->db, row, run.storedConfig(),
                              run.cluster ? dumpJson(toJson(*run.cluster), false) : "", run.forecastJson);
        store::stampMeta(m_impl->db, row, record);
        // The stream of a row without an epoch has yet to be read, by adoptRun or the next program.
        m_impl->db.query("UPDATE runs SET epoch = iif(?, -1, (SELECT epoch FROM index_state)) WHERE id = ?")
            .bind(1, static_cast<std::int64_t>(run.isStreamStaged))
            .bind(2, row)
            .run();
        transaction.commit();
        return {};
    });
}

Result<void> RunStore::stageStream(const RunId& id, const std::function<Result<void>(AppendFile&)>& write) {
    const auto folder = m_impl->home.run(id);
    if (!folder) return fail(folder.error());
    return store::stageStream(*folder, write);
}

Result<void> RunStore::updateRun(const RunId& id, const RunChange& change) {
    return guarded(m_impl->db, [&]() -> Result<void> {
        WriteTransaction transaction(m_impl->db);
        auto changed = m_impl->change(id, [&](RunRecord& record) -> Result<void> {
            apply(change, record);
            return {};
        });
        if (!changed) return changed;
        // The writer of this row owns the run: it is here, regardless of earlier observations.
        m_impl->db.query("UPDATE runs SET host = '', last_sign_unix_ms = NULL WHERE run_id = ? AND host <> ''")
            .bind(1, id.value)
            .run();
        transaction.commit();
        return {};
    });
}

Result<void> RunStore::rereadConfig(const RunId& id) {
    const auto folder = m_impl->home.run(id);
    if (!folder) return fail(folder.error());
    const auto json = readOwnJson(folder->config());
    if (!json) return fail(json.error());
    const auto stored = readStoredConfig(*json, folder->config().string());
    if (!stored) return fail(stored.error());
    return guarded(m_impl->db, [&]() -> Result<void> {
        WriteTransaction transaction(m_impl->db);
        const auto row = m_impl->rowOf(id);
        if (!row) return fail(row.error());
        store::writeDocuments(m_impl->db, *row, *stored, "", "");
        m_impl->db.query("UPDATE runs SET config_hash = ? WHERE id = ?")
            .bind(1, configHash(stored->config))
            .bind(2, *row)
            .run();
        store::noteListChange(m_impl->db);
        transaction.commit();
        return {};
    });
}

Result<void> RunStore::observeRun(const RunId& id, RunStatus status, const std::string& host,
                                  std::optional<std::int64_t> lastSignUnixMilliseconds) {
    return guarded(m_impl->db, [&]() -> Result<void> {
        WriteTransaction transaction(m_impl->db);
        m_impl->db.query("UPDATE runs SET status = ?, host = ?, last_sign_unix_ms = ? WHERE run_id = ?")
            .bind(1, wordOf(status))
            .bind(2, host)
            .bind(3, lastSignUnixMilliseconds)
            .bind(4, id.value)
            .run();
        store::noteListChange(m_impl->db);
        transaction.commit();
        return {};
    });
}

Result<void> RunStore::together(const std::function<Result<void>()>& work) {
    return guarded(m_impl->db, [&]() -> Result<void> {
        FlushTogether files(m_impl->home.runs());
        WriteTransaction transaction(m_impl->db);
        if (auto done = work(); !done) return done;
        if (auto flushed = files.flush(); !flushed) return flushed;
        transaction.commit();
        return {};
    });
}

Result<RunRecord> RunStore::run(const RunId& id) {
    return guarded(m_impl->db, [&]() -> Result<RunRecord> {
        auto record = m_impl->record(id);
        if (!record) return record;
        Query query = m_impl->db.query(
            "SELECT d.config, d.cluster, d.forecast FROM runs r JOIN run_documents d ON d.run = r.id WHERE r.run_id = ?");
        if (query.bind(1, id.value).next()) {
            record->configJson = query.text(0);
            record->clusterJson = query.text(1);
            record->forecastJson = query.text(2);
        }
        return record;
    });
}

Result<RunRecord> RunStore::findRun(const std::string& text) {
    if (auto exact = run(RunId(text))) return exact;
    std::vector<std::string> found;
    auto searched = guarded(m_impl->db, [&]() -> Result<void> {
        Query byId =
            m_impl->db.query("SELECT run_id FROM runs WHERE substr(run_id, 1, length(?1)) = ?1 AND ?1 <> '' LIMIT 2");
        byId.bind(1, text);
        while (byId.next()) found.push_back(byId.text(0));
        if (!found.empty()) return {};
        if (text.empty()) return {};  // an unset variable of a script, not a request for unnamed runs
        Query byName = m_impl->db.query(
            "SELECT run_id FROM runs WHERE name = ? AND deleted_unix_ms IS NULL ORDER BY created_unix_ms DESC, id DESC LIMIT 1");
        if (byName.bind(1, text).next()) found.push_back(byName.text(0));
        return {};
    });
    if (!searched) return fail(searched.error());
    if (found.empty())
        return fail("run_missing", "No run has the id or name \"%1\"; `slipway runs --all` lists them."_text(text),
                    text);
    if (found.size() > 1)
        return fail("run_ambiguous", "More than one run id begins with \"%1\"; type more characters."_text(text), text);
    return run(RunId(found.front()));
}

Result<RunListing> RunStore::listing(const RunQuery& query, const std::stop_token& stop) {
    return withTable(m_impl->db, m_impl->table,
                     [&](store::RunTable& table) { return table.listing(m_impl->db, query, stop); });
}

Result<std::vector<RunGroup>> RunStore::groups(const RunQuery& query, const std::vector<std::string>& figures,
                                               const std::stop_token& stop) {
    return withTable(m_impl->db, m_impl->table,
                     [&](store::RunTable& table) { return table.groups(m_impl->db, query, figures, stop); });
}

Result<void> RunStore::prepare(const std::vector<std::string>& fields, const std::stop_token& stop) {
    return withTable(m_impl->db, m_impl->table, [&](store::RunTable& table) -> Result<void> {
        const auto found = store::fieldsNamed(fields);
        if (!found) return fail(found.error());
        return table.load(m_impl->db, *found, stop);
    });
}

Result<std::vector<RunRow>> RunStore::rows(std::span<const std::int64_t> keys,
                                           const std::vector<std::string>& columns) {
    const auto fields = store::fieldsNamed(columns);
    if (!fields) return fail(fields.error());
    std::string sql = "SELECT " + store::recordColumns();
    for (const RunField* field : *fields) sql += ", " + field->expression;
    const bool documents = std::any_of(fields->begin(), fields->end(), [](const RunField* f) { return !f->isWide; });
    sql += std::string(" FROM runs r") + (documents ? " LEFT JOIN run_documents d ON d.run = r.id" : "") +
           " WHERE r.id = ?";
    return guarded(m_impl->db, [&]() -> Result<std::vector<RunRow>> {
        SQLite::Statement statement(m_impl->db.raw(), sql);
        std::vector<RunRow> out;
        out.reserve(keys.size());
        for (const std::int64_t key : keys) {
            Query row(statement);
            RunRow& read = out.emplace_back();
            if (!row.bind(1, key).next()) continue;
            read.record = store::recordFrom(row, m_impl->home);
            for (std::size_t i = 0; i < fields->size(); ++i)
                read.cells.push_back(
                    cellFrom(row, store::numRecordColumns() + static_cast<int>(i), (*fields)[i]->kind));
        }
        return out;
    });
}

Result<std::vector<RunRow>> RunStore::list(const RunQuery& query) {
    const auto found = listing(query);
    if (!found) return fail(found.error());
    const std::size_t size = found->keys.size();
    const auto begin = std::min(size, static_cast<std::size_t>(std::max<std::int64_t>(query.offset, 0)));
    const std::size_t count =
        query.limit < 0 ? size - begin : std::min(size - begin, static_cast<std::size_t>(query.limit));
    auto out = rows(std::span(found->keys).subspan(begin, count), query.columns);
    if (out) std::erase_if(*out, [](const RunRow& row) { return row.record.id.empty(); });
    return out;
}

Result<std::vector<RunId>> RunStore::ids(const RunQuery& query) {
    const auto found = listing(query);
    if (!found) return fail(found.error());
    std::vector<RunId> out;
    out.reserve(found->ids.size());
    for (std::size_t i = 0; i < found->ids.size(); ++i) out.push_back(found->ids.at(i));
    return out;
}

Result<RunCounts> RunStore::count(const RunQuery& query) {
    RunQuery bare = query;
    bare.sort.clear();
    bare.figure.clear();
    bare.groupBy.clear();
    return withTable(m_impl->db, m_impl->table,
                     [&](store::RunTable& table) { return table.counts(m_impl->db, bare, {}); });
}

}  // namespace slipway
