// One SQLite connection of the store: opening, migrating, cached statements, errors as values. Private to this room.
#pragma once

#include "core/base/result.h"
#include "core/store/run_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/Savepoint.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace slipway::store {

/// A prepared statement in use; reset at the end of the scope, so that no read stays open.
class Query {
public:
    explicit Query(SQLite::Statement& statement) : m_statement(statement) {}
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    ~Query() {
        m_statement.tryReset();
        m_statement.clearBindings();
    }

    Query& bind(int index, std::int64_t value);
    Query& bind(int index, const std::string& value);
    Query& bind(int index, double value);  ///< NaN becomes the text 'nan'
    Query& bindBlob(int index, const std::string& bytes);
    template <class T>
    Query& bind(int index, const std::optional<T>& value) {
        if (value) return bind(index, static_cast<std::conditional_t<std::is_same_v<T, int>, std::int64_t, T>>(*value));
        return bindNull(index);
    }
    Query& bindNull(int index);
    /// Binds the next parameter; do not mix with bind().
    template <class T>
    Query& add(const T& value) {
        return bind(++m_added, value);
    }
    bool next() { return m_statement.executeStep(); }
    /// Runs a statement without result; returns the number of rows changed.
    int run() { return m_statement.exec(); }

    [[nodiscard]] std::int64_t integer(int column) { return m_statement.getColumn(column).getInt64(); }
    [[nodiscard]] std::string text(int column) { return m_statement.getColumn(column).getString(); }
    [[nodiscard]] bool isNull(int column) { return m_statement.getColumn(column).isNull(); }
    [[nodiscard]] std::optional<std::int64_t> optionalInteger(int column);
    [[nodiscard]] std::optional<double> optionalReal(int column);  ///< the text 'nan' becomes NaN
    [[nodiscard]] SQLite::Column column(int index) { return m_statement.getColumn(index); }

private:
    SQLite::Statement& m_statement;
    int m_added = 0;
};

class Database {
public:
    static constexpr int kApplicationId = 0x534C5057;  // "SLPW"

    /// See RunStore::open for the errors. Only SQLite ever opens the file: closing any other descriptor of it would drop
    /// the locks of every connection of this process (https://www.sqlite.org/howtocorrupt.html 2.2).
    static Result<Database> open(const std::filesystem::path& path, OpenMode mode);
    /// Reopens the file at the path where it is no longer this connection's: a damaged index was moved aside, or the
    /// file was deleted. Does nothing inside a transaction.
    Result<void> followPath();
    /// Maximum wait of a call for another program's write; RunStore::kPatienceMilliseconds after opening.
    void setPatience(int milliseconds) { m_db->setBusyTimeout(milliseconds); }
    /// A new number for each file that followPath switched to.
    [[nodiscard]] std::int64_t generation() const { return m_generation; }
    /// Data read now may still be rolled back.
    [[nodiscard]] bool isInTransaction() const;
    /// Whether the tables are exactly those of the migrations.
    bool hasOurTables();

    /// The statement, prepared once per connection.
    Query query(const std::string& sql);
    void execute(const std::string& sql) { m_db->exec(sql); }
    std::int64_t lastRowId() { return m_db->getLastInsertRowid(); }
    SQLite::Database& raw() { return *m_db; }
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    friend class CallScope;
    Result<void> prepare(OpenMode mode);

    std::string m_path;
    OpenMode m_mode = OpenMode::ReadWrite;
    std::int64_t m_generation = 0;
    int m_calls = 0;  // guarded() calls in progress on this connection
    std::unique_ptr<SQLite::Database> m_db;
    std::map<std::string, std::unique_ptr<SQLite::Statement>> m_statements;  // after m_db: freed before it
};

/// SQLite's failure with its remedy.
Error errorFrom(const SQLite::Exception& exception, const std::string& path);

/// Counts a call for its duration, so that only the outermost one may reopen the file.
class CallScope {
public:
    explicit CallScope(Database& db) : m_db(db) { ++m_db.m_calls; }
    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;
    ~CallScope() { --m_db.m_calls; }
    [[nodiscard]] bool isOutermost() const { return m_db.m_calls == 1; }

private:
    Database& m_db;
};

/// Runs f on the file now at the path; an exception of SQLite becomes its Error. No exception leaves the room.
template <class F>
auto guarded(Database& db, F&& f) -> decltype(f()) {
    const CallScope call(db);
    try {
        if (call.isOutermost())
            if (auto followed = db.followPath(); !followed) return fail(followed.error());
        return f();
    } catch (const SQLite::Exception& exception) {
        return fail(errorFrom(exception, db.path()));
    }
}

/// A transaction that takes the write lock immediately (a later upgrade would fail instead of waiting). Inside another
/// one it is a nested part: rolled back alone if not committed, effective with the outer commit.
class WriteTransaction {
public:
    explicit WriteTransaction(Database& db);
    void commit();

private:
    std::optional<SQLite::Transaction> m_whole;
    std::optional<SQLite::Savepoint> m_part;
};

}  // namespace slipway::store
