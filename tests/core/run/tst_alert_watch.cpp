#include "core/base/file.h"
#include "core/run/alert_watch.h"
#include "core/spec/metric_line.h"
#include "tests/support/seed_store.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>

using namespace slipway;
using namespace slipway::test;

namespace {

/// Files of this process end at so many bytes while it lives: what a full disk does to an append.
class FullDisk {
public:
    explicit FullDisk(rlim_t bytes) : m_action(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit now{bytes, m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &now);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_action);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    void (*m_action)(int);
    rlimit m_before{};
};

}  // namespace

class TstAlertWatch : public QObject {
    Q_OBJECT
    TempDir m_temp;

    static long linesOf(const std::filesystem::path& path) {
        const auto text = readFile(path);
        return text ? std::count(text->begin(), text->end(), '\n') : -1;
    }

private slots:
    void anAlertWaitsForRoomOnTheDisk() {
        const Home home{m_temp.path() / "home"};
        auto store = RunStore::open(home, OpenMode::ReadWrite);
        QVERIFY(store);
        const RunId id = seedRuns(*store, {.numRuns = 1, .numSteps = 0}).front();
        const auto folder = home.run(id);
        QVERIFY(folder);
        const auto file = folder->path / "alerts.jsonl";
        // Longer than what the lock writes, and full but for less than a line.
        const std::string before = toLine(MetricEvent{1, "alert_straggler", std::string(4000, 'x'), 1});
        QVERIFY(writeFileAtomically(file, before));
        AlertView view;
        view.store = &*store;
        view.home = &home;
        view.folder = &*folder;
        view.id = id;
        view.attempt = 1;
        view.status = RunStatus::Failed;
        view.reason = "out of memory";
        view.isDone = view.mayRaise = true;
        AlertWatch watch;
        std::vector<RunEvent> events;
        {
            const FullDisk full(before.size() + 20);
            const auto polled = watch.poll(view, 1000, events);
            QVERIFY(!polled);
            QCOMPARE(linesOf(file), 1L);  // no half line
        }
        events.clear();
        for (int i = 0; i < 3; ++i) {
            const auto polled = watch.poll(view, 2000 + i, events);
            QVERIFY2(polled.has_value(), polled ? "" : polled.error().message.c_str());
        }
        QCOMPARE(linesOf(file), 2L);  // written once, however often it is looked at
        QCOMPARE(std::ranges::count(events, std::string("alert_run_failed"), &RunEvent::name), 1);
    }
};

SLIPWAY_TEST(TstAlertWatch)
#include "tst_alert_watch.moc"
