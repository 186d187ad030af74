#include "app/gui/pages/compare_data.h"
#include "app/gui/text/format.h"
#include "app/gui/text/language.h"
#include "tests/support/slipway_test.h"

#include <cmath>

using namespace slipway::gui;

class TstFormat : public QObject {
    Q_OBJECT

private slots:
    void unknownIsADash() {
        QCOMPARE(bytesText({}), unknownText());
        QCOMPARE(secondsText(std::nan("")), unknownText());
        QVERIFY(percentText(0.0) != unknownText());
    }
    void deltas_data() {
        QTest::addColumn<double>("part");
        QTest::addColumn<QString>("text");
        QTest::addRow("up") << 0.16 << QStringLiteral("+16\u202F%");
        QTest::addRow("down") << -0.007 << QStringLiteral("−0.7\u202F%");
        QTest::addRow("none") << 0.0 << QStringLiteral("0.0\u202F%");
    }
    void deltas() {
        QFETCH(double, part);
        QFETCH(QString, text);
        QCOMPARE(deltaText(part), text);
    }
    void wordsOfCommandsAreQuotedWhereNeeded() {
        QCOMPARE(shellWord(QStringLiteral("ConnectTimeout=10")), QStringLiteral("ConnectTimeout=10"));
        QCOMPARE(shellWord(QStringLiteral("/usr/bin/ssh")), QStringLiteral("/usr/bin/ssh"));
        for (const char* word : {"a b", "", "$x", "a;b", "~", "*", "\xea\xb0\x80"})
            QCOMPARE(shellWord(QString::fromUtf8(word)), QStringLiteral("'%1'").arg(QString::fromUtf8(word)));
    }

    void sharesDifferByPoints() {
        QCOMPARE(pointsText(0.021), QStringLiteral("+2.1\u202Fpoints"));
        QCOMPARE(pointsText(-0.12), QStringLiteral("\u221212\u202Fpoints"));
        QCOMPARE(differenceText("mfu", 0.42, 0.40), QStringLiteral("+2.0\u202Fpoints"));
        QCOMPARE(differenceText("bubble_fraction", 0.1, 0.0), QStringLiteral("+10\u202Fpoints"));
        QCOMPARE(differenceText("step_seconds", 1.1, 1.0), QStringLiteral("+10\u202F%"));
        QCOMPARE(differenceText("step_seconds", {}, 1.0), QString());
    }
    void figuresSplit() {
        QCOMPARE(split(bytesText(29098942464.0)).number, QStringLiteral("27.1"));
        QCOMPARE(split(bytesText(29098942464.0)).unit, QStringLiteral("GiB"));
        QCOMPARE(split(moneyText(10400, "USD")).unit, QStringLiteral("USD"));
    }
    void koreanCounts_data() {
        QTest::addColumn<double>("count");
        QTest::addColumn<QString>("text");
        QTest::addRow("8.03 B") << 8.03e9 << QStringLiteral("80.3억");
        QTest::addRow("2.1 M") << 2097152.0 << QStringLiteral("210만");
        QTest::addRow("small") << 9999.0 << QStringLiteral("9,999");
        QTest::addRow("10.4 k") << 10400.0 << QStringLiteral("1.04만");
        QTest::addRow("1 T") << 1.5e12 << QStringLiteral("1.50조");
    }
    void koreanCounts() {
        QFETCH(double, count);
        QFETCH(QString, text);
        WindowLanguage language;
        language.apply(QStringLiteral("ko"));
        QCOMPARE(shortText(count), text);
        QCOMPARE(secondsText((2 * 24 + 7) * 3600.0), QStringLiteral("2일 7시간"));
        language.apply(QStringLiteral("en"));
        QVERIFY(!shortText(8.03e9).contains(QStringLiteral("억")));
    }
    void koreanWordsStayWhole() {
        const QString joined = wordJoined(QStringLiteral("전역 배치"));
        QCOMPARE(QString(joined).remove(QChar(0x2060)), QStringLiteral("전역 배치"));
        QVERIFY(joined.contains(QStringLiteral("전\u2060역 배\u2060치")));
        QCOMPARE(wordJoined(QStringLiteral("plain words")), QStringLiteral("plain words"));
    }
};

SLIPWAY_TEST(TstFormat)
#include "tst_format.moc"
