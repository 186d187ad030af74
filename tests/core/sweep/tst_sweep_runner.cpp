// Sweeps through the real agent and the fake trainer: to the end, interrupted, killed, stopped by rules.
#include "core/sweep/sweep_result.h"
#include "core/sweep/sweep_runner.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <set>

using namespace slipway;
using namespace slipway::test;

namespace {

/// A sweep whose trials are named by scripts of the fake trainer.
SweepFile sweepOf(const std::vector<std::string>& names, const std::string& stop = "{}") {
    Json file{{"schema", 1},
              {"name", "flow"},
              {"base", toJson(tinyConfig("", 10))},
              {"points", Json::array()},
              {"stop", Json::parse(stop)}};
    std::int64_t seed = 1;
    for (const std::string& name : names) file["points"].push_back({{"name", name}, {"train.seed", seed++}});
    Issues issues;
    SweepFile out = sweepFileFromJson(file, issues);
    if (!issues.empty()) qFatal("%s: %s", issues[0].field.c_str(), issues[0].message.c_str());
    return out;
}

struct Bench {
    RunHome at;
    std::optional<RunStore> store;

    Bench() {
        auto opened = RunStore::open(at.home, OpenMode::ReadWrite);
        if (!opened) qFatal("%s", opened.error().text().c_str());
        store.emplace(std::move(*opened));
    }
    Result<SweepRunner> open(const SweepFile& file, std::int64_t jobs = 1, bool again = false) {
        return SweepRunner::open(*store, at.home, at.programs, file, ClusterSpec{}, {jobs, again, "test"},
                                 unixMillisecondsNow());
    }
    /// Ticks until done, or until `until` says so.
    static bool drive(
        SweepRunner& runner, const std::function<bool()>& until = [] { return false; }) {
        return waitUntil(60, [&] {
            const auto events = runner.tick(unixMillisecondsNow());
            if (!events) qWarning("%s", events.error().text().c_str());
            return runner.done() || until();
        });
    }
    std::map<std::string, std::string> statuses(const SweepId& id) {
        std::map<std::string, std::string> out;
        const auto result = loadSweepResult(*store, id);
        if (!result) qFatal("%s", result.error().text().c_str());
        for (const TrialResult& trial : result->trials) out[trial.name] = wordOf(trial.status);
        return out;
    }
    std::int64_t numRuns() {
        const auto count = store->count({});
        return count ? count->total : -1;
    }
};

using Statuses = std::map<std::string, std::string>;

}  // namespace

class TstSweepRunner : public QObject {
    Q_OBJECT

private slots:
    void runsToTheEnd() {
        Bench bench;
        const SweepFile file = sweepOf({"a", "b", "c"});
        auto runner = bench.open(file);
        QVERIFY2(runner, runner ? "" : runner.error().text().c_str());
        QVERIFY(!runner->wasComplete());
        QVERIFY(Bench::drive(*runner));
        QCOMPARE(bench.statuses(runner->id()), (Statuses{{"a", "completed"}, {"b", "completed"}, {"c", "completed"}}));
        const auto result = loadSweepResult(*bench.store, runner->id());
        QVERIFY(result->succeeded());
        QCOMPARE(QString::fromStdString(result->status), QString("completed"));
        for (const TrialResult& trial : result->trials) {
            QCOMPARE(*trial.measured.numSteps, 10.0);
            QVERIFY(trial.measured.finalLoss.has_value());
        }
        QCOMPARE(toJson(*result)["trials"][0]["measured"]["final_loss"].is_number(), true);
    }

    void completeIsShownAndAgainRunsAnew() {
        Bench bench;
        const SweepFile file = sweepOf({"a"});
        SweepId first;
        {
            auto runner = bench.open(file);
            QVERIFY(runner && Bench::drive(*runner));
            first = runner->id();
        }
        {
            auto runner = bench.open(file);
            QVERIFY(runner->wasComplete() && runner->done());
            QCOMPARE(QString::fromStdString(runner->id().value), QString::fromStdString(first.value));
        }
        QCOMPARE(bench.numRuns(), 1);
        auto runner = bench.open(file, 1, true);
        QVERIFY(runner->id() != first);
        QVERIFY(Bench::drive(*runner));
        QCOMPARE(bench.numRuns(), 2);
    }

    void lockRefusesASecondRunner() {
        Bench bench;
        const SweepFile file = sweepOf({"a"});
        auto runner = bench.open(file);
        QVERIFY(runner);
        const auto second = bench.open(file);
        QVERIFY(!second);
        QCOMPARE(QString::fromStdString(second.error().code), QString("sweep_running"));
        QVERIFY(bench.open(sweepOf({"other"})));
    }

    void failuresAreKeptAndTheRestGoesOn() {
        Bench bench;
        auto runner = bench.open(sweepOf({"good", "bad [crash@4]", "fine"}));
        QVERIFY(runner && Bench::drive(*runner));
        QCOMPARE(bench.statuses(runner->id()),
                 (Statuses{{"good", "completed"}, {"bad [crash@4]", "failed"}, {"fine", "completed"}}));
        const auto result = loadSweepResult(*bench.store, runner->id());
        QCOMPARE(QString::fromStdString(result->status), QString("failed"));
        QVERIFY(QString::fromStdString(result->trials[1].reason).contains("signal 6"));
    }

