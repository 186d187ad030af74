#include "app/agent/progress_watch.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

class TstProgressWatch : public QObject {
    Q_OBJECT

private slots:
    void waitsAtLeastItsTime() {
        ProgressWatch watch(60);
        watch.look(0, 0);
        QVERIFY(!watch.hangs(60));
        QVERIFY(watch.hangs(60.1));
        watch.look(61, 10);
        QVERIFY(!watch.hangs(100));
    }

    void waitsLongerForSlowSteps() {
        ProgressWatch watch(60);
        for (int i = 0; i <= 9; ++i) watch.look(10.0 * i, static_cast<std::uint64_t>(i));
        QCOMPARE(watch.limitSeconds(), 200.0);
        QVERIFY(!watch.hangs(90 + 199));
        QVERIFY(watch.hangs(90 + 201));
    }

    void forgetsOldIntervals() {
        ProgressWatch watch(1);
        double now = 0;
        std::uint64_t bytes = 0;
        for (int i = 0; i < 50; ++i) watch.look(now += 10, ++bytes);
        for (int i = 0; i < 200; ++i) watch.look(now += 0.5, ++bytes);
        QCOMPARE(watch.limitSeconds(), 10.0);
    }

    void canBeSwitchedOff() {
        ProgressWatch watch(0);
        watch.look(0, 0);
        QVERIFY(!watch.hangs(1e6));
    }

    // A file that shrinks (an unfinished line that a new attempt cuts off) is a sign of life too.
    void takesAnyChangeForProgress() {
        ProgressWatch watch(60);
        watch.look(0, 100);
        watch.look(50, 90);
        QVERIFY(!watch.hangs(100));
    }
};

SLIPWAY_TEST(TstProgressWatch)
#include "tst_progress_watch.moc"
