#include "core/faults/line_pattern.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

class TstLinePattern : public QObject {
    Q_OBJECT

private slots:
    void matches_data() {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("kept");  // "-": no match
        const auto row = [](const char* pattern, const char* line, const char* kept) {
            QTest::addRow("%s|%s", pattern, line) << QByteArray(pattern) << QByteArray(line) << QByteArray(kept);
        };
        row("no space", "there is no space left", "");
        row("no space", "there is space left", "-");
        row("a*b", "xaxxbx", "");
        row("a*b", "xbxxax", "-");
        row("host {}: no", "host n1: no", "n1");
        row("host {}: no", "host : no", "");
        row("rest {}", "rest of the line", "of the line");
        row("Xid (*): {79},", "Xid (PCI:0000:3b:00): 79, pid=1", "79");
        row("Xid (*): {79},", "Xid (PCI:0000:3b:00): 790, pid=1", "-");
        row("Xid (*): {79},", "Xid (PCI:0000:3b:00): 31, pid=1", "-");
        row("tool: {bad}", "tool: bad", "bad");
        row("tool: {bad}", "tool: ba", "-");
    }
    void matches() {
        QFETCH(QByteArray, pattern);
        QFETCH(QByteArray, line);
        const auto kept = matchLine(pattern.toStdString(), line.toStdString());
        QTEST(kept ? QByteArray::fromStdString(*kept) : QByteArray("-"), "kept");
    }

    void keepsLittle() {
        const std::string line = "host " + std::string(100000, 'x') + ": no";
        QVERIFY(!matchLine("host {}: no", line));  // behind the longest line that is searched
        const auto kept = matchLine("host {}", line);
        QVERIFY(kept && kept->size() <= kKeptBytes + 3);
    }

    void findsTheFirstLine() {
        const auto found = findLine("port {} is", "one\nport 1 is free\nport 2 is free\n");
        QVERIFY(found);
        QCOMPARE(found->kept, std::string("1"));
        QCOMPARE(found->line, std::string("port 1 is free"));
        QVERIFY(!findLine("port {} is", "port 1\nis free"));
        QVERIFY(!findLine("x", ""));
    }

    void picksTheTellingLine_data() {
        QTest::addColumn<QByteArray>("log");
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("empty") << QByteArray("") << QByteArray("");
        QTest::newRow("last") << QByteArray("one\ntwo\n\n") << QByteArray("two");
        QTest::newRow("error") << QByteArray("Error: bad\n  at x\n") << QByteArray("Error: bad");
        QTest::newRow("last error") << QByteArray("error 1\nerror 2\n") << QByteArray("error 2");
        QTest::newRow("terminal escapes") << QByteArray("\x1b[31mred\x1b[0m \x07ring\n") << QByteArray("red ring");
        QTest::newRow("our own mark") << QByteArray("x\n--- attempt 2 ---\n") << QByteArray("x");
        QTest::newRow("too long") << QByteArray(400, 'a') << QByteArray(200, 'a') + "…";
        QTest::newRow("not inside a character") << QByteArray(199, 'a') + "한국" << QByteArray(199, 'a') + "…";
        QTest::newRow("not UTF-8") << QByteArray("a\xff\xfe") << QByteArray("a\uFFFD\uFFFD");
    }
    void picksTheTellingLine() {
        QFETCH(QByteArray, log);
        QTEST(QByteArray::fromStdString(tellingLine(log.toStdString())), "line");
    }
};

SLIPWAY_TEST(TstLinePattern)
#include "tst_line_pattern.moc"
