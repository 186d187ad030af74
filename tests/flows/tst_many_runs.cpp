// A program that starts beside 1,000 runs it knows, some of which live on 8 hosts: how long until it has the right state of each.
// Hosts are the tests' ssh with real agents. SLIPWAY_CHAOS_RUNS, _LIVE and _SEED choose.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/remote/node_link.h"
#include "core/remote/node_record.h"
#include "core/run/run_session.h"
#include "core/store/run_store.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"
#include "tests/support/soak.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr int kHosts = 8;

std::int64_t now() {
    return unixMillisecondsNow();
}

}  // namespace

class TstManyRunsFull : public QObject {
    Q_OBJECT

private slots:
    void hasTheRightStatesSoon() {
        const unsigned seed = chosen("SLIPWAY_CHAOS_SEED", std::random_device{}() % 1'000'000);
        const unsigned numRuns = chosen("SLIPWAY_CHAOS_RUNS", 1000), numLive = chosen("SLIPWAY_CHAOS_LIVE", 16);
        std::mt19937 random(seed);
        const FakeNodes fake;
        RunHome at;
        for (int host = 0; host < kHosts; ++host) {
            NodeRecord node;
            node.name = node.host = "h" + std::to_string(host);
            node.trainer = at.programs.trainer.string();
            QVERIFY(writeNode(at.home, node, false));
        }
        at.programs.trainer.clear();
        std::map<std::string, RunStatus> expected;
        std::vector<std::unique_ptr<RunSession>> live;
        {
            const auto links = std::make_shared<NodeLinks>(at.programs.agent);
            auto store = RunStore::open(at.home, OpenMode::ReadWrite);
            QVERIFY(store);
            constexpr RunStatus kEnds[] = {RunStatus::Completed, RunStatus::Failed, RunStatus::Cancelled};
            for (unsigned i = numLive; i < numRuns; ++i) {
                NewRun run;
                run.id = RunId("known-" + std::to_string(i));
                run.config = tinyConfig("tiny", 20);
                run.life.status = kEnds[random() % 3];
                run.life.attempts = 1;
                QVERIFY(store->createRun(run, now()));
                expected[run.id.value] = *run.life.status;
            }
            // Half of them end while nobody looks.
            for (unsigned i = 0; i < numLive; ++i) {
                RunRequest request;
                const bool ends = i % 2 == 0;
                request.config = tinyConfig(ends ? "tiny [ms=20,wait@40]" : "tiny [ms=50]", ends ? 60 : 1'000'000);
                request.nodes = {{"h" + std::to_string(i % kHosts), 1}};
                auto session = RunSession::create(*store, at.home, request, now(), at.programs, links);
                QVERIFY(session && session->launch(now()));
                expected[session->id().value] = ends ? RunStatus::Completed : RunStatus::Running;
                live.push_back(std::make_unique<RunSession>(std::move(*session)));
            }
            QVERIFY(waitUntil(60 + 4.0 * numLive, [&] {
                for (auto& session : live) (void)session->poll(now());
                return std::ranges::all_of(live, [](const auto& one) { return one->lastStep() >= 3; });
            }));
            for (std::size_t i = 0; i < live.size(); i += 2) {
                const auto there = fake.home("h" + std::to_string(i % kHosts)) / ".local/share/slipway-node/runs" /
                                   live[i]->id().value;
                QVERIFY(writeFileAtomically(there / "control" / "go", ""));
                QVERIFY(waitUntil(60, [&] {
                    return std::filesystem::exists(there / "agent" / live[i]->nodes().front() / "exit.json");
                }));
            }
            live.clear();
        }

        const double begun = monotonicSecondsNow();
        const auto links = std::make_shared<NodeLinks>(at.programs.agent);
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        QVERIFY(store);
        RunQuery query;
        query.filter = "status:queued,running";
        const auto open = store->ids(query);
        QVERIFY(open);
        QCOMPARE(open->size(), std::size_t{numLive});
        std::vector<std::unique_ptr<RunSession>> sessions;
        for (const RunId& id : *open) {
            auto session = RunSession::attach(*store, at.home, id, now(), at.programs, links);
            QVERIFY(session);
            sessions.push_back(std::make_unique<RunSession>(std::move(*session)));
        }
        // Right: it is as expected, and what runs has been heard of by this program.
        const auto isRight = [&](const RunSession& session) {
            if (session.status() != expected.at(session.id().value)) return false;
            if (session.done()) return true;
            const auto& beats = session.heartbeats();
            return !beats.empty() && beats.front().counter > 0 && session.reason().empty();
        };
        QVERIFY(waitUntil(120, [&] {
            for (auto& session : sessions) (void)session->poll(now());
            return std::ranges::all_of(sessions, [&](const auto& one) { return isRight(*one); });
        }));
        const double seconds = monotonicSecondsNow() - begun;
        qInfo("%u known runs, %u of them on %d hosts, seed %u: right after %.2f s", numRuns, numLive, kHosts, seed,
              seconds);
        for (const auto& [id, status] : expected) QCOMPARE(store->run(RunId(id))->status, status);
        for (auto& session : sessions)
            if (!session->done()) QVERIFY(session->kill(now()));
        QVERIFY(waitUntil(60, [&] {
            for (auto& session : sessions) (void)session->poll(now());
            return std::ranges::all_of(sessions, [](const auto& one) { return one->done(); });
        }));
        constexpr double kSeconds = 3;
        QVERIFY2(seconds < kSeconds, std::to_string(seconds).c_str());
    }
};

SLIPWAY_TEST_FULL(TstManyRunsFull)
#include "tst_many_runs.moc"
