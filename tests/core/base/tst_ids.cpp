#include "core/base/ids.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

class TstIds : public QObject {
    Q_OBJECT
private slots:
    void idsSortByTime() {
        const std::string early = makeId(1763730900042, 0xffffffff);
        const std::string late = makeId(1763730900043, 0);
        QCOMPARE(early, std::string("20251121-131500042-ffffffff"));
        QVERIFY(early < late);
        QVERIFY(isSafeId(early));
    }
    void safety_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("safe");
        QTest::newRow("plain") << "run-1_a.B" << true;
        QTest::newRow("empty") << "" << false;
        QTest::newRow("parent") << ".." << false;
        QTest::newRow("hidden") << ".x" << false;
        QTest::newRow("slash") << "a/b" << false;
        QTest::newRow("newline") << "a\nb" << false;
        QTest::newRow("space") << "a b" << false;
        QTest::newRow("unicode") << QString::fromUtf8("é") << false;
        QTest::newRow("80") << QString(80, 'a') << true;
        QTest::newRow("81") << QString(81, 'a') << false;
    }
    void safety() {
        QFETCH(QString, text);
        QFETCH(bool, safe);
        QCOMPARE(isSafeId(text.toStdString()), safe);
    }
};
SLIPWAY_TEST(TstIds)
#include "tst_ids.moc"
