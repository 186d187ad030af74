#include "app/gui/widgets/axis_room.h"
#include "tests/support/slipway_test.h"

using namespace slipway::gui;

class TstAxisRoom : public QObject {
    Q_OBJECT

private slots:
    // One letter a fate: s shown, c constant, n no room, h hidden.
    void fates_data() {
        QTest::addColumn<QList<AxisNeed>>("axes");
        QTest::addColumn<double>("width");
        QTest::addColumn<QString>("fates");
        const AxisNeed figure{60, 0, false, true, {}}, strong{40, 0.7, false, false, {}},
            weak{40, 0.2, false, false, {}}, constant{40, 0.9, true, false, {}};
        AxisNeed wanted = weak, hidden = strong, flat = figure;
        wanted.wanted = true;
        hidden.wanted = false;
        flat.isConstant = true;
        QTest::newRow("all fit") << QList<AxisNeed>{figure, strong, weak} << 140.0 << "sss";
        QTest::newRow("the weaker yields") << QList<AxisNeed>{weak, strong, figure} << 139.0 << "nss";
        QTest::newRow("constant") << QList<AxisNeed>{constant, weak, figure} << 500.0 << "css";
        QTest::newRow("asked for goes first") << QList<AxisNeed>{wanted, strong, figure} << 100.0 << "sns";
        QTest::newRow("hidden makes room") << QList<AxisNeed>{hidden, weak, figure} << 100.0 << "hss";
        QTest::newRow("a narrower one still fits")
            << QList<AxisNeed>{strong, {20, 0.1, false, false, {}}, figure} << 85.0 << "nss";
        QTest::newRow("figures always") << QList<AxisNeed>{figure, figure, strong} << 50.0 << "ssn";
        QTest::newRow("a figure that never varies") << QList<AxisNeed>{flat, strong} << 500.0 << "ss";
        QTest::newRow("nothing") << QList<AxisNeed>{} << 100.0 << "";
    }
    void fates() {
        QFETCH(QList<AxisNeed>, axes);
        QFETCH(double, width);
        QFETCH(QString, fates);
        const std::vector<AxisNeed> needs(axes.begin(), axes.end());
        const auto places = placeAxes(needs, width);
        QString got;
        double right = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            got += QStringLiteral("scnh")[static_cast<int>(places[i].fate)];
            if (places[i].fate != AxisFate::Shown) continue;
            QCOMPARE(places[i].left, right);
            QVERIFY(places[i].width >= needs[i].width);
            right += places[i].width;
        }
        QCOMPARE(got, fates);
        if (fates.contains('n') || right <= width) return;
        QFAIL("what is shown is wider than the picture");
    }
    void theWidthIsUsedUp() {
        const auto places = placeAxes({{60, 0, false, true, {}}, {40, 1, false, false, {}}}, 200);
        QCOMPARE(places[0].width, 110.0);
        QCOMPARE(places[1].left + places[1].width, 200.0);
    }
};

SLIPWAY_TEST(TstAxisRoom)
#include "tst_axis_room.moc"
