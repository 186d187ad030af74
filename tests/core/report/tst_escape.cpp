#include "core/report/escape.h"
#include "core/report/report.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <limits>

using namespace slipway;

class TstEscape : public QObject {
    Q_OBJECT

private slots:
    void html_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        QTest::newRow("element") << "<script>alert(1)</script>"
                                 << "&lt;script&gt;alert(1)&lt;/script&gt;";
        QTest::newRow("attribute") << "\" onload='x'"
                                   << "&quot; onload=&#39;x&#39;";
        QTest::newRow("entity") << "a&amp;b"
                                << "a&amp;amp;b";
        QTest::newRow("control characters") << "a\x1b[31m\x07z"
                                            << "a[31mz";
        QTest::newRow("other scripts stay") << "병렬 · τ"
                                            << "병렬 · τ";
    }
    void html() {
        QFETCH(QString, text);
        QTEST(QString::fromStdString(escapeHtml(text.toStdString())), "expected");
    }

    void markdown_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        QTest::newRow("table") << "a|b"
                               << "a\\|b";
        QTest::newRow("image") << "![x](http://a/b.png)"
                               << "\\!\\[x\\](http://a/b.png)";
        QTest::newRow("html") << "<img>"
                              << "\\<img\\>";
        QTest::newRow("line break") << "a\n# b"
                                    << "a \\# b";
    }
    void markdown() {
        QFETCH(QString, text);
        QTEST(QString::fromStdString(escapeMarkdown(text.toStdString())), "expected");
    }

    void csv_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        QTest::newRow("plain") << "TP 2"
                               << "TP 2";
        QTest::newRow("formula") << "=1+1"
                                 << "'=1+1";
        QTest::newRow("plus") << "+1"
                              << "'+1";
        QTest::newRow("minus") << "-cmd"
                               << "'-cmd";
        QTest::newRow("at") << "@SUM(A1)"
                            << "'@SUM(A1)";
        QTest::newRow("tab") << "\t=1"
                             << "'\t=1";
        QTest::newRow("full-width") << "＝1"
                                    << "'＝1";
        QTest::newRow("quotes and comma") << "a \"b\", c"
                                          << "\"a \"\"b\"\", c\"";
        QTest::newRow("formula with quotes") << "=\"x\""
                                             << "\"'=\"\"x\"\"\"";
    }
    void csv() {
        QFETCH(QString, text);
        QTEST(QString::fromStdString(csvText(text.toStdString())), "expected");
    }

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

SLIPWAY_TEST(TstEscape)
#include "tst_escape.moc"
