// A rank of the real trainer that is stopped (SIGSTOP): its peers notice it in time, the run's end has a sentence of its own that names the
// rank, and the policy of the run continues it from its newest checkpoint.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/run/restart.h"
#include "core/run/run_session.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"
#include "tests/support/soak.h"

#include <signal.h>

#include <algorithm>
#include <memory>
#include <random>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kRanks = 4;
constexpr double kLimitSeconds = 60;  // or ten median steps, which are shorter here
// Two checks of the watchdog and the end of the ranks; the stopped one ignores every request but the last.
constexpr double kSlackSeconds = 20;

std::int64_t now() {
    return unixMillisecondsNow();
}

/// A run of which one rank is stopped after a step.
struct Stopped {
    std::size_t rank = 0;
    std::int64_t step = 0;
    std::unique_ptr<RunSession> session;
    double atSeconds = -1, noticedSeconds = -1;

    Stopped(RunStore& store, const RunHome& at, std::size_t whichRank, std::int64_t afterStep)
        : rank(whichRank), step(afterStep) {
        RunRequest request;
        request.config = tinyConfig("stopped rank", 1'000'000, kRanks);
        request.config.checkpoint.everySteps = 50;
        request.restart = "auto";
        auto created = RunSession::create(store, at.home, request, now(), at.programs);
        if (created && created->launch(now())) session = std::make_unique<RunSession>(std::move(*created));
    }
    /// @return whether its end was noticed
    bool advance() {
        if (noticedSeconds > 0) return true;  // it is looked at before its restart
        (void)session->poll(now());
        const auto beats = session->heartbeats();
        if (atSeconds < 0 && session->lastStep() >= step && beats.size() == 1 && beats[0].ranks.size() == kRanks) {
            ::kill(static_cast<pid_t>(beats[0].ranks[rank].pid), SIGSTOP);
            atSeconds = monotonicSecondsNow();
        }
        const bool isOver = session->status() != RunStatus::Queued && session->status() != RunStatus::Running;
        if (noticedSeconds < 0 && (isOver || (atSeconds > 0 && session->status() == RunStatus::Queued)))
            noticedSeconds = monotonicSecondsNow();
        return noticedSeconds > 0;
    }
};

}  // namespace

class TstHangFlowFull : public QObject {
    Q_OBJECT

private slots:
    // Rank 0 keeps the beats of all ranks; the others are known by them.
    void aStoppedRankIsNoticed() {
        const fs::path trainer = fs::path(SLIPWAY_BIN_DIR) / "slipway-trainer";
        if (!fs::exists(trainer)) QSKIP("slipway-trainer is not built");
        const unsigned seed = chosen("SLIPWAY_CHAOS_SEED", std::random_device{}() % 1'000'000);
        std::mt19937 random(seed);
        RunHome at;
        at.programs.trainer = trainer;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        QVERIFY(store);
        std::vector<std::unique_ptr<Stopped>> runs;
        for (const std::size_t rank : {std::size_t{0}, std::size_t{1 + random() % (kRanks - 1)}}) {
            runs.push_back(std::make_unique<Stopped>(*store, at, rank, static_cast<std::int64_t>(60 + random() % 60)));
            QVERIFY(runs.back()->session);
        }
        QVERIFY(waitUntil(240, [&] {
            bool isAll = true;
            for (const auto& run : runs) isAll = run->advance() && isAll;
            return isAll;
        }));
        for (const auto& run : runs) {
            RunSession& session = *run->session;
            const std::string& reason = session.reason();
            QVERIFY2(run->atSeconds > 0, reason.c_str());
            const double seconds = run->noticedSeconds - run->atSeconds;
            qInfo("seed %u: rank %zu stopped after step %lld, noticed after %.1f s: %s", seed, run->rank,
                  static_cast<long long>(run->step), seconds, reason.c_str());
            QVERIFY2(seconds < kLimitSeconds + kSlackSeconds, std::to_string(seconds).c_str());
            QVERIFY2(seconds > kLimitSeconds - 5, "too early: a slow step would be taken for a hang");
            QCOMPARE(session.status(), RunStatus::Queued);
            const std::string named = "hung because these ranks do not respond: " + std::to_string(run->rank) + ";";
            QVERIFY2(reason.find(named) != std::string::npos, reason.c_str());
            QVERIFY2(reason.find("Restart from the checkpoint of step") != std::string::npos, reason.c_str());
            const auto events = restartEvents(session.folder());
            QCOMPARE(events.size(), std::size_t(1));
            QCOMPARE(events[0].name, std::string("restart"));

            constexpr std::int64_t kLater = 700'000;  // the pause before the restart is skipped
            const auto until = [&](auto done) {
                return waitUntil(120, [&] {
                    (void)session.poll(now() + kLater);
                    return done();
                });
            };
            QVERIFY2(until([&] { return session.attempt() == 2 && session.lastStep() > run->step + 50; }),
                     reason.c_str());
            const auto attempts = store->attempts(session.id());
            QVERIFY(attempts && attempts->size() == 2);
            QVERIFY(attempts->back().resumeStep >= 50 && attempts->back().resumeStep % 50 == 0);
            QVERIFY(session.kill(now() + kLater));
            QVERIFY(until([&] { return session.done(); }));
        }
    }
};

SLIPWAY_TEST_FULL(TstHangFlowFull)
#include "tst_hang_flow.moc"
