#include "core/metrics/summarise.h"
#include "tests/core/store/store_fixture.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

MetricStep aStep(std::int64_t step, double loss) {
    return {step, step * 1000, step, {{"loss", loss}}};
}

/// A batch of consecutive "bytes"; the numbers only have to fit together.
MetricBatch aBatch(std::uint64_t from, std::vector<MetricRecord> records) {
    MetricBatch out;
    out.fromOffset = from;
    out.toOffset = from + 100 * records.size();
    out.records = std::move(records);
    return out;
}

}  // namespace

class TstStoreMetrics : public QObject {
    Q_OBJECT

    /// What the store measures chunk by chunk is what its whole curves say.
    static void compareFigures(RunStore& store, const RunId& id) {
        DeriveBasis basis;
        basis.numDevices = 3;
        const auto measured = *store.measure(id, basis);
        const RunFigures wanted = summarise(*store.allSeries(id), basis);
        if (measured) QCOMPARE(measuredJson(*measured).dump(), measuredJson(wanted).dump());
        QCOMPARE(measured.has_value(), wanted.numSteps.has_value());
    }

private slots:
    void appendsAcrossChunks_data() {
        QTest::addColumn<int>("piece");
        QTest::newRow("one by one") << 1;
        QTest::newRow("pieces") << 37;
        QTest::newRow("a chunk") << 1000;
        QTest::newRow("all at once") << 2500;
    }

    void appendsAcrossChunks() {
        QFETCH(int, piece);
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        std::uint64_t offset = 0;
        for (int first = 1; first <= 2500; first += piece) {
            std::vector<MetricRecord> records;
            for (int i = first; i < first + piece && i <= 2500; ++i)
                records.emplace_back(aStep(i, i == 1500 ? kNan : i));
            const MetricBatch batch = aBatch(offset, std::move(records));
            const auto outcome = f.store.append(id, batch);
            QVERIFY(outcome && outcome->applied);
            offset = outcome->offset;
        }
        QCOMPARE(*f.store.offset(id), offset);
        const MetricSeries loss = *f.store.series(id, "loss");
        QCOMPARE(loss.size(), std::size_t{2500});
        QCOMPARE(loss.unit, std::string("nats/token"));
        for (std::size_t i = 0; i < 2500; ++i) {
            QCOMPARE(loss.steps[i], static_cast<std::int64_t>(i) + 1);
            QVERIFY(i == 1499 ? std::isnan(loss.values[i]) : loss.values[i] == static_cast<double>(i) + 1);
        }
        QCOMPARE(f.store.series(id, "tokens")->values.back(), 2500000.0);
        QCOMPARE(f.store.run(id)->lastStep, 2500);
        QCOMPARE(*f.store.metricNames(id), (std::vector<std::string>{"loss", "time_unix_ms", "tokens"}));
        QVERIFY(f.store.series(id, "nothing")->empty());

        const ThinSeries window = *f.store.window(id, "loss", 900, 2100, 100);
        QCOMPARE(window.totalPoints, 1201);
        QCOMPARE(window.buckets.size(), std::size_t{100});
        QCOMPARE(window.buckets.front().min, 900.0);
        QCOMPARE(window.buckets.back().max, 2100.0);
        QCOMPARE(window.totalNonFinite, 1);
    }

    void secondReaderIsDropped() {
        StoreFixture f;
        RunStore other = f.open();
        const RunId id = f.add("r", aConfig("x"));
        const MetricBatch first = aBatch(0, {aStep(1, 1), aStep(2, 2)});
        QVERIFY(f.store.append(id, first)->applied);
        const auto second = other.append(id, first);  // read the same bytes, came later
        QVERIFY(second);
        QVERIFY(!second->applied);
        QCOMPARE(second->offset, std::uint64_t{200});
        QVERIFY(!f.store.append(id, aBatch(500, {aStep(9, 9)}))->applied);  // bytes are missing in between
        QCOMPARE(f.store.series(id, "loss")->steps, (std::vector<std::int64_t>{1, 2}));
        QCOMPARE(f.store.append(RunId("nope"), first).error().code, std::string("run_missing"));
    }

