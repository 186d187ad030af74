#include "core/store/database.h"

#include "core/base/file.h"
#include "core/base/file_mode.h"
#include "core/store/migrations.h"

#include <sqlite3.h>

#include <cmath>
#include <limits>

namespace slipway::store {
namespace {

const std::string kRebuildHint =
    " The run folders hold everything: move this file away, or let `slipway reindex` do so and build a new index.";

int ourVersion() {
    return static_cast<int>(migrations().size());
}

Error newer(int found, const std::string& path) {
    return {"schema_newer",
            "The run index has schema version " + std::to_string(found) + ", this program knows up to " +
                std::to_string(ourVersion()) +
                ". A newer Slipway has written it: use that one. The file was not touched.",
            path};
}

Error foreign(const std::string& what, const std::string& path) {
    return {"store_corrupt", "The run index cannot be read: " + what + " Nothing was changed." + kRebuildHint, path};
}

std::uint32_t bigEndian(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = (value << 8U) | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

/// Looks at the file's header without SQLite, which would already write beside it
/// (https://www.sqlite.org/fileformat.html 1.3: user version at byte 60, application id at 68).
Result<void> checkHeader(const std::filesystem::path& path) {
    auto header = readFileFrom(path, 0, 100);
    if (!header) return header.error().code == "file_missing" ? Result<void>{} : fail(header.error());
    if (header->empty()) return {};
    if (header->size() < 100 || header->compare(0, 16, std::string("SQLite format 3\0", 16)) != 0)
        return fail(foreign("it is not a database.", path.string()));
    const auto version = static_cast<int>(bigEndian(*header, 60));
    const auto application = bigEndian(*header, 68);
    if (application == Database::kApplicationId && version > ourVersion()) return fail(newer(version, path.string()));
    if (application != 0 && application != Database::kApplicationId)
        return fail(foreign("it belongs to another program.", path.string()));
    return {};
}

/// SQLite reports a disk that is full as an input/output error where it grows its shared memory or flushes.
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
    const Error full{
        "disk_full",
        "The disk is full: the run index could not be written; free some space and try again. Nothing already stored is lost.",
        path};
    switch (exception.getErrorCode()) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return {"store_busy", "Another program is writing to the run index and did not finish in time; try again.",
                    path};
        case SQLITE_FULL: return full;
        case SQLITE_IOERR:
            return hasSpace(path)
                       ? Error{"store_failed", "The run index could not be read or written: " + what + ".", path}
                       : full;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return foreign("the file is damaged (" + what + ").", path);
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
            return {
                "folder_unwritable",
                "The run index can be neither opened nor made for writing: may this folder be written? Name another with "
                "--home or SLIPWAY_HOME.",
                path};
        default: return {"store_failed", "The run index reported: " + what + ".", path};
    }
}

Result<Database> Database::open(const std::filesystem::path& path, OpenMode mode) {
    std::error_code ignored;
    const bool exists = std::filesystem::exists(path, ignored);
    if (mode == OpenMode::ReadOnly && !exists)
        return fail("store_missing", "There is no run index yet.", path.string());
    if (mode == OpenMode::ReadWrite)
        if (auto made = makePrivateFolder(path.parent_path()); !made) return fail(made.error());
    if (auto header = checkHeader(path); !header) return fail(header.error());

    Database db;
    db.m_path = path.string();
    const int flags = mode == OpenMode::ReadOnly ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
    try {
        db.m_db = std::make_unique<SQLite::Database>(path.string(), flags, kBusyTimeoutMilliseconds);
        if (!exists) matchFolderMode(path);
        if (auto ready = db.prepare(mode); !ready) return fail(ready.error());
    } catch (const SQLite::Exception& exception) {
        return fail(errorFrom(exception, path.string()));
    }
    return db;
}

Result<void> Database::prepare(OpenMode mode) {
    // Once more through SQLite: the newest version may stand in the write-ahead log only.
    const int found = pragma(*m_db, "user_version");
    const int application = pragma(*m_db, "application_id");
    if (application == kApplicationId && found > ourVersion()) return fail(newer(found, m_path));
    if (application != kApplicationId && (found != 0 || hasTables(*m_db)))
        return fail(foreign("it belongs to another program.", m_path));
    m_db->exec("PRAGMA foreign_keys = ON");
    m_db->exec("PRAGMA temp_store = MEMORY");
    m_db->exec("PRAGMA cache_size = -20000");
    m_db->exec("PRAGMA mmap_size = 0");
    if (mode == OpenMode::ReadOnly) {
        if (found < ourVersion())
            return fail("schema_older",
                        "The run index has schema version " + std::to_string(found) + " and must be brought to " +
                            std::to_string(ourVersion()) + " by a program that may write it.",
                        m_path);
        return {};
    }
    m_db->exec("PRAGMA journal_mode = WAL");
    // NORMAL may lose the last commits in a power cut, never consistency; cursor and points roll back together and the
    // folders hold the rest (sqlite.org, PRAGMA synchronous).
    m_db->exec("PRAGMA synchronous = NORMAL");
    if (found == ourVersion()) return {};
    WriteTransaction transaction(*this);
    const int current = pragma(*m_db, "user_version");  // another process may have migrated while we waited
    if (current > ourVersion()) return fail(newer(current, m_path));
    for (int version = current; version < ourVersion(); ++version)
        m_db->exec(std::string(migrations()[static_cast<std::size_t>(version)].sql));
    fillAddedColumns(*this, current);
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