    void severalAtATime() {
        Bench bench;
        auto runner = bench.open(sweepOf({"a [ms=30]", "b [ms=30]", "c [ms=30]"}), 2);
        QVERIFY(runner);
        std::size_t most = 0;
        QVERIFY(Bench::drive(*runner, [&] {
            most = std::max(most, runner->progress(unixMillisecondsNow()).running.size());
            return false;
        }));
        QCOMPARE(most, std::size_t{2});
        QVERIFY(runner->complete());
    }

    // Killed between any two actions: the runner is dropped without a word, the runs live on; the next one goes on.
    void interruptedItFinishesExactlyWhatIsMissing() {
        Bench bench;
        const SweepFile file = sweepOf({"a [ms=20]", "b [ms=20]", "c [ms=20]", "d"});
        SweepId id;
        int restarts = 0;
        for (; restarts < 40; ++restarts) {
            auto runner = bench.open(file);
            QVERIFY2(runner, runner ? "" : runner.error().text().c_str());
            if (restarts == 0) id = runner->id();
            QVERIFY(runner->id() == id);
            int ticks = 0;
            QVERIFY(Bench::drive(*runner, [&] { return ++ticks > 3 + restarts * 4; }));
            if (runner->complete()) break;
        }
        QVERIFY(restarts > 1);
        QCOMPARE(bench.statuses(id), (Statuses{{"a [ms=20]", "completed"},
                                               {"b [ms=20]", "completed"},
                                               {"c [ms=20]", "completed"},
                                               {"d", "completed"}}));
        QCOMPARE(bench.numRuns(), 4);
        const auto result = loadSweepResult(*bench.store, id);
        for (const TrialResult& trial : result->trials) {
            const auto loss = bench.store->series(trial.run, "loss");
            QCOMPARE(loss->size(), std::size_t{10});
            QCOMPARE(bench.store->attempts(trial.run)->size(), std::size_t{1});
        }
    }

    void pauseLetsFinishAndStopEnds() {
        Bench bench;
        const SweepFile file = sweepOf({"a [ms=20]", "b [ms=100]", "c"});
        SweepId id;
        {
            auto runner = bench.open(file);
            QVERIFY(runner);
            id = runner->id();
            QVERIFY(Bench::drive(*runner, [&] { return !runner->progress(unixMillisecondsNow()).running.empty(); }));
            runner->pause();
            QVERIFY(Bench::drive(*runner));
            QCOMPARE(bench.statuses(id),
                     (Statuses{{"a [ms=20]", "completed"}, {"b [ms=100]", "planned"}, {"c", "planned"}}));
            QCOMPARE(QString::fromStdString(bench.store->sweep(id)->status), QString("paused"));
        }
        {
            auto runner = bench.open(file);
            QVERIFY(Bench::drive(*runner, [&] {
                const auto running = runner->progress(unixMillisecondsNow()).running;
                return !running.empty() && running[0].step >= 2;
            }));
            runner->stop(unixMillisecondsNow());
            QVERIFY(Bench::drive(*runner));
            QCOMPARE(bench.statuses(id),
                     (Statuses{{"a [ms=20]", "completed"}, {"b [ms=100]", "cancelled"}, {"c", "planned"}}));
        }
        auto runner = bench.open(file);
        QVERIFY(Bench::drive(*runner));
        QCOMPARE(bench.statuses(id),
                 (Statuses{{"a [ms=20]", "completed"}, {"b [ms=100]", "completed"}, {"c", "completed"}}));
        QCOMPARE(bench.numRuns(), 3);
    }

    void stopRules_data() {
        QTest::addColumn<QString>("stop");
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("status");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("next");
        QTest::newRow("steps") << R"({"steps": 4})"
                               << "[ms=100]"
                               << "completed"
                               << "after 4 steps"
                               << "completed";
        QTest::newRow("seconds of a trial") << R"({"seconds_per_trial": 0.5})"
                                            << "[ms=200]"
                                            << "failed"
                                            << "longer than 0.5 s"
                                            << "completed";
        QTest::newRow("failures") << R"({"failures": 1})"
                                  << "[exit@3=10]"
                                  << "failed"
                                  << "bad config"
                                  << "skipped";
        QTest::newRow("budget") << R"({"seconds": 0.2})"
                                << "[ms=50]"
                                << "completed"
                                << ""
                                << "skipped";
    }
    void stopRules() {
        QFETCH(QString, stop);
        QFETCH(QString, script);
        QFETCH(QString, status);
        QFETCH(QString, reason);
        QFETCH(QString, next);
        Bench bench;
        auto runner = bench.open(sweepOf({script.toStdString(), "next"}, stop.toStdString()));
        QVERIFY(runner && Bench::drive(*runner));
        const auto result = loadSweepResult(*bench.store, runner->id());
        QCOMPARE(QString::fromStdString(wordOf(result->trials[0].status)), status);
        QVERIFY2(QString::fromStdString(result->trials[0].reason).contains(reason), result->trials[0].reason.c_str());
        QCOMPARE(QString::fromStdString(wordOf(result->trials[1].status)), next);
    }
};

SLIPWAY_TEST(TstSweepRunner)
#include "tst_sweep_runner.moc"
