#include "core/metrics/forecast_label.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

class TstForecastLabel : public QObject {
    Q_OBJECT

private slots:
    void label_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("label");
        QTest::newRow("as the planner writes it") << R"({"step_seconds": 1.5, "label": "calibrated"})"
                                                  << "calibrated";
        QTest::newRow("an older document") << R"({"step_seconds": 1.5})"
                                           << "";
        QTest::newRow("no forecast") << "null"
                                     << "";
        QTest::newRow("nothing") << ""
                                 << "";
        QTest::newRow("another type") << R"({"label": 3})"
                                      << "";
        QTest::newRow("damaged") << "{\"label\": \"mea"
                                 << "";
    }
    void label() {
        QFETCH(QString, json);
        QFETCH(QString, label);
        QCOMPARE(QString::fromStdString(forecastLabel(json.toStdString())), label);
    }
};

SLIPWAY_TEST(TstForecastLabel)
#include "tst_forecast_label.moc"
