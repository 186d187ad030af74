#include "core/store/chunk.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <limits>

using namespace slipway;
using store::Points;

class TstChunk : public QObject {
    Q_OBJECT

private slots:
    void roundTrip() {
        const Points points{{1, 5, 1LL << 40}, {0.1, std::numeric_limits<double>::quiet_NaN(), -0.0}};
        Points back;
        QVERIFY(store::unpackPoints(store::packPoints(points, 0, 3), back));
        QCOMPARE(back.steps, points.steps);
        QCOMPARE(back.values[0], 0.1);
        QVERIFY(std::isnan(back.values[1]));
        QVERIFY(std::signbit(back.values[2]));
        QVERIFY(store::unpackPoints(store::packPoints(points, 1, 2), back));
        QCOMPARE(back.steps, (std::vector<std::int64_t>{1, 5, 1LL << 40, 5}));
        QVERIFY(!store::unpackPoints("not a multiple of 16", back));
    }

    void merge_data() {
        QTest::addColumn<QList<int>>("steps");
        QTest::addColumn<QList<int>>("expected");
        QTest::newRow("behind") << QList<int>{7, 8} << QList<int>{1, 3, 5, 7, 8};
        QTest::newRow("before") << QList<int>{0} << QList<int>{0, 1, 3, 5};
        QTest::newRow("between and again") << QList<int>{2, 3, 4} << QList<int>{1, 2, 3, 4, 5};
        QTest::newRow("the same") << QList<int>{1, 3, 5} << QList<int>{1, 3, 5};
    }

    void merge() {
        QFETCH(QList<int>, steps);
        QFETCH(QList<int>, expected);
        Points into{{1, 3, 5}, {10, 10, 10}};
        Points later;
        for (const int step : steps) {
            later.steps.push_back(step);
            later.values.push_back(20);
        }
        store::mergePoints(into, later);
        QCOMPARE(QList<int>(into.steps.begin(), into.steps.end()), expected);
        for (std::size_t i = 0; i < into.steps.size(); ++i)
            QCOMPARE(into.values[i], steps.contains(static_cast<int>(into.steps[i])) ? 20.0 : 10.0);
    }
};

SLIPWAY_TEST(TstChunk)
#include "tst_chunk.moc"
