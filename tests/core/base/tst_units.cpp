#include "core/base/units.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <functional>

using namespace slipway;

class TstUnits : public QObject {
    Q_OBJECT
private slots:
    void formats_data() {
        QTest::addColumn<QString>("actual");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const std::string& actual, const char* expected) {
            QTest::newRow(name) << QString::fromStdString(asciiText(actual)) << QString::fromUtf8(expected);
        };
        row("bytes", formatBytes(512), "512 B");
        row("KiB", formatBytes(1536), "1.5 KiB");
        row("GiB", formatBytes(27.1 * kGiB), "27.1 GiB");
        row("many GiB", formatBytes(3143 * kGiB), "3143.0 GiB");
        row("TiB", formatBytes(20 * kTiB), "20.0 TiB");
        row("zero seconds", formatSeconds(0), "0 s");
        row("µs", formatSeconds(20e-6), "20.0 µs");
        row("ms", formatSeconds(0.0042), "4.20 ms");
        row("s", formatSeconds(4.151), "4.15 s");
        row("119 s", formatSeconds(119), "119 s");
        row("min", formatSeconds(150), "2.50 min");
        row("h", formatSeconds(7200), "2.00 h");
        row("days", formatSeconds(3 * 86400 + 4 * 3600), "3 d 4 h");
        row("count", formatCount(7889), "7,889");
        row("negative count", formatCount(-1234567), "-1,234,567");
        row("no negative zero", formatCount(-0.2), "0");
        row("short small", formatShort(99999), "99,999");
        row("short k", formatShort(505000), "505 k");
        row("short B", formatShort(8.0303e9), "8.03 B");
        row("short M rounds up", formatShort(999.9e6), "1.00 B");
        constexpr Language kKo = Language::Korean;
        row("Korean seconds", formatSeconds(4.151, kKo), "4.15초");
        row("Korean minutes", formatSeconds(150, kKo), "2.50분");
        row("Korean days", formatSeconds(2 * 86400 + 7 * 3600, kKo), "2일 7시간");
        row("Korean ms", formatSeconds(0.0042, kKo), "4.20 ms");
        row("Korean small count", formatShort(9999, kKo), "9,999");
        row("Korean 만", formatShort(10400, kKo), "1.04만");
        row("Korean 2,100만", formatShort(2.1e7, kKo), "2,100만");
        row("Korean 억", formatShort(8.03e9, kKo), "80.3억");
        row("Korean 조", formatShort(-1.5e12, kKo), "-1.50조");
        row("percent", formatPercent(0.4114), "41.1 %");
        row("fixed", formatFixed(-1.5, 3), "-1.500");
        row("zero has no sign", formatFixed(-0.0, 2), "0.00");
        row("what rounds to zero neither", formatSignificant(-0.0, 3), "0");
        row("thousands without an exponent", formatSignificant(1034.6, 3), "1,030");
        row("large amounts with one", formatSignificant(1.034e24, 3), "1.03e+24");
        row("flops", formatFlops(87e9), "87.0 GFLOP/s");
        row("bandwidth", formatBandwidth(436e9), "436 GB/s");
        row("money", formatMoney(10400, "USD"), "USD 10.4 k");
        row("small money", formatMoney(2.95, "USD"), "USD 2.95");
        row("nan", formatSeconds(std::nan("")), "NaN");
        row("minus infinity", formatBytes(-INFINITY), "-inf");
    }
    void formats() {
        QFETCH(QString, actual);
        QFETCH(QString, expected);
        QCOMPARE(actual, expected);
    }
    void spacesAreThinAndMinusIsTypographic() {
        QCOMPARE(formatFixed(-1, 0), std::string("\xE2\x88\x92"
                                                 "1"));
        QCOMPARE(formatBytes(1), std::string("1\xE2\x80\xAF"
                                             "B"));
    }
};
SLIPWAY_TEST(TstUnits)
#include "tst_units.moc"
