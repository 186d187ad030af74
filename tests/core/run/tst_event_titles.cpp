// Events are read as words, in the window and by `slipway show`.
#include "core/base/file.h"
#include "core/base/recorded_text.h"
#include "core/run/event_titles.h"
#include "core/stability/loss_curve.h"
#include "tests/support/slipway_test.h"

#include <QRegularExpression>
#include <QSet>
#include <filesystem>

using namespace slipway;

class TstEventTitles : public QObject {
    Q_OBJECT

private slots:
    // Every literal name of an event in the sources of the trainer and of this room.
    void everyEventHasATitle() {
        const QRegularExpression event(
            QStringLiteral("(?:->event\\([^\"]{0,60}|Kind::Event,[^\"]{0,60}|\\.code = )\"([a-z_0-9]+)\""));
        QSet<QString> names;
        for (const char* folder : {"trainer/loop", "core/run", "core/stability"})
            for (const auto& file :
                 std::filesystem::recursive_directory_iterator(std::string(SLIPWAY_SOURCE_DIR "/") + folder)) {
                if (file.path().extension() != ".cpp") continue;
                auto found = event.globalMatch(QString::fromStdString(readFile(file.path()).value()));
                while (found.hasNext()) names.insert(found.next().captured(1));
            }
        for (const char* name : {"checkpoint", "loss_curve", "update_skipped", "slow_node", "nonfinite_loss"})
            QVERIFY2(names.contains(QString::fromUtf8(name)), name);
        QStringList untitled;
        for (const QString& name : names) {
            const std::string title = textOf(eventTitle(name.toStdString()));
            if (title == QString(name).replace('_', ' ').toStdString()) untitled << name;
        }
        QVERIFY2(untitled.isEmpty(), qPrintable(untitled.join('\n')));
    }
    void otherNames() {
        QCOMPARE(textOf(eventTitle("alert_loss_spike")), std::string("Loss spike"));
        QCOMPARE(textOf(eventTitle("alert_of_others")), std::string("alert of others"));
        QCOMPARE(textOf(eventTitle("quota_exceeded")), std::string("quota exceeded"));
        QCOMPARE(textOf(eventTitle("update_skipped"), Language::Korean), std::string("업데이트 건너뜀"));
    }
    // The verdict on a loss curve is a clause and a sentence of advice.
    void curvesAreReadInKorean() {
        std::vector<double> losses;
        for (int i = 0; i < 40; ++i) losses.push_back(8.0 - 0.05 * i);
        const Message verdict = curveText(analyseLosses(losses, 10), losses.size());
        QCOMPARE(recordedText(textOf(verdict), Language::Korean), textOf(verdict, Language::Korean));
    }
};

SLIPWAY_TEST(TstEventTitles)
#include "tst_event_titles.moc"
