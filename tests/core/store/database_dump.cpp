#include "tests/core/store/database_dump.h"

#include <sqlite3.h>

#include <QHash>
#include <functional>
#include <iterator>
#include <string>

namespace slipway::test {
namespace {

/// How and when a row came to be, not what it holds.
const QStringList kHistory = {QStringLiteral("id"), QStringLiteral("meta_stamp"), QStringLiteral("epoch"),
                              QStringLiteral("changed")};

using Row = std::function<void(sqlite3_stmt*)>;

void select(sqlite3* db, const QString& sql, const Row& row) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db, sql.toUtf8().constData(), -1, &statement, nullptr) != SQLITE_OK)
        qFatal("%s: %s", sql.toUtf8().constData(), sqlite3_errmsg(db));
    while (sqlite3_step(statement) == SQLITE_ROW) row(statement);
    sqlite3_finalize(statement);
}

QString textOf(sqlite3_stmt* row, int column) {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(row, column));
    const QByteArray value(bytes, sqlite3_column_bytes(row, column));
    return QString::fromLatin1(sqlite3_column_type(row, column) == SQLITE_BLOB ? value.toHex() : value);
}

QHash<QString, QString> namesOf(sqlite3* db, const QString& table, const QString& column) {
    QHash<QString, QString> out;
    select(db, QStringLiteral("SELECT id, %1 FROM %2").arg(column, table),
           [&](sqlite3_stmt* row) { out.insert(textOf(row, 0), textOf(row, 1)); });
    return out;
}

}  // namespace

void bringBack(const std::filesystem::path& index, int version) {
    // What undoes the second migration, the third and so on.
    constexpr const char* kUndo[] = {
        "ALTER TABLE runs DROP COLUMN forecast_final_eval_loss; ALTER TABLE runs DROP COLUMN measured_final_eval_loss",
        "ALTER TABLE stream_cursors DROP COLUMN inside_line",
        "DROP INDEX runs_open; DROP TABLE index_state; ALTER TABLE sweeps DROP COLUMN epoch; "
        "ALTER TABLE runs DROP COLUMN epoch; ALTER TABLE runs DROP COLUMN meta_stamp; "
        "ALTER TABLE runs DROP COLUMN host; ALTER TABLE runs DROP COLUMN last_sign_unix_ms",
        "DROP TABLE metric_levels; DROP TABLE level_backlog; ALTER TABLE stream_cursors DROP COLUMN rewinds",
        "DROP TRIGGER run_added; DROP TRIGGER run_changed; DROP TRIGGER run_removed; DROP INDEX runs_listed; "
        "DROP INDEX runs_changed; DROP INDEX runs_shown; DROP INDEX runs_by_epoch; ALTER TABLE runs DROP COLUMN changed; "
        "ALTER TABLE index_state DROP COLUMN changes; CREATE INDEX runs_by_creation ON runs (created_unix_ms, id)",
        // Level 1 of a curve of one chunk was a row of metric_levels.
        "INSERT INTO metric_levels SELECT o.run, o.metric, o.attempt, 1, min(l.first_step), o.buckets FROM curve_outlines o "
        "JOIN metric_levels l USING (run, metric, attempt) GROUP BY o.id HAVING count(*) = 1; "
        "DROP TABLE curve_outlines; DROP TABLE outline_backlog"};
    sqlite3* db = nullptr;
    char* message = nullptr;
    std::string sql;
    for (int undone = static_cast<int>(std::size(kUndo)) + 1; undone > version; --undone)
        sql += std::string(kUndo[undone - 2]) + "; ";
    sql += "PRAGMA user_version = " + std::to_string(version);
    if (sqlite3_open(index.c_str(), &db) != SQLITE_OK ||
        sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK)
        qFatal("%s", message);
    sqlite3_close(db);
}

QStringList schemaOf(const std::filesystem::path& index) {
    sqlite3* db = nullptr;
    if (sqlite3_open_v2(index.c_str(), &db, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK) qFatal("%s", index.c_str());
    QStringList out;
    select(db,
           QStringLiteral("SELECT m.type, m.name, coalesce(c.name, '') FROM sqlite_master m LEFT JOIN "
                          "pragma_table_info(m.name) c WHERE m.name NOT LIKE 'sqlite_%'"),
           [&](sqlite3_stmt* row) { out << textOf(row, 0) + u' ' + textOf(row, 1) + u' ' + textOf(row, 2); });
    sqlite3_close(db);
    out.sort();
    return out;
}

QStringList dumpDatabase(const std::filesystem::path& index) {
    sqlite3* db = nullptr;
    if (sqlite3_open_v2(index.c_str(), &db, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK) qFatal("%s", index.c_str());
    const auto runs = namesOf(db, QStringLiteral("runs"), QStringLiteral("run_id"));
    const auto metrics = namesOf(db, QStringLiteral("metric_names"), QStringLiteral("name"));
    QStringList out;
    QStringList tables;
    select(db, QStringLiteral("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"),
           [&](sqlite3_stmt* row) { tables << textOf(row, 0); });
    tables.removeOne(QStringLiteral("index_state"));  // how often it was built, not what it holds
    for (const QString& table : tables)
        select(db, QStringLiteral("SELECT * FROM %1").arg(table), [&](sqlite3_stmt* row) {
            QString line = table;
            for (int c = 0; c < sqlite3_column_count(row); ++c) {
                const QString column = QString::fromUtf8(sqlite3_column_name(row, c));
                if (kHistory.contains(column)) continue;
                QString value = textOf(row, c);
                if (column == QLatin1String("run")) value = runs.value(value);
                if (column == QLatin1String("metric")) value = metrics.value(value);
                line += QStringLiteral(" %1=%2").arg(column, value);
            }
            out << line;
        });
    sqlite3_close(db);
    out.sort();
    return out;
}

}  // namespace slipway::test
