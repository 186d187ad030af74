// Collectives that a device runs: who is asked when, what counts as progress, and who lets go of them.
#include "trainer/comm/comm_activity.h"

#include <memory>
#include <stdexcept>
#include <utility>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway::trainer;

namespace {

/// How far the device is with one collective.
struct Progress {
    bool begun = false, ended = false, broken = false;
    int questions = 0;
};

CommActivity::Given given(const char* operation, const std::shared_ptr<Progress>& progress) {
    const auto ask = [progress](bool Progress::*what) {
        ++progress->questions;
        if (progress->broken) throw std::runtime_error("device-side assert");
        return (*progress).*what;
    };
    return {"dp", operation, "0, 1", [ask] { return ask(&Progress::begun); }, [ask] { return ask(&Progress::ended); }};
}

}  // namespace

class TstCommActivity : public QObject {
    Q_OBJECT
private slots:
    // Computing before a collective is no wait for it; the first that was begun is.
    void deviceStands() {
        CommActivity activity;
        const auto first = std::make_shared<Progress>(), second = std::make_shared<Progress>();
        activity.give(given("all_gather", first));
        activity.give(given("reduce_scatter", second));
        activity.refresh();
        QVERIFY(activity.snapshot().group.empty());
        second->begun = true;  // on another stream
        activity.refresh();
        QCOMPARE(activity.snapshot().operation, std::string("reduce_scatter"));
        first->begun = true;
        activity.refresh();
        QCOMPARE(activity.snapshot().operation, std::string("all_gather"));
        QCOMPARE(activity.snapshot().group, std::string("dp"));
        QCOMPARE(activity.snapshot().ranks, std::string("0, 1"));
        activity.enter("world", "barrier", "0, 1, 2");  // the host's own comes first
        QCOMPARE(activity.snapshot().operation, std::string("barrier"));
        activity.leave();
        QCOMPARE(activity.snapshot().completed, 1);
        first->ended = true;
        activity.refresh();
        QCOMPARE(activity.snapshot().operation, std::string("reduce_scatter"));
        QCOMPARE(activity.snapshot().completed, 2);
        second->ended = true;
        activity.refresh();
        activity.refresh();
        QVERIFY(activity.snapshot().group.empty());
        QCOMPARE(activity.snapshot().completed, 3);
        QCOMPARE(activity.recent().size(), std::size_t{3});
        QCOMPARE(activity.recent().back().operation, std::string("reduce_scatter"));
    }

    // A driver that stands still must not keep who only reads.
    void onlyRefreshAsksTheDevice() {
        CommActivity activity;
        const auto progress = std::make_shared<Progress>();
        activity.give(given("all_gather", progress));
        progress->begun = progress->ended = true;
        QCOMPARE(activity.snapshot().completed, 0);
        QVERIFY(activity.recent().empty());
        QCOMPARE(progress->questions, 0);
        progress->broken = true;
        activity.refresh();
        QCOMPARE(activity.snapshot().completed, 0);
    }

    // Events go with the rank's own thread: refresh() keeps what has ended, the next collective drops it, once, in
    // order.
    void theGiverLetsGo() {
        CommActivity activity;
        const auto first = std::make_shared<Progress>(), second = std::make_shared<Progress>(),
                   third = std::make_shared<Progress>();
        activity.give(given("all_gather", first));
        activity.give(given("all_reduce", second));
        const long held = first.use_count();
        first->ended = true;
        activity.refresh();
        QCOMPARE(first.use_count(), held);
        activity.give(given("broadcast", third));
        QCOMPARE(first.use_count(), 1L);
        QVERIFY(second.use_count() > 1);
        QCOMPARE(activity.snapshot().completed, 1);
        second->ended = third->ended = true;
        activity.give(given("broadcast", first));
        QCOMPARE(second.use_count(), 1L);
        QCOMPARE(third.use_count(), 1L);
        QCOMPARE(activity.snapshot().completed, 3);  // nobody else has asked
    }
};

SLIPWAY_TEST(TstCommActivity)
#include "tst_comm_activity.moc"
