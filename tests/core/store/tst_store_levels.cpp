// Curves read from levels: whatever the stream and the window, every bucket is what the points of its steps give.
#include "core/store/migrations.h"
#include "core/store/reindex.h"
#include "tests/core/store/database_dump.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

#include <sqlite3.h>

#include <cmath>
#include <limits>
#include <random>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr auto kAll = std::numeric_limits<std::int64_t>::max();

std::string sql(const std::filesystem::path& path, const char* text) {
    sqlite3* db = nullptr;
    sqlite3_open(path.c_str(), &db);
    std::string answer;
    char* message = nullptr;
    const auto row = [](void* out, int, char** values, char**) {
        *static_cast<std::string*>(out) = values[0] == nullptr ? "" : values[0];
        return 0;
    };
    if (sqlite3_exec(db, text, row, &answer, &message) != SQLITE_OK) qFatal("%s", message);
    sqlite3_close(db);
    return answer;
}

/// Curves with the wrong number of rows of level 1: one of each full chunk, none of a single one.
constexpr const char* kFineRows =
    "SELECT count(*) FROM (SELECT sum(level = 1) AS fine, sum(level = 2) AS chunks FROM metric_levels GROUP BY run, metric, attempt) "
    "WHERE fine <> CASE chunks WHEN 1 THEN 0 ELSE chunks END";

bool same(double a, double b) {
    return std::isnan(a) ? std::isnan(b) : a == b;
}

/// What is wrong with a window of a curve whose points are known; empty when nothing is.
QString wrongWith(const ThinSeries& window, const MetricSeries& points, std::size_t maxBuckets) {
    if (window.totalPoints != static_cast<std::int64_t>(points.size()))
        return QStringLiteral("%1 points of %2").arg(window.totalPoints).arg(points.size());
    if (window.buckets.size() > maxBuckets) return QStringLiteral("%1 buckets").arg(window.buckets.size());
    if (points.size() > 4 * maxBuckets && window.buckets.size() < maxBuckets / 8)
        return QStringLiteral("only %1 buckets of %2").arg(window.buckets.size()).arg(maxBuckets);
    std::size_t at = 0;
    std::size_t marks = 0;
    for (const SeriesBucket& bucket : window.buckets) {
        const auto count = static_cast<std::size_t>(bucket.count);
        if (count == 0 || at + count > points.size()) return QStringLiteral("counts");
        double low = kNan, high = kNan, sum = 0;
        std::int64_t lowStep = points.steps[at], highStep = points.steps[at], finite = 0;
        for (std::size_t i = at; i < at + count; ++i) {
            const double value = points.values[i];
            if (!std::isfinite(value)) {
                if (marks < window.nonFinite.size() &&
                    (window.nonFinite[marks].step != points.steps[i] || !same(window.nonFinite[marks].value, value)))
                    return QStringLiteral("mark %1").arg(marks);
                ++marks;
                continue;
            }
            if (finite == 0 || value < low) low = value, lowStep = points.steps[i];
            if (finite == 0 || value > high) high = value, highStep = points.steps[i];
            sum += value;
            ++finite;
        }
        const std::size_t end = at + count - 1;
        const double mean = finite == 0 ? kNan : sum / static_cast<double>(finite);
        const bool ok = bucket.firstStep == points.steps[at] && bucket.lastStep == points.steps[end] &&
                        same(bucket.last, points.values[end]) && same(bucket.min, low) && same(bucket.max, high) &&
                        bucket.minStep == lowStep && bucket.maxStep == highStep &&
                        bucket.nonFinite == bucket.count - finite &&
                        (finite == 0 ? std::isnan(bucket.mean)
                                     : std::fabs(bucket.mean - mean) <= 1e-9 * (1 + std::fabs(low) + std::fabs(high)));
        if (!ok) return QStringLiteral("bucket of steps %1 to %2").arg(bucket.firstStep).arg(bucket.lastStep);
        at = end + 1;
    }
    if (at != points.size()) return QStringLiteral("steps are missing");
    if (window.totalNonFinite != static_cast<std::int64_t>(marks)) return QStringLiteral("number of marks");
    if (window.nonFinite.size() != std::min(marks, ThinSeries::kMaxNonFinite)) return QStringLiteral("marks");
    return {};
}

