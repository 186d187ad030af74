#include "core/store/point_table.h"

#include "core/store/database.h"

#include <algorithm>

namespace slipway {

struct PointTable::Impl {
    std::string path;
    SQLite::Database db;
};

namespace {

/// Turns an exception of SQLite into its Error.
template <class F>
auto errorsOf(const std::string& path, F&& f) -> decltype(f()) {
    try {
        return f();
    } catch (const SQLite::Exception& exception) {
        return fail(store::errorFrom(exception, path));
    }
}

}  // namespace

PointTable::PointTable(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
PointTable::PointTable(PointTable&&) noexcept = default;
PointTable& PointTable::operator=(PointTable&&) noexcept = default;
PointTable::~PointTable() = default;

Result<PointTable> PointTable::create(const std::filesystem::path& path) {
    return errorsOf(path.string(), [&]() -> Result<PointTable> {
        auto impl = std::make_unique<Impl>(
            Impl{path.string(), SQLite::Database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)});
        impl->db.exec("PRAGMA journal_mode = WAL");
        impl->db.exec("PRAGMA synchronous = NORMAL");  // like the store
        impl->db.exec(
            "CREATE TABLE points (run INTEGER, metric INTEGER, step INTEGER, value REAL, PRIMARY KEY (run, metric, step)) WITHOUT ROWID");
        return PointTable(std::move(impl));
    });
}

Result<void> PointTable::fill(std::int64_t numRuns, std::int64_t numSteps) {
    return errorsOf(m_impl->path, [&]() -> Result<void> {
        SQLite::Statement insert(m_impl->db, "INSERT INTO points VALUES (?, 1, ?, ?)");
        for (std::int64_t run = 1; run <= numRuns; ++run) {
            SQLite::Transaction transaction(m_impl->db);
            for (std::int64_t step = 1; step <= numSteps; ++step) {
                insert.bind(1, run);
                insert.bind(2, step);
                insert.bind(3, 10.0 / static_cast<double>(step + run));
                insert.exec();
                insert.reset();
            }
            transaction.commit();
        }
        return {};
    });
}

Result<std::int64_t> PointTable::curve(std::int64_t run, std::int64_t numSteps, std::int64_t maxBuckets) {
    return errorsOf(m_impl->path, [&]() -> Result<std::int64_t> {
        SQLite::Statement query(
            m_impl->db,
            "SELECT min(value), max(value), max(step) FROM points WHERE run = ?1 AND metric = 1 GROUP BY step / ?2");
        query.bind(1, run);
        query.bind(2, std::max<std::int64_t>(1, numSteps / maxBuckets));
        std::int64_t buckets = 0;
        while (query.executeStep()) ++buckets;
        return buckets;
    });
}

Result<std::int64_t> PointTable::bytes() {
    return errorsOf(m_impl->path, [&]() -> Result<std::int64_t> {
        SQLite::Statement query(m_impl->db, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
        return query.executeStep() ? query.getColumn(0).getInt64() : 0;
    });
}

}  // namespace slipway
