// Comma-separated tables: cells, numbers, lines, and text that is no table.
#include "core/base/csv_table.h"
#include "tests/support/slipway_test.h"

namespace slipway {

class TstCsvTable : public QObject {
    Q_OBJECT
private slots:
    void cells() {
        const auto table = CsvTable::parse("a,b\n\"x,\"\"y\"\"\",2\r\n\n1.5\n", "t");
        QVERIFY(table.has_value());
        QCOMPARE(table->numRows(), std::size_t{2});
        QCOMPARE(table->header().size(), std::size_t{2});
        QCOMPARE(table->text(0, "a"), std::string("x,\"y\""));
        QCOMPARE(table->count(0, "b").value(), std::int64_t{2});
        QVERIFY(!table->count(1, "a"));
        QCOMPARE(table->number(1, "a").value(), 1.5);
        QVERIFY(!table->number(1, "b"));
        QVERIFY(!table->number(0, "c"));
        QCOMPARE(table->cells(1).size(), std::size_t{1});
        QCOMPARE(CsvTable::parse("a\n\"open", "t").error().code, std::string("csv_syntax"));
        QCOMPARE(CsvTable::parse("", "t").error().code, std::string("csv_syntax"));
    }

    /// Empty lines and line breaks inside quotes count as lines of the file.
    void separators_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("comma") << QByteArray("a,b\n1;2,3\n");
        QTest::newRow("semicolon") << QByteArray("a;b\n\"1;2\";3\n");
        QTest::newRow("tabulator") << QByteArray("\na\tb\n1;2\t3\n");
    }
    void separators() {
        QFETCH(QByteArray, text);
        const auto table = CsvTable::parse(text.toStdString(), "t");
        QVERIFY(table && table->numRows() == 1 && table->has("b"));
        QCOMPARE(table->text(0, "a"), std::string("1;2"));
        QCOMPARE(table->count(0, "b").value_or(0), std::int64_t{3});
    }

    void lines() {
        const auto table = CsvTable::parse("\na\n1\n\n\"2\n3\"\n4\n", "t");
        QVERIFY(table.has_value());
        QCOMPARE(table->numRows(), std::size_t{3});
        QCOMPARE(table->line(0), std::size_t{3});
        QCOMPARE(table->line(1), std::size_t{5});
        QCOMPARE(table->text(1, "a"), std::string("2\n3"));
        QCOMPARE(table->line(2), std::size_t{7});
    }
};
SLIPWAY_TEST(TstCsvTable)

}  // namespace slipway

#include "tst_csv_table.moc"
