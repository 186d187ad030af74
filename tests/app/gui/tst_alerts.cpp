// Alerts in the window: a notification for each that any program raised, and their rules on the Settings page.
#include "app/gui/engine/alert_desk.h"
#include "app/gui/engine/menu_actions.h"
#include "app/gui/pages/settings_page.h"
#include "app/gui/widgets/number_edit.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/run/alert_settings.h"
#include "core/spec/metric_line.h"
#include "core/store/ingest.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

using namespace slipway;
using namespace slipway::test;
using namespace slipway::gui;

namespace {

AlertChoice stored(const GuiHome& at, AlertRule rule) {
    const auto settings = readAlertSettings(at.home);
    return settings ? settings->choices[static_cast<std::size_t>(rule)] : AlertChoice{};
}

/// As another program that follows the run would leave it.
void raise(RunStore& store, const RunId& id, const char* name, std::int64_t time) {
    auto file = AppendFile::open(store.home().run(id)->path / kAlertsFile);
    (void)file->append(toLine(MetricEvent{7, name, "<img src=x>\n bad", time}));
    MetricReader reader;
    (void)ingestAlerts(store, reader, id);
}

}  // namespace

class TstAlerts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { useLook(); }

    void eachAlertIsNotifiedOnce() {
        GuiHome at(2);
        QVERIFY(at.start());
        AlertDesk desk(*at.context, nullptr);
        QSignalSpy spy(&desk, &AlertDesk::said);
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        const RunId id = store->ids({})->front();
        const std::int64_t now = unixMillisecondsNow();
        raise(*store, id, "alert_loss_spike", now - 3600000);  // before this window was opened
        raise(*store, id, "alert_hook", now + 1000);
        raise(*store, id, "alert_loss_not_finite", now + 1000);
        emit at.engine->runAdvanced(id, 7);
        EVENTUALLY(spy.size() == 1);
        QVERIFY2(spy[0][0].toString().startsWith(QStringLiteral("Loss not finite: ")),
                 qPrintable(spy[0][0].toString()));
        QVERIFY(!spy[0][0].toString().contains(QChar('\n')));
        raise(*store, id, "alert_straggler", now + 2000);
        emit at.engine->runAdvanced(id, 8);
        EVENTUALLY(spy.size() == 2);
        settle();
        QCOMPARE(spy.size(), 2);
        desk.setNotifies(false);
        raise(*store, id, "alert_run_failed", now + 3000);
        emit at.engine->runAdvanced(id, 9);
        settle();
        QCOMPARE(spy.size(), 2);
    }

    void rulesAreSetOnTheSettingsPage() {
        GuiHome at;
        AlertSettings settings;
        settings.hook = {"/bin/true", "a b"};
        std::filesystem::create_directories(at.home.path);
        QVERIFY(writeAlertSettings(at.home, settings).has_value());
        QVERIFY(at.start());
        AlertDesk desk(*at.context, nullptr);
        MenuActions actions(at.context->settings);
        SettingsPage page(*at.context, desk, actions, nullptr);
        page.resize(1000, 1000);
        page.show();
        auto* on = page.findChild<QCheckBox*>(QStringLiteral("alert_run_ended"));
        auto* threshold = page.findChild<NumberEdit*>(QStringLiteral("threshold_throughput_down"));
        auto* hook = page.findChild<QLabel*>(QStringLiteral("alerts_hook"));
        auto* remove = page.findChild<QPushButton*>(QStringLiteral("alerts_remove_hook"));
        QVERIFY(on && threshold && hook && remove);
        EVENTUALLY(on->isEnabled() && hook->text().contains(QStringLiteral("/bin/true 'a b'")));
        QVERIFY(on->isChecked());
        on->click();
        threshold->setValue(12);
        EVENTUALLY(!stored(at, AlertRule::RunEnded).isOn && stored(at, AlertRule::ThroughputDown).threshold == 12);
        QVERIFY(stored(at, AlertRule::RunFailed).isOn);
        QCOMPARE(readAlertSettings(at.home)->hook, settings.hook);
        remove->click();
        EVENTUALLY(readAlertSettings(at.home)->hook.empty());
        EVENTUALLY(!remove->isVisible());
    }

    void aBrokenFileIsNamed() {
        GuiHome at;
        std::filesystem::create_directories(at.home.path);
        QVERIFY(writeFileAtomically(alertSettingsFile(at.home), R"({"rules": {"loss": {}}})").has_value());
        QVERIFY(at.start());
        AlertDesk desk(*at.context, nullptr);
        MenuActions actions(at.context->settings);
        SettingsPage page(*at.context, desk, actions, nullptr);
        page.show();
        auto* hook = page.findChild<QLabel*>(QStringLiteral("alerts_hook"));
        EVENTUALLY(hook->text().contains(QStringLiteral("Unknown alert")));
        QVERIFY(!page.findChild<QCheckBox*>(QStringLiteral("alert_run_ended"))->isEnabled());
    }
};

SLIPWAY_TEST(TstAlerts)
#include "tst_alerts.moc"
