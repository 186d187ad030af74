#include "core/store/database.h"

#include "core/base/error_of.h"
#include "core/base/file.h"
#include "core/base/file_mode.h"
#include "core/store/migrations.h"

#include <sqlite3.h>

#include <cmath>
#include <limits>

namespace slipway::store {
namespace {

constexpr SourceText kRebuildHint =
    " The run folders hold everything: `slipway reindex` moves this file aside and builds a new index."_text;

int ourVersion() {
    return static_cast<int>(migrations().size());
}

Error newer(int found, const std::string& path) {
    return errorOf(
        "schema_newer",
        "The run index has schema version %1; this version of Slipway reads up to %2. Use the newer one; the file is unchanged."_text(
            found, ourVersion()),
        path);
}

/// @param what a clause: "its version is damaged"
Error foreign(const Message& what, const std::string& path) {
    return errorOf("store_corrupt", "The run index cannot be read: %1. Nothing was changed.%2"_text(what, kRebuildHint),
                   path);
}

/// SQLite reports a full disk as an input/output error when it grows its shared memory or flushes.
bool hasSpace(const std::string& path) {
    std::error_code code;
    const auto space = std::filesystem::space(std::filesystem::path(path).parent_path(), code);
    return code || space.available >= 1U << 16;
}

int pragma(SQLite::Database& db, const char* name) {
    SQLite::Statement statement(db, std::string("PRAGMA ") + name);
    return statement.executeStep() ? statement.getColumn(0).getInt() : 0;
}

bool hasTables(SQLite::Database& db) {
    SQLite::Statement statement(db, "SELECT count(*) FROM sqlite_master");
    return statement.executeStep() && statement.getColumn(0).getInt() > 0;
}

/// The file may come from a stranger: its schema must not call functions with effects, and no statement may rewrite the
/// schema or the pages behind it (https://www.sqlite.org/security.html).
void distrust(SQLite::Database& db) {
    sqlite3_db_config(db.getHandle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db.getHandle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    db.exec("PRAGMA cell_size_check = ON");
}

/// Checks the file's own marks: refused if a newer Slipway or another program made it.
Result<void> checkOrigin(SQLite::Database& db, const std::string& path) {
    const int version = pragma(db, "user_version");
    const int application = pragma(db, "application_id");
    if (application == Database::kApplicationId && version > ourVersion()) return fail(newer(version, path));
    if (application == Database::kApplicationId && version < 0)
        return fail(foreign("its version is damaged"_text, path));
    if (application != Database::kApplicationId && (version != 0 || hasTables(db)))
        return fail(foreign("it belongs to another program"_text, path));
    return {};
}

/// The same check without leaving anything beside the file: an immutable connection takes no locks and writes no
/// log. Only a refusal counts: while another program writes, it may see half of a page, and the real connection
/// reports every other problem.
Result<void> refusalAtFirstSight(const std::filesystem::path& path) {
    try {
        std::string uri = "file:";
        for (const char c : path.string())
            uri += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
        SQLite::Database db(uri + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI);
        distrust(db);
        return checkOrigin(db, path.string());
    } catch (const SQLite::Exception&) {
        return {};
    }
}

using Schema = std::vector<std::pair<std::string, std::string>>;

Schema schemaOf(SQLite::Database& db) {
    Schema out;
    SQLite::Statement statement(db, "SELECT name, coalesce(sql, '') FROM sqlite_master ORDER BY name");
    while (statement.executeStep())
        out.emplace_back(statement.getColumn(0).getString(), statement.getColumn(1).getString());
    return out;
}

}  // namespace

Query& Query::bind(int index, std::int64_t value) {
    m_statement.bind(index, value);
    return *this;
}

Query& Query::bind(int index, const std::string& value) {
    m_statement.bind(index, value);
    return *this;
}

Query& Query::bind(int index, double value) {
    if (std::isnan(value)) return bind(index, std::string("nan"));
    m_statement.bind(index, value);
    return *this;
}

Query& Query::bindBlob(int index, const std::string& bytes) {
    m_statement.bind(index, bytes.data(), static_cast<int>(bytes.size()));
    return *this;
}

Query& Query::bindNull(int index) {
    m_statement.bind(index);
    return *this;
}

std::optional<std::int64_t> Query::optionalInteger(int column) {
    return isNull(column) ? std::nullopt : std::optional(integer(column));
}

std::optional<double> Query::optionalReal(int column) {
    const SQLite::Column value = m_statement.getColumn(column);
    if (value.isNull()) return {};
    if (value.isText()) return std::numeric_limits<double>::quiet_NaN();
    return value.getDouble();
}

Error errorFrom(const SQLite::Exception& exception, const std::string& path) {
    const std::string what = exception.what();
    const Error full = errorOf(
        "disk_full",
        "The disk is full: the run index could not be written; free some space and try again. Nothing already stored is lost."_text,
        path);
    switch (exception.getErrorCode()) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return errorOf("store_busy",
                           "Another program is writing to the run index and did not finish in time; try again."_text,
                           path);
        case SQLITE_FULL: return full;
        case SQLITE_IOERR:
            return hasSpace(path)
                       ? errorOf("store_failed", "The run index could not be read or written: %1."_text(what), path)
                       : full;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return foreign("the file is damaged (%1)"_text(what), path);
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
            return errorOf(
                "folder_unwritable",
                "The run index can be neither opened nor created: check the permissions of its folder, or name another home with --home or SLIPWAY_HOME."_text,
                path);
        case SQLITE_ERROR:
            if (what.starts_with("no such table") || what.starts_with("no such column"))
                return foreign("its tables are not those of its version (%1)"_text(what), path);
            return errorOf("store_failed", "The run index reported: %1."_text(what), path);
        default: return errorOf("store_failed", "The run index reported: %1."_text(what), path);
    }
}

Result<Database> Database::open(const std::filesystem::path& path, OpenMode mode) {
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    const bool exists = std::filesystem::exists(status);
    if (exists && !std::filesystem::is_regular_file(status))
        return fail(foreign("it is not a file"_text, path.string()));
    if (mode == OpenMode::ReadOnly && !exists)
        return fail("store_missing", "There is no run index yet."_text, path.string());
    if (mode == OpenMode::ReadWrite)
        if (auto made = makePrivateFolder(path.parent_path()); !made)
            return fail(made.error().code,
                        "%1 Name another home with --home or SLIPWAY_HOME."_text(made.error().message),
                        made.error().where);
    if (exists)
        if (auto known = refusalAtFirstSight(path); !known) return fail(known.error());

    Database db;
    db.m_path = path.string();
    db.m_mode = mode;
    const int flags = mode == OpenMode::ReadOnly ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
    try {
        db.m_db = std::make_unique<SQLite::Database>(path.string(), flags, RunStore::kPatienceMilliseconds);
        distrust(*db.m_db);
        if (!exists) matchFolderMode(path);
        if (auto ready = db.prepare(mode); !ready) return fail(ready.error());
    } catch (const SQLite::Exception& exception) {
        return fail(errorFrom(exception, path.string()));
    }
    return db;
}

Result<void> Database::followPath() {
    if (isInTransaction()) return {};
    int moved = 0;
    if (sqlite3_file_control(m_db->getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || moved == 0)
        return {};
    auto again = open(m_path, m_mode);
    if (!again) return fail(again.error());
    m_statements.clear();
    m_db = std::move(again->m_db);
    ++m_generation;
    return {};
}

bool Database::isInTransaction() const {
    return sqlite3_get_autocommit(m_db->getHandle()) == 0;
}

bool Database::hasOurTables() {
    SQLite::Database reference(":memory:", SQLite::OPEN_READWRITE);
    for (const Migration& migration : migrations()) reference.exec(std::string(migration.sql));
    return schemaOf(reference) == schemaOf(*m_db);
}

Result<void> Database::prepare(OpenMode mode) {
    // With the log as well: the newest version may be only there.
    if (auto ours = checkOrigin(*m_db, m_path); !ours) return ours;
    const int found = pragma(*m_db, "user_version");
    m_db->exec("PRAGMA foreign_keys = ON");
    m_db->exec("PRAGMA temp_store = MEMORY");
    m_db->exec("PRAGMA cache_size = -20000");
    m_db->exec("PRAGMA mmap_size = 0");
    if (mode == OpenMode::ReadOnly) {
        if (found < ourVersion())
            return fail("schema_older",
                        "The run index has schema version %1; a program with write access must migrate it to %2."_text(
                            found, ourVersion()),
                        m_path);
        return {};
    }
    m_db->exec("PRAGMA journal_mode = WAL");
    // NORMAL may lose the last commits in a power cut, never consistency; cursor and points roll back together and the
    // folders have the rest (sqlite.org, PRAGMA synchronous).
    m_db->exec("PRAGMA synchronous = NORMAL");
    // 16 MiB instead of 4: the last pages of live runs are written to the file once instead of many times.
    m_db->exec("PRAGMA wal_autocheckpoint = 4000");
    if (found == ourVersion()) return {};
    WriteTransaction transaction(*this);
    const int current = pragma(*m_db, "user_version");  // another process may have migrated in the meantime
    if (current > ourVersion()) return fail(newer(current, m_path));
    try {
        for (int version = current; version < ourVersion(); ++version)
            m_db->exec(std::string(migrations()[static_cast<std::size_t>(version)].sql));
        fillAddedColumns(*this, current);
    } catch (const SQLite::Exception& exception) {
        if (exception.getErrorCode() != SQLITE_ERROR) throw;
        return fail(foreign("its tables are not those of schema version %1"_text(current), m_path));
    }
    m_db->exec("PRAGMA application_id = " + std::to_string(kApplicationId));
    m_db->exec("PRAGMA user_version = " + std::to_string(ourVersion()));
    transaction.commit();
    return {};
}

WriteTransaction::WriteTransaction(Database& db) {
    if (sqlite3_get_autocommit(db.raw().getHandle()) != 0)
        m_whole.emplace(db.raw(), SQLite::TransactionBehavior::IMMEDIATE);
    else
        m_part.emplace(db.raw(), "part");
}

void WriteTransaction::commit() {
    if (m_whole) m_whole->commit();
    if (m_part) m_part->release();
}

Query Database::query(const std::string& sql) {
    auto& statement = m_statements[sql];
    if (!statement) statement = std::make_unique<SQLite::Statement>(*m_db, sql);
    return Query(*statement);
}

}  // namespace slipway::store
