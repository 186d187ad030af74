// Values that no run can measure, by the metric's name.
#include "core/spec/plausible.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <limits>

using namespace slipway;

class TstPlausible : public QObject {
    Q_OBJECT

private slots:
    void values_data() {
        QTest::addColumn<QString>("metric");
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("why");
        QTest::newRow("time") << "step_seconds" << 0.5 << "";
        QTest::newRow("no time") << "step_seconds" << 0.0 << "";
        QTest::newRow("negative time") << "step_seconds" << -0.5 << "step_seconds is negative";
        QTest::newRow("time -inf") << "step_seconds" << -std::numeric_limits<double>::infinity() << "";
        QTest::newRow("time nan") << "step_seconds" << std::nan("") << "";
        QTest::newRow("memory") << "memory_peak_bytes" << -1.0 << "memory_peak_bytes is negative";
        QTest::newRow("rate") << "tokens_per_second_per_device" << -7.0 << "tokens_per_second_per_device is negative";
        QTest::newRow("MFU") << "reported_mfu" << 1.0 << "";
        QTest::newRow("MFU above") << "reported_mfu" << 1.001 << "reported_mfu is above 100 %";
        QTest::newRow("HFU above") << "reported_hfu" << 2.0 << "reported_hfu is above 100 %";
        QTest::newRow("MFU below") << "mfu" << -0.1 << "mfu is negative";
        QTest::newRow("loss") << "loss" << -1.0 << "";  // a reward model's may be
        QTest::newRow("learning rate") << "lr" << -1.0 << "";
    }
    void values() {
        QFETCH(QString, metric);
        QFETCH(double, value);
        QFETCH(QString, why);
        const SourceText found = impossibleValue(metric.toStdString(), value);
        QCOMPARE(QString::fromStdString(textOf(found(metric.toStdString()))), why);
    }

    void valuesOfADevice() {
        const auto why = [](const char* metric, double value, double memory) {
            return textOf(impossibleValue(metric, value, memory)(std::string(metric)));
        };
        QCOMPARE(why("memory_peak_bytes", 9e9, 8e9), std::string("memory_peak_bytes exceeds the device memory"));
        QCOMPARE(why("memory_reserved_bytes", 9e9, 8e9),
                 std::string("memory_reserved_bytes exceeds the device memory"));
        QCOMPARE(why("memory_peak_bytes", 8e9, 8e9), std::string());
        QCOMPARE(why("memory_peak_bytes", 9e9, 0), std::string());   // unknown
        QCOMPARE(why("memory_rss_bytes", 9e9, 8e9), std::string());  // of the host
        QCOMPARE(why("comm_bytes", 9e9, 8e9), std::string());
    }
};
SLIPWAY_TEST(TstPlausible)
#include "tst_plausible.moc"
