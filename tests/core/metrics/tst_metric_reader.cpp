#include "core/metrics/metric_reader.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <limits>
#include <random>

using namespace slipway;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool sameNumber(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || a == b;
}

MetricStep aStep(std::int64_t step, double loss) {
    return {step, step * 4096, 1700000000000 + step, {{"loss", loss}, {"step_seconds", 0.25}}};
}

const char* const kHeader =
    R"({"schema":1,"kind":"header","run_id":"r","attempt":2,"resume_step":50,"world_size":4,"time_unix_ms":9})";

}  // namespace

class TstMetricReader : public QObject {
    Q_OBJECT

private slots:
    void readsWhatTheWriterWrites() {
        const std::vector<MetricRecord> written = {
            MetricHeader{1, "20260101-x", 3, 120, 8, 1700000000123},
            MetricStep{121,
                       495616,
                       1700000000500,
                       {{"loss", 3.0000000000000004},
                        {"grad_norm", kNan},
                        {"lr", kInf},
                        {"tiny", 5e-324},
                        {"down", -kInf},
                        {"big", 1.7976931348623157e308}}},
            MetricEvent{121, "nonfinite_loss", "rank 3: \"quoted\" \n 한국어", 1700000000501},
            MetricEnd{"failed", 121, 13, 1700000000502},
        };
        std::string text;
        for (const MetricRecord& record : written) text += toLine(record);
        const MetricBatch batch = MetricReader().read(text, 0);
        QCOMPARE(batch.malformedLines, 0);
        QCOMPARE(batch.toOffset, text.size());
        QCOMPARE(batch.records.size(), written.size());
        QVERIFY(std::get<MetricHeader>(batch.records[0]) == std::get<MetricHeader>(written[0]));
        QVERIFY(std::get<MetricEvent>(batch.records[2]) == std::get<MetricEvent>(written[2]));
        QVERIFY(std::get<MetricEnd>(batch.records[3]) == std::get<MetricEnd>(written[3]));
        const auto& in = std::get<MetricStep>(written[1]);
        const auto& out = std::get<MetricStep>(batch.records[1]);
        QCOMPARE(out.step, in.step);
        QCOMPARE(out.tokens, in.tokens);
        QCOMPARE(out.timeUnixMilliseconds, in.timeUnixMilliseconds);
        QCOMPARE(out.values.size(), in.values.size());
        for (std::size_t i = 0; i < in.values.size(); ++i) {
            QCOMPARE(out.values[i].first, in.values[i].first);
            QVERIFY(sameNumber(out.values[i].second, in.values[i].second));
        }
    }

    void takesWholeLinesOnly() {
        std::string text;
        for (int i = 1; i <= 20; ++i) text += toLine(aStep(i, 1.0 / i));
        MetricReader reader;
        // Whatever pieces arrive, reading on from toOffset gives every line once.
        for (const std::size_t piece : {1U, 7U, 100U, 1000U}) {
            std::uint64_t offset = 0;
            std::size_t arrived = 0;
            std::vector<std::int64_t> steps;
            while (arrived < text.size()) {
                arrived = std::min(arrived + piece, text.size());
                const MetricBatch batch = reader.read(std::string_view(text).substr(offset, arrived - offset), offset);
                QCOMPARE(batch.fromOffset, offset);
                QVERIFY(batch.toOffset == 0 || text[batch.toOffset - 1] == '\n');
                offset = batch.toOffset;
                for (const MetricRecord& record : batch.records) steps.push_back(std::get<MetricStep>(record).step);
            }
            QCOMPARE(offset, text.size());
            QCOMPARE(steps.size(), std::size_t{20});
            for (int i = 0; i < 20; ++i) QCOMPARE(steps[static_cast<std::size_t>(i)], i + 1);
        }
    }

