// The batch of each step: whole increments, exact counts, the same whatever the layout.
#include "core/spec/batch_sizes.h"
#include "core/spec/run_config.h"
#include "tests/support/example_rows.h"
#include "tests/support/slipway_test.h"

#include <algorithm>
#include <cmath>

using namespace slipway;
using namespace slipway::test;

class TstBatchSizes : public QObject {
    Q_OBJECT
private slots:
    void withoutARamp() {
        TrainSpec train;
        train.globalBatchSize = 6;
        const BatchSizes sizes(train);
        QCOMPARE(sizes.of(0), 6);
        QCOMPARE(sizes.before(100), 600);
        QCOMPARE(sizes.sizes().size(), std::size_t{1});
    }

    void ramp_data() {
        QTest::addColumn<int>("initial");
        QTest::addColumn<int>("increment");
        QTest::addColumn<int>("last");
        QTest::addColumn<int>("tokens");
        QTest::newRow("by the initial batch") << 4 << 0 << 16 << 64000;
        QTest::newRow("by one") << 1 << 1 << 64 << 100000;
        QTest::newRow("one step passes levels") << 2 << 2 << 64 << 5000;
        QTest::newRow("shorter than a step") << 8 << 8 << 32 << 1;
    }
    void ramp() {
        QFETCH(int, initial);
        QFETCH(int, increment);
        QFETCH(int, last);
        QFETCH(int, tokens);
        TrainSpec train;
        train.seqLen = 128;
        train.globalBatchSize = last;
        train.batchRamp.initial = initial;
        if (increment > 0) train.batchRamp.increment = increment;
        train.batchRamp.tokens = tokens;
        const BatchSizes sizes(train);
        const double step = train.batchRamp.incrementSize();
        std::int64_t seen = 0;
        for (std::int64_t k = 0; k < 500; ++k) {
            QCOMPARE(sizes.before(k), seen);
            // The formula of the ramp, cut down to whole increments (examples.csv, rows 000-5.4a).
            const double share = std::min(1.0, static_cast<double>(seen) * 128 / tokens);
            const double expected = initial + std::floor((last - initial) / step * share + 1e-9) * step;
            QCOMPARE(static_cast<double>(sizes.of(k)), expected);
            seen += sizes.of(k);
        }
        QCOMPARE(sizes.of(499), last);
        QCOMPARE(sizes.sizes().front(), initial);
        const auto all = sizes.sizes();
        QVERIFY(std::is_sorted(all.begin(), all.end()));
    }

    // 000-5.4a and 000-5.4b: the ramp of a source, in tokens, with sequences of one token.
    void sourceRows_data() {
        QTest::addColumn<QString>("inputs");
        QTest::addColumn<QString>("expected");
        for (auto& row : exampleRows({"000-5.4"}))
            QTest::newRow(row["id"].c_str())
                << QString::fromStdString(row["inputs_json"]) << QString::fromStdString(row["expected"]);
    }
    void sourceRows() {
        QFETCH(QString, inputs);
        QFETCH(QString, expected);
        const auto in = parseJson(inputs.toStdString(), "row");
        QVERIFY(in.has_value());
        TrainSpec train;
        train.seqLen = 1;
        train.globalBatchSize = 4000000;
        train.batchRamp = {32000, 1, 1200000000};
        const BatchSizes sizes(train);
        std::int64_t step = 0;
        if (!in->contains("tokens")) {
            while (sizes.of(step) < train.globalBatchSize) ++step;
            QCOMPARE(static_cast<double>(step), expected.toDouble());
            return;
        }
        // The last step that begins at or before so many tokens has the batch of its begin.
        const double tokens = in->at("tokens").get<double>();
        while (static_cast<double>(sizes.before(step + 1)) <= tokens) ++step;
        const double begin = static_cast<double>(sizes.before(step));
        const double atBegin = std::min(4000000.0, std::floor(32000 + 3968000 * begin / 1200000000 + 1e-6));
        QCOMPARE(static_cast<double>(sizes.of(step)), atBegin);
        QVERIFY(expected.toDouble() >= atBegin && expected.toDouble() - atBegin < 0.0034 * 4000000);
    }

    void refused_data() {
        QTest::addColumn<int>("initial");
        QTest::addColumn<int>("increment");
        QTest::addColumn<int>("tokens");
        QTest::addColumn<QString>("field");
        QTest::newRow("no length") << 4 << 4 << 0 << "train.batch_ramp.tokens";
        QTest::newRow("not below the whole") << 16 << 4 << 1000 << "train.batch_ramp.initial";
        QTest::newRow("no whole increments") << 4 << 8 << 1000 << "train.batch_ramp.increment";
        QTest::newRow("no whole micro-batches") << 3 << 1 << 1000 << "train.batch_ramp.initial";
    }
    void refused() {
        QFETCH(int, initial);
        QFETCH(int, increment);
        QFETCH(int, tokens);
        QFETCH(QString, field);
        RunConfig config;
        config.train.batchRamp = {initial, increment, tokens};
        const Issues issues = validate(config);
        QVERIFY(std::any_of(issues.begin(), issues.end(),
                            [&](const Issue& issue) { return issue.field == field.toStdString(); }));
        config.train.batchRamp = {4, 4, 1000};
        QVERIFY(validate(config).empty());
    }

    // Every size of the ramp must suit the schedule, not only the last.
    void scheduleOfTheSmallestBatch() {
        RunConfig config;
        config.model.numLayers = 8;
        config.parallel.pp = 4;
        config.parallel.schedule = ScheduleKind::DualPipe;
        config.train.globalBatchSize = 32;
        QVERIFY(validate(config).empty());
        config.train.batchRamp = {4, 4, 100000};
        QVERIFY(!validate(config).empty());
    }
};

SLIPWAY_TEST(TstBatchSizes)
#include "tst_batch_sizes.moc"
