#include "tests/core/store/database_dump.h"

#include <sqlite3.h>

#include <QHash>
#include <functional>

namespace slipway::test {
namespace {

/// How and when a row came to be, not what it holds.
const QStringList kHistory = {QStringLiteral("id"), QStringLiteral("meta_stamp"), QStringLiteral("epoch")};

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