    void lines_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<int>("records");
        QTest::addColumn<int>("malformed");
        QTest::newRow("header") << QByteArray(kHeader) << 1 << 0;
        QTest::newRow("unknown kind") << QByteArray(R"({"kind":"heat","step":1,"what":[1,2]})") << 0 << 0;
        QTest::newRow("unknown keys") << QByteArray(
                                             R"({"kind":"step","step":1,"values":{"loss":1},"new":{"a":[true]}})")
                                      << 1 << 0;
        QTest::newRow("unknown value shape")
            << QByteArray(R"({"kind":"step","step":1,"values":{"loss":1,"hist":[1,2],"on":true,"word":"big"}})") << 1
            << 0;
        QTest::newRow("blank") << QByteArray("   \r") << 0 << 0;
        QTest::newRow("not JSON") << QByteArray("{\"kind\":\"step\",") << 0 << 1;
        QTest::newRow("array") << QByteArray("[1,2]") << 0 << 1;
        QTest::newRow("no kind") << QByteArray(R"({"step":1})") << 0 << 1;
        QTest::newRow("no step") << QByteArray(R"({"kind":"step","values":{}})") << 0 << 1;
        QTest::newRow("negative step") << QByteArray(R"({"kind":"step","step":-1,"values":{}})") << 0 << 1;
        QTest::newRow("fractional step") << QByteArray(R"({"kind":"step","step":1.5,"values":{}})") << 0 << 1;
        QTest::newRow("values no object") << QByteArray(R"({"kind":"step","step":1,"values":[]})") << 0 << 1;
        QTest::newRow("event without name") << QByteArray(R"({"kind":"event","step":1})") << 0 << 1;
        QTest::newRow("bare nan") << QByteArray(R"({"kind":"step","step":1,"values":{"loss":NaN}})") << 0 << 1;
        QTest::newRow("invalid UTF-8") << QByteArray("{\"kind\":\"event\",\"name\":\"\xff\xfe\"}") << 0 << 1;
        QTest::newRow("negative time") << QByteArray(
                                              R"({"kind":"step","step":1,"values":{"loss":1,"step_seconds":-0.5}})")
                                       << 1 << 1;
        QTest::newRow("MFU above 100 %") << QByteArray(R"({"kind":"step","step":1,"values":{"reported_mfu":1.2}})") << 1
                                         << 1;
        QTest::newRow("two documents") << QByteArray(R"({"kind":"end","status":"completed"} {})") << 0 << 1;
    }

    void lines() {
        QFETCH(QByteArray, line);
        QFETCH(int, records);
        QFETCH(int, malformed);
        // A bad line must not take its neighbours with it.
        const std::string text = toLine(aStep(1, 2)) + line.toStdString() + "\n" + toLine(aStep(2, 1));
        const MetricBatch batch = MetricReader().read(text, 100);
        QCOMPARE(static_cast<int>(batch.records.size()), records + 2);
        QCOMPARE(static_cast<int>(batch.malformedLines), malformed);
        QCOMPARE(batch.toOffset, 100 + text.size());
        if (malformed > 0)
            QVERIFY(
                batch.firstMalformed.starts_with("byte " + std::to_string(100 + toLine(aStep(1, 2)).size()) + ": "));
    }

    void leavesImpossibleValuesOut() {
        const std::string text = R"({"kind":"step","step":1,"values":{"loss":-1,"step_seconds":-0.5,"lr":1}})"
                                 "\n";
        const MetricBatch batch = MetricReader().read(text, 0);
        QCOMPARE(batch.firstMalformed, std::string("byte 0: step_seconds is negative"));
        const auto& step = std::get<MetricStep>(batch.records.front());
        QVERIFY((step.values == std::vector<std::pair<std::string, double>>{{"loss", -1}, {"lr", 1}}));
    }

    void passesOverAnEndlessLine() {
        std::string text(MetricReader::kMaxLineBytes + 10, 'x');
        MetricReader reader;
        MetricBatch batch = reader.read(text, 0);
        QCOMPARE(batch.malformedLines, 1);
        QCOMPARE(batch.toOffset, text.size());
        text += "\n" + toLine(aStep(1, 2));
        batch = reader.read(text, 0);
        QCOMPARE(batch.malformedLines, 1);
        QCOMPARE(batch.records.size(), std::size_t{1});
    }

    void survivesRandomBytes() {
        std::mt19937 random(1);
        std::string good = std::string(kHeader) + "\n";
        for (int i = 1; i < 6; ++i) good += toLine(aStep(i, i == 3 ? kNan : 1.5));
        good += toLine(MetricEnd{"completed", 5, 0, 1});
        MetricReader reader;
        for (int round = 0; round < 3000; ++round) {
            std::string text = good;
            const int edits = 1 + static_cast<int>(random() % 8);
            for (int i = 0; i < edits; ++i) {
                const std::size_t at = random() % text.size();
                if (random() % 3 == 0)
                    text.erase(at, 1 + random() % 20);
                else
                    text[at] = static_cast<char>(random());
                if (text.empty()) text = "\n";
            }
            const MetricBatch batch = reader.read(text, 7);
            QVERIFY(batch.toOffset >= 7 && batch.toOffset <= 7 + text.size());
            QVERIFY(batch.records.size() + static_cast<std::size_t>(batch.malformedLines) <= text.size());
        }
        for (int round = 0; round < 1000; ++round) {
            std::string noise(random() % 300, ' ');
            for (char& c : noise) c = static_cast<char>(random());
            const MetricBatch batch = reader.read(noise, 0);
            QVERIFY(batch.toOffset <= noise.size());
        }
        QCOMPARE(reader.read(good, 0).malformedLines, 0);
    }
};

SLIPWAY_TEST(TstMetricReader)
#include "tst_metric_reader.moc"
