#include "core/spec/metric_line.h"
#include "tests/support/slipway_test.h"

#include <cmath>

using namespace slipway;

class TstMetricLine : public QObject {
    Q_OBJECT
private slots:
    void linesAreAsDocumented() {
        QCOMPARE(
            toLine(MetricHeader{1, "r", 2, 5, 8, 9}),
            std::string(
                R"({"schema":1,"kind":"header","run_id":"r","attempt":2,"resume_step":5,"world_size":8,"time_unix_ms":9})"
                "\n"));
        QCOMPARE(
            toLine(MetricStep{1, 32768, 7, {{"loss", std::nan("")}, {"lr", 0.1}}}),
            std::string(R"({"kind":"step","step":1,"tokens":32768,"time_unix_ms":7,"values":{"loss":"nan","lr":0.1}})"
                        "\n"));
        QCOMPARE(toLine(MetricEvent{7, "nonfinite_loss", "rank 3", 1}),
                 std::string(R"({"kind":"event","step":7,"name":"nonfinite_loss","detail":"rank 3","time_unix_ms":1})"
                             "\n"));
        QCOMPARE(toLine(MetricEnd{"completed", 100, 0, 2}),
                 std::string(R"({"kind":"end","status":"completed","step":100,"exit_code":0,"time_unix_ms":2})"
                             "\n"));
    }
    void oneLineWhateverTheText() {
        const std::string line = toLine(MetricEvent{1, "x", "two\nlines \xff", 0});
        QCOMPARE(std::count(line.begin(), line.end(), '\n'), 1);
        QVERIFY(line.ends_with('\n'));
    }
};
SLIPWAY_TEST(TstMetricLine)
#include "tst_metric_line.moc"