    void laterAttemptsSupersede() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        const auto header = [](std::int64_t attempt, std::int64_t resume) {
            return MetricHeader{1, "r", attempt, resume, 2, attempt * 100};
        };
        QVERIFY(f.store.append(id, aBatch(0, {header(1, 0), aStep(1, 11), aStep(2, 12), aStep(3, 13), aStep(4, 14)}))
                    ->applied);
        // The second attempt goes on after step 2, in the same batch a third after step 3.
        QVERIFY(f.store
                    .append(id, aBatch(500, {header(2, 2), aStep(3, 23), aStep(4, 24), header(3, 3), aStep(4, 34),
                                             MetricEnd{"completed", 4, 0, 999}}))
                    ->applied);
        const MetricSeries inForce = *f.store.series(id, "loss");
        QCOMPARE(inForce.steps, (std::vector<std::int64_t>{1, 2, 3, 4}));
        QCOMPARE(inForce.values, (std::vector<double>{11, 12, 23, 34}));
        QCOMPARE(f.store.attemptSeries(id, "loss", 1)->values, (std::vector<double>{11, 12, 13, 14}));
        QCOMPARE(f.store.attemptSeries(id, "loss", 2)->values, (std::vector<double>{23, 24}));
        const auto attempts = *f.store.attempts(id);
        QCOMPARE(attempts.size(), std::size_t{3});
        QCOMPARE(attempts[1].resumeStep, 2);
        QVERIFY(attempts[1].endStatus.empty() && !attempts[1].exitCode);
        QCOMPARE(attempts[2].endStatus, std::string("completed"));
        QCOMPARE(*attempts[2].exitCode, 0);
        const RunRecord run = *f.store.run(id);
        QCOMPARE(run.attempts, 3);
        QCOMPARE(run.lastStep, 4);
    }

    void restartFromTheBeginning() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        QVERIFY(f.store.append(id, aBatch(0, {MetricHeader{1, "r", 1, 0, 1, 0}, aStep(1, 1), aStep(2, 2)}))->applied);
        QVERIFY(f.store.append(id, aBatch(300, {MetricHeader{1, "r", 2, 0, 1, 0}}))->applied);
        QVERIFY(f.store.series(id, "loss")->empty());
        QCOMPARE(f.store.run(id)->lastStep, 0);
        QVERIFY(f.store.append(id, aBatch(400, {aStep(1, 5)}))->applied);  // the attempt is remembered between batches
        QCOMPARE(f.store.series(id, "loss")->values, std::vector<double>{5});
        QCOMPARE(f.store.attemptSeries(id, "loss", 1)->size(), std::size_t{2});
    }

    void repeatedStepsHaveOneValue() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        std::vector<MetricRecord> records;
        for (int i = 1; i <= 1500; ++i) records.emplace_back(aStep(i, i));
        QVERIFY(f.store.append(id, aBatch(0, records))->applied);
        QVERIFY(f.store.append(id, aBatch(150000, {aStep(700, -7), aStep(1501, 1), aStep(700, -8)}))->applied);
        const MetricSeries loss = *f.store.series(id, "loss");
        QCOMPARE(loss.size(), std::size_t{1501});
        QCOMPARE(loss.values[699], -8.0);
        QVERIFY(std::is_sorted(loss.steps.begin(), loss.steps.end()));
    }

    void events() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        MetricBatch batch = aBatch(
            0, {MetricEvent{7, "nonfinite_loss", "rank 3", 70}, aStep(8, 1), MetricEvent{9, "checkpoint", "", 90}});
        batch.malformedLines = 2;
        QVERIFY(f.store.append(id, batch)->applied);
        const auto events = *f.store.events(id);
        QCOMPARE(events.size(), std::size_t{2});
        QCOMPARE(events[0].name, std::string("nonfinite_loss"));
        QCOMPARE(events[0].detail, std::string("rank 3"));
        QCOMPARE(events[1].step, 9);
        QCOMPARE(*f.store.malformedLines(id), 2);
    }

    void modelOfRandomStreams() {
        // Random attempts, resumes and pieces against a plain map.
        std::mt19937 random(3);
        for (int round = 0; round < 20; ++round) {
            StoreFixture f;
            const RunId id = f.add("r", aConfig("x"));
            std::map<std::int64_t, double> expected;
            std::vector<MetricRecord> stream;
            std::int64_t last = 0;
            for (std::int64_t attempt = 1; attempt <= 1 + static_cast<std::int64_t>(random() % 4); ++attempt) {
                const std::int64_t resume =
                    last == 0 ? 0 : static_cast<std::int64_t>(random() % static_cast<unsigned>(last + 1));
                stream.emplace_back(MetricHeader{1, "r", attempt, resume, 1, 0});
                expected.erase(expected.upper_bound(resume), expected.end());
                last = resume;
                for (unsigned steps = random() % 1500; steps > 0; --steps) {
                    const double value = random() % 50 == 0 ? kNan : static_cast<double>(random());
                    stream.emplace_back(aStep(++last, value));
                    expected[last] = value;
                }
            }
            std::uint64_t offset = 0;
            for (std::size_t at = 0; at < stream.size();) {
                const std::size_t count = std::min<std::size_t>(1 + random() % 700, stream.size() - at);
                const auto outcome =
                    f.store.append(id, aBatch(offset, {stream.begin() + static_cast<std::ptrdiff_t>(at),
                                                       stream.begin() + static_cast<std::ptrdiff_t>(at + count)}));
                QVERIFY(outcome && outcome->applied);
                offset = outcome->offset;
                at += count;
            }
            const MetricSeries loss = *f.store.series(id, "loss");
            QCOMPARE(loss.size(), expected.size());
            std::size_t i = 0;
            for (const auto& [step, value] : expected) {
                QCOMPARE(loss.steps[i], step);
                QVERIFY(std::isnan(value) ? std::isnan(loss.values[i]) : loss.values[i] == value);
                ++i;
            }
            QCOMPARE(f.store.run(id)->lastStep, expected.empty() ? 0 : expected.rbegin()->first);
            compareFigures(f.store, id);
        }
    }

    // A header that lies about where it goes on: its steps lie among those of the attempt before.
    void figuresOfMixedAttempts() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        std::vector<MetricRecord> stream{MetricHeader{1, "r", 1, 0, 1, 0}};
        for (int step = 1; step <= 3000; ++step) stream.emplace_back(aStep(step, step));
        stream.emplace_back(MetricHeader{1, "r", 2, 2500, 1, 0});
        for (int step = 100; step <= 4000; step += 3) stream.emplace_back(aStep(step, 2 * step));
        QVERIFY(f.store.append(id, aBatch(0, std::move(stream)))->applied);
        compareFigures(f.store, id);
    }

    void speed() {
        StoreFixture f;
        const RunId id = f.add("r", aConfig("x"));
        std::vector<MetricRecord> records;
        for (int i = 1; i <= 20000; ++i) {
            MetricStep step = aStep(i, 1.0 / i);
            for (int m = 0; m < 15; ++m) step.values.emplace_back("metric_" + std::to_string(m), i + m);
            records.emplace_back(std::move(step));
        }
        const auto seconds = [](auto begin) {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        };
        auto begin = std::chrono::steady_clock::now();
        QVERIFY(f.store.append(id, aBatch(0, std::move(records)))->applied);
        double took = seconds(begin);
        qInfo("append: %.1f million points/s", 20000 * 18 / took / 1e6);
        QVERIFY(took < 10);
        begin = std::chrono::steady_clock::now();
        QCOMPARE(f.store.window(id, "loss", 0, 1 << 30, 1000)->totalPoints, 20000);
        qInfo("window of 20,000 points: %.2f ms", seconds(begin) * 1e3);
        begin = std::chrono::steady_clock::now();
        std::uint64_t offset = *f.store.offset(id);
        for (int i = 1; i <= 50; ++i) {
            MetricStep step = aStep(20000 + i, 1);
            for (int m = 0; m < 15; ++m) step.values.emplace_back("metric_" + std::to_string(m), i + m);
            offset = f.store.append(id, aBatch(offset, {step}))->offset;
        }
        qInfo("append of one step of a live run: %.2f ms", seconds(begin) * 1e3 / 50);
    }
};

SLIPWAY_TEST(TstStoreMetrics)
#include "tst_store_metrics.moc"
