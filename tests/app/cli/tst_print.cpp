#include "app/cli/print.h"
#include "tests/support/slipway_test.h"

#include <algorithm>
#include <sstream>

using namespace slipway;

class TstPrint : public QObject {
    Q_OBJECT

private slots:
    void nothingSteersTheTerminal_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("escape") << QByteArray("a\x1b[2Jb") << QByteArray("a<U+001B>[2Jb");
        QTest::newRow("bell, delete") << QByteArray("a\x07\x7f") << QByteArray("a<U+0007><U+007F>");
        QTest::newRow("C1") << QByteArray(
                                   "a\xC2\x9B"
                                   "31m")
                            << QByteArray("a<U+009B>31m");
        QTest::newRow("reading direction") << QByteArray(
                                                  "a\xE2\x80\xAE"
                                                  "b")
                                           << QByteArray("a<U+202E>b");
        QTest::newRow("broken UTF-8") << QByteArray("a\xFF\xC3") << QByteArray("a��");
        QTest::newRow("line break") << QByteArray("a\nb") << QByteArray("a b");
        QTest::newRow("thin space and minus") << QByteArray(
                                                     "\xE2\x88\x92"
                                                     "5\xE2\x80\xAFms")
                                              << QByteArray("-5 ms");
        QTest::newRow("other scripts") << QByteArray("병렬 구성") << QByteArray("병렬 구성");
    }
    void nothingSteersTheTerminal() {
        QFETCH(QByteArray, text);
        QTEST(QByteArray::fromStdString(printable(text.toStdString())), "expected");
    }

    void widths() {
        QCOMPARE(displayWidth("abc"), std::size_t{3});
        QCOMPARE(displayWidth("é–"), std::size_t{2});
        QCOMPARE(displayWidth("병렬"), std::size_t{4});
    }

    void alignsColumns() {
        Table table;
        table.columns = {{"Name", "name", "", false, ""},
                         {"measured", "a", "Step time", true, "ms"},
                         {"forecast", "b", "Step time", true, "ms"},
                         {"Note", "c", "", false, ""}};
        table.rows = {
            {{"병렬", {}, Tone::Plain}, {"12.5", 12.5, Tone::Plain}, {"9", 9.0, Tone::Plain}, {"ok", {}, Tone::Good}},
            {{"x", {}, Tone::Plain}, {"n/a", {}, Tone::Quiet}, {"10", 10.0, Tone::Plain}, {"", {}, Tone::Plain}}};
        std::ostringstream out;
        printTable(out, table, false);
        QCOMPARE(QString::fromStdString(out.str()), QString("                         Step time\n"
                                                            "Name  measured (ms)  forecast (ms)  Note\n"
                                                            "병렬           12.5              9  ok\n"
                                                            "x               n/a             10\n"));
        std::ostringstream coloured;
        printTable(coloured, table, true);
        QVERIFY(coloured.str().find("\x1b[32mok\x1b[0m") != std::string::npos);
    }

    void noRowIsWiderThanALine_data() {
        QTest::addColumn<int>("numbers");
        QTest::addColumn<QString>("expected");
        QTest::newRow("broken in its column") << 2 << "    12      12  words words";
        QTest::newRow("below its row") << 9 << "    words words";
    }
    void noRowIsWiderThanALine() {
        QFETCH(int, numbers);
        QFETCH(QString, expected);
        Table table;
        for (int i = 0; i < numbers; ++i) table.columns.push_back({"Number of " + std::to_string(i), "", "", true, ""});
        table.columns.push_back({"Layout", "", "", false, ""});
        std::string words = "words";
        for (int i = 0; i < 40; ++i) words += " words";
        std::vector<Cell> row(static_cast<std::size_t>(numbers), Cell{"12", 12.0, Tone::Plain});
        row.push_back({words, {}, Tone::Plain});
        table.rows = {row};
        std::ostringstream out;
        printTable(out, table, false);
        const QString text = QString::fromStdString(out.str());
        for (const QString& line : text.split('\n')) QVERIFY2(line.size() <= 100, qPrintable(line));
        QVERIFY2(text.contains(expected), qPrintable(text));
        QCOMPARE(text.count("words"), 41);
    }

    void headsOfManyNumbersAreStacked() {
        Table table;
        table.columns = {{"Trial", "", "", false, ""}};
        table.rows = {{{"a name of words", {}, Tone::Plain}}};
        for (int i = 0; i < 11; ++i) {
            table.columns.push_back({"forecast", "", "", true, "ms", false, "textbook"});
            table.rows[0].push_back({"12", 12.0, Tone::Plain});
        }
        std::ostringstream out;
        printTable(out, table, false);
        const QStringList lines = QString::fromStdString(out.str()).split('\n');
        for (const QString& line : lines) QVERIFY2(line.size() <= 136, out.str().c_str());
        // The name keeps its line where breaking it would not make the row fit.
        QVERIFY2(lines.at(0).trimmed().startsWith("forecast,  forecast,"), out.str().c_str());
        QVERIFY2(lines.at(2).startsWith("Trial                 (ms)"), out.str().c_str());
        QVERIFY2(lines.at(3).startsWith("a name of words         12"), out.str().c_str());
        table.columns.resize(9);
        table.rows[0].resize(9);
        table.columns[0].title = "";
        std::ostringstream fewer;
        setTerminalColumns(fewer, 99);
        printTable(fewer, table, false);
        const QStringList broken = QString::fromStdString(fewer.str()).split('\n');
        QVERIFY2(broken.at(3).startsWith("a name of           12") && broken.at(4) == "words", fewer.str().c_str());
    }

    void factsAreBrokenToo() {
        std::string words = "words";
        for (int i = 0; i < 40; ++i) words += " words";
        std::ostringstream out;
        printFacts(out, {{"Label", words}, {"Other", "x"}});
        const QString text = QString::fromStdString(out.str());
        for (const QString& line : text.split('\n')) QVERIFY2(line.size() <= 100, qPrintable(line));
        QVERIFY2(text.contains("\n       words") && text.endsWith("\nOther  x\n"), qPrintable(text));
    }

    void linesFollowTheTerminal_data() {
        QTest::addColumn<int>("columns");
        QTest::addColumn<int>("line");
        QTest::newRow("as wide as most") << 80 << 80;
        QTest::newRow("too narrow to read") << 20 << 60;
        QTest::newRow("wide") << 300 << 100;
    }
    void linesFollowTheTerminal() {
        QFETCH(int, columns);
        QFETCH(int, line);
        std::ostringstream out;
        setTerminalColumns(out, static_cast<std::size_t>(columns));
        std::string words = "words";
        for (int i = 0; i < 40; ++i) words += " words";
        printFacts(out, {{"Label", words}});
        Table table;
        table.columns = {{"Number", "", "", true, ""}, {"Text", "", "", false, ""}};
        table.rows = {{{"1", 1.0, Tone::Plain}, {words, {}, Tone::Plain}}};
        printTable(out, table, false);
        qsizetype widest = 0;
        for (const QString& one : QString::fromStdString(out.str()).split('\n')) widest = std::max(widest, one.size());
        QVERIFY2(widest <= line && widest > line - 8, out.str().c_str());
    }

    void turnsATableOver() {
        Table table;
        table.columns = {
            {"Trial", "", "", false, ""}, {"measured", "", "Step time", true, "ms"}, {"Loss", "", "", true, ""}};
        table.rows = {{{"tp2", {}, Tone::Plain}, {"12", 12.0, Tone::Plain}, {"7.3", 7.3, Tone::Plain}},
                      {{"dp2", {}, Tone::Plain}, {"9", 9.0, Tone::Plain}, {"-", {}, Tone::Quiet}}};
        std::ostringstream out;
        printTable(out, transposed(table), false);
        QCOMPARE(QString::fromStdString(out.str()), QString("Trial                     tp2  dp2\n"
                                                            "Step time, measured (ms)   12    9\n"
                                                            "Loss                      7.3    -\n"));
    }

    void wraps() {
        QCOMPARE(wrapText("one two three four", 9), std::string("one two\nthree\nfour"));
        QCOMPARE(wrapText("", 9), std::string());
    }
};

SLIPWAY_TEST(TstPrint)
#include "tst_print.moc"