/// Stores `count` steps in pieces: step `first` and every `stride`-th after it.
void addSteps(StoreFixture& f, const RunId& id, std::int64_t first, std::int64_t count, std::mt19937& random,
              std::int64_t stride = 1) {
    std::uint64_t offset = *f.store.offset(id);
    MetricBatch batch;
    for (std::int64_t i = 0; i < count; ++i) {
        const bool spike = random() % 5000 == 0;
        const double value = random() % 700 == 0 ? kNan : static_cast<double>(random() % 1000) * (spike ? -1e6 : 1);
        batch.records.emplace_back(MetricStep{first + i * stride, i, 1, {{"loss", value}}});
        if (batch.records.size() < 1 + random() % 5000 && i + 1 < count) continue;
        batch.fromOffset = offset;
        batch.toOffset = offset + batch.records.size();
        if (!f.store.append(id, batch)->applied) qFatal("not stored");
        offset = batch.toOffset;
        batch = {};
    }
}

void addHeader(StoreFixture& f, const RunId& id, std::int64_t attempt, std::int64_t resumeStep) {
    MetricBatch batch;
    batch.fromOffset = *f.store.offset(id);
    batch.toOffset = batch.fromOffset + 1;
    batch.records.emplace_back(MetricHeader{1, "r", attempt, resumeStep, 1, 0});
    if (!f.store.append(id, batch)->applied) qFatal("not stored");
}

}  // namespace

