#include "core/report/csv_number.h"
#include "core/report/report.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <limits>

using namespace slipway;

class TstCsv : public QObject {
    Q_OBJECT

private slots:
    void numbersStayNumbers() {
        const double inf = std::numeric_limits<double>::infinity();
        QCOMPARE(csvNumber(-1.5), std::string("-1.5"));
        QCOMPARE(csvNumber(0.1), std::string("0.1"));
        QCOMPARE(csvNumber(1.0 / 3), std::string("0.3333333333333333"));
        QCOMPARE(csvNumber(std::nan("")), std::string("nan"));
        QCOMPARE(csvNumber(-inf), std::string("-inf"));
    }

    void unitsAreSharedOnlyByAll() {
        const std::string thin = "\xE2\x80\xAF";
        Table table;
        table.columns = {{"a", "a", "", true, ""}, {"b", "b", "", true, ""}, {"c", "c", "", false, ""}};
        table.rows = {{{"1" + thin + "ms", 0.001, Tone::Plain},
                       {"1" + thin + "ms", 0.001, Tone::Plain},
                       {"x" + thin + "ms", {}, Tone::Plain}},
                      {{"2" + thin + "ms", 0.002, Tone::Plain},
                       {"2" + thin + "s", 2.0, Tone::Plain},
                       {"y" + thin + "ms", {}, Tone::Plain}},
                      {{"n/a", {}, Tone::Quiet}, {"–", {}, Tone::Quiet}, {"", {}, Tone::Plain}}};
        shareUnits(table);
        QCOMPARE(table.columns[0].unit, std::string("ms"));
        QCOMPARE(table.rows[1][0].text, std::string("2"));
        QCOMPARE(table.columns[1].unit, std::string());
        QCOMPARE(table.rows[1][1].text, "2" + thin + "s");
        QCOMPARE(table.columns[2].unit, std::string());
    }
};

SLIPWAY_TEST(TstCsv)
#include "tst_csv.moc"
