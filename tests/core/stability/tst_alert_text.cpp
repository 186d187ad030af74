#include "core/stability/alert_text.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

class TstAlertText : public QObject {
    Q_OBJECT

private slots:
    void readsBackWhatItSaid_data() {
        QTest::addColumn<QString>("english");
        QTest::addColumn<QString>("korean");
        const auto row = [](const char* name, const Message& message) {
            QTest::addRow("%s", name) << QString::fromStdString(textOf(message, Language::English))
                                      << QString::fromStdString(textOf(message, Language::Korean));
        };
        row("not finite", kAlertNotFinite(7));
        row("spike", kAlertSpike("8.12", 40, "3.5"));
        row("throughput", kAlertThroughput("6.1 %", 300, 20, 100));
        row("straggler", kAlertStraggler(12, "8.2 %"));
        row("disk", kAlertDisk("1.2 GiB", "3 %"));
        row("end", kAlertEnd(2, "completed"));
        row("reason", kAlertEndWithReason(1, "failed", "Out of memory on rank 3. Lower the micro-batch."));
        row("foreign", Message::name("An alert of a later version."));
    }
    void readsBackWhatItSaid() {
        QFETCH(QString, english);
        QFETCH(QString, korean);
        const Message message = alertMessage(english.toStdString());
        QCOMPARE(QString::fromStdString(textOf(message, Language::English)), english);
        QCOMPARE(QString::fromStdString(textOf(message, Language::Korean)), korean);
    }
};

SLIPWAY_TEST(TstAlertText)
#include "tst_alert_text.moc"
