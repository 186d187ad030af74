#include "core/run/alert_hook.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

using namespace slipway;
using namespace slipway::test;

class TstAlertHook : public QObject {
    Q_OBJECT
    TempDir m_temp;

    static HookAlert alert(const std::string& rule) { return {rule, "run", "name", "text", 7, 1, 0}; }

private slots:
    /// The clock is the caller's: a hook that hangs is ended when its time is over, not before.
    void aHookThatHangsIsEnded() {
        AlertHook hook;
        hook.add(alert("loss_spike"));
        const auto poll = [&](double now) { hook.poll({"/bin/sleep", "1000"}, m_temp.path() / "lock", now); };
        poll(100);
        poll(100 + AlertHook::kMostSeconds);
        QVERIFY(hook.takeEnds().empty());
        std::vector<HookEnd> ends;
        QVERIFY(waitUntil(60, [&] {
            poll(100.1 + AlertHook::kMostSeconds);
            ends = hook.takeEnds();
            return !ends.empty();
        }));
        QCOMPARE(ends.size(), std::size_t(1));
        QVERIFY2(ends[0].text.find("signal 15") != std::string::npos, ends[0].text.c_str());
        QVERIFY(!hook.isBusy());
    }
    void whatFindsNoRoomIsSaid() {
        AlertHook hook;
        for (std::size_t i = 0; i <= AlertHook::kMostWaiting; ++i) hook.add(alert("loss_spike"));
        const auto ends = hook.takeEnds();
        QCOMPARE(ends.size(), std::size_t(1));
        QCOMPARE(ends[0].text, std::string("not started: 8 wait"));
    }
};

SLIPWAY_TEST(TstAlertHook)
#include "tst_alert_hook.moc"