class TstStoreLevels : public QObject {
    Q_OBJECT

private slots:
    void windowsOfRandomStreams() {
        for (std::uint32_t seed = 1; seed <= 12; ++seed) {
            std::mt19937 random(seed);
            StoreFixture f;
            const RunId id = f.add("r", aConfig("x"));
            std::int64_t last = 0;
            for (std::int64_t attempt = 1; attempt <= 1 + static_cast<std::int64_t>(random() % 4); ++attempt) {
                const std::int64_t resume = static_cast<std::int64_t>(random() % static_cast<unsigned>(last + 1));
                addHeader(f, id, attempt, resume);
                // One stream in four repeats steps below those it said it would resume at.
                const std::int64_t first = random() % 4 == 0 ? resume / 2 + 1 : resume + 1;
                const std::int64_t count = random() % 30000;
                const std::int64_t stride = 1 + random() % 2;  // the gaps may be filled by what repeats
                addSteps(f, id, first, count, random, stride);
                last = std::max(resume, first + (count - 1) * stride);
                if (random() % 3 == 0) addSteps(f, id, std::max<std::int64_t>(1, last - 1500), 700, random);
            }
            QCOMPARE(sql(f.home.index(), "SELECT count(*) FROM metric_levels WHERE level = 2"),
                     sql(f.home.index(), "SELECT count(*) FROM metric_chunks WHERE num_points = 1000"));
            QCOMPARE(
                sql(f.home.index(), "SELECT count(*) FROM curve_outlines"),
                sql(f.home.index(), "SELECT count(*) FROM (SELECT DISTINCT run, metric, attempt FROM metric_levels)"));
            QCOMPARE(sql(f.home.index(), kFineRows), std::string("0"));
            const MetricSeries all = *f.store.series(id, "loss");
            for (int i = 0; i < 60; ++i) {
                const bool whole = i % 4 == 0;
                const std::int64_t from = whole ? -kAll : static_cast<std::int64_t>(random() % 40000);
                const std::int64_t to = whole ? kAll : from + static_cast<std::int64_t>(random() % 40000);
                const std::size_t buckets = 1 + random() % (random() % 2 == 0 ? 20 : 1200);
                const auto window = f.store.window(id, "loss", from, to, buckets);
                QVERIFY(window);
                const MetricSeries points = slice(all, from, to);
                const QString wrong = wrongWith(*window, points, buckets);
                QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("seed %1, %2 to %3 in %4: %5")
                                                         .arg(seed)
                                                         .arg(from)
                                                         .arg(to)
                                                         .arg(buckets)
                                                         .arg(wrong)));
            }
        }
    }

    void growsWithoutReadingWhatItHas() {
        std::mt19937 random(5);
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        addSteps(f, id, 1, 60000, random);
        ThinSeries known = *f.store.window(id, "loss", -kAll, kAll, 50);
        const MetricSeries before = *f.store.series(id, "loss");
        addSteps(f, id, 60001, 3000, random);
        const MetricSeries points = *f.store.series(id, "loss");
        // All that was read before is unreadable now, but for the block that the last step is in.
        sql(f.home.index(), "UPDATE metric_chunks SET points = x'00' WHERE last_step < 60000");
        sql(f.home.index(), "UPDATE metric_levels SET buckets = x'00' WHERE first_step < 59000");
        sql(f.home.index(), "UPDATE curve_outlines SET buckets = x'00'");
        QCOMPARE(f.store.window(id, "loss", -kAll, kAll, 50).error().code, std::string("store_corrupt"));
        append(known, *f.store.window(id, "loss", known.buckets.back().lastStep + 1, kAll, 50));
        QVERIFY2(wrongWith(known, points, 120).isEmpty(), qPrintable(wrongWith(known, points, 120)));
        const ThinSeries thinner = thin(known, 60);
        QVERIFY2(wrongWith(thinner, points, 60).isEmpty(), qPrintable(wrongWith(thinner, points, 60)));
    }

    // A thousand of them are drawn at once, each a row of one page and the points after its full chunks.
    // A live run adds a point a second to each curve: rewriting all of an unfinished chunk would be megabytes a second for fifty runs.
    void aLiveCurveRewritesOnlyItsTail() {
        std::mt19937 random(1);
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        const auto rows = [&] {
            return sql(
                f.home.index(),
                "SELECT count(*) FROM metric_chunks WHERE metric = (SELECT id FROM metric_names WHERE name = 'loss')");
        };
        const auto body = [&] { return sql(f.home.index(), "SELECT max(num_points) FROM metric_chunks"); };
        const auto bodyRow = [&] {
            return sql(
                f.home.index(),
                "SELECT id FROM metric_chunks WHERE num_points = 500 AND metric = (SELECT id FROM metric_names WHERE name = 'loss')");
        };
        addSteps(f, id, 1, 500, random);
        QCOMPARE(rows(), std::string("1"));
        const auto row = bodyRow();
        for (std::int64_t step = 501; step < 550; ++step) addSteps(f, id, step, 1, random);
        QCOMPARE(rows(), std::string("2"));
        QCOMPARE(body(), std::string("500"));
        QCOMPARE(bodyRow(), row);
        addSteps(f, id, 550, 1, random);
        QCOMPARE(rows(), std::string("1"));
        QCOMPARE(body(), std::string("550"));
        for (std::int64_t step = 551; step <= 1000; ++step) addSteps(f, id, step, 1, random);
        QCOMPARE(rows(), std::string("1"));
        QCOMPARE(body(), std::string("1000"));
        addSteps(f, id, 1001, 1, random);
        QCOMPARE(rows(), std::string("2"));
        QCOMPARE(body(), std::string("1000"));
        QCOMPARE(f.store.series(id, "loss")->size(), 1001U);
    }
    void readsLongCurvesFromOneRow() {
        for (const std::int64_t count : {1000, 1001, 2500, 52345}) {
            std::mt19937 random(static_cast<std::uint32_t>(count));
            StoreFixture f;
            const RunId id = f.add("r", aConfig("x"));
            addSteps(f, id, 1, count, random, 3);
            MetricSeries points = *f.store.series(id, "loss");
            QVERIFY(std::stoi(sql(f.home.index(), "SELECT max(length(buckets)) FROM curve_outlines")) <= 50 * 80);
            ThinSeries window = *f.store.window(id, "loss", -kAll, kAll, 50);
            QVERIFY2(wrongWith(window, points, 50).isEmpty(), qPrintable(wrongWith(window, points, 50)));
            QVERIFY2(window.buckets.size() > 25, qPrintable(QString::number(window.buckets.size())));
            // Without marks, nothing else is read.
            sql(f.home.index(), "UPDATE metric_levels SET buckets = x'00'");
            sql(f.home.index(), "UPDATE metric_chunks SET points = x'00' WHERE num_points = 1000");
            QCOMPARE(f.store.window(id, "tokens", -kAll, kAll, 50)->totalPoints, count);
            std::filesystem::remove_all(f.home.run(id)->path);
            QVERIFY(rebuildIndex(f.home, 0));
            QCOMPARE(sql(f.home.index(), "SELECT count(*) FROM curve_outlines"), std::string("0"));
        }
    }

    // A thousand of them are drawn at once: from a cold disk each page counts.
    void readsShortCurvesWithoutLevels() {
        std::mt19937 random(6);
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        addSteps(f, id, 1, 19500, random);
        sql(f.home.index(), "UPDATE metric_levels SET buckets = x'00'");
        const MetricSeries points = *f.store.series(id, "loss");
        for (const auto& [from, to] : {std::pair(-kAll, kAll), std::pair(std::int64_t{2500}, std::int64_t{17000})}) {
            const auto window = f.store.window(id, "loss", from, to, 1000);
            QVERIFY2(window, window ? "" : window.error().message.c_str());
            const QString wrong = wrongWith(*window, slice(points, from, to), 1000);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
        QVERIFY(!f.store.window(id, "loss", -kAll, kAll, 900));  // too many points for so few buckets
    }

    void olderIndexesAreFilledInPieces() {
        std::mt19937 random(7);
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        addSteps(f, id, 1, 20500, random);
        const QStringList expected = dumpDatabase(f.home.index());
        int before = 0;  // the version that had no levels
        while (!store::migrations()[static_cast<std::size_t>(before)].name.ends_with("_levels")) ++before;
        {
            TempDir elsewhere;  // closes the index
            f.store = std::move(*RunStore::open(Home{elsewhere.path()}, OpenMode::ReadWrite));
            bringBack(f.home.index(), before);
        }
        RunStore store = f.open();
        const MetricSeries points = *store.series(id, "loss");
        QCOMPARE(sql(f.home.index(), "SELECT count(*) FROM level_backlog"), std::string("60"));  // 20 of each metric
        for (bool more = true; more;) {
            const ThinSeries window = *store.window(id, "loss", -kAll, kAll, 15);
            QVERIFY2(wrongWith(window, points, 15).isEmpty(), qPrintable(wrongWith(window, points, 15)));
            const auto filled = store.fillLevels(7);
            QVERIFY(filled);
            more = *filled;
        }
        QCOMPARE(dumpDatabase(f.home.index()), expected);
        QVERIFY(!*store.fillLevels(7));
    }

    void bytesOfAPoint_data() {
        QTest::addColumn<int>("ofACurve");
        for (const int points : {1000, 200000}) QTest::addRow("%d", points) << points;
    }

    void bytesOfAPoint() {
        QFETCH(int, ofACurve);
        std::mt19937 random(9);
        StoreFixture f;
        for (int i = 0; i < 200000 / ofACurve; ++i)
            addSteps(f, f.add("r" + std::to_string(i), aConfig("x")), 1, ofACurve, random);
        const auto pages = [&] { return std::stod(sql(f.home.index(), "VACUUM; PRAGMA page_count")); };
        const double all = pages();
        sql(f.home.index(), "DELETE FROM metric_levels; DELETE FROM curve_outlines");
        const double without = pages();
        sql(f.home.index(), "DELETE FROM metric_chunks");
        const double empty = pages();
        const double numPoints = 3 * 200000;
        const double levels = (all - without) * 4096 / numPoints, points = (without - empty) * 4096 / numPoints;
        qInfo("%.2f bytes a point for levels, %.2f for points", levels, points);
        QVERIFY(levels <= 8 && points <= 20);
    }
};

SLIPWAY_TEST(TstStoreLevels)
#include "tst_store_levels.moc"
