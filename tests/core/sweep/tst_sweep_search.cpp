// The search of a sweep through the real agent and the fake trainer.
#include "tests/core/sweep/sweep_bench.h"

using namespace slipway;
using namespace slipway::test;

class TstSweepSearch : public QObject {
    Q_OBJECT

private slots:
    // Dropped after any tick and opened again, it runs the trials that it would have run.
    void aSearchRunsItsTrialsAndNamesTheRest() {
        const SweepFile file =
            searchOf({"a", "b", "c", "d", "e", "f"}, 4, R"({"search": {"method": "random", "trials": 3, "seed": 5}})");
        std::vector<Statuses> seen;
        for (const bool interrupted : {false, true}) {
            Bench bench;
            SweepId id;
            for (int restarts = 0; restarts < 40; ++restarts) {
                auto runner = bench.open(file);
                QVERIFY2(runner, runner ? "" : runner.error().text().c_str());
                id = runner->id();
                int ticks = 0;
                QVERIFY(Bench::drive(*runner, [&] { return interrupted && ++ticks > 2 + 3 * restarts; }));
                if (runner->complete()) break;
            }
            seen.push_back(bench.statuses(id));
            QCOMPARE(bench.numRuns(), 3);
            const auto result = loadSweepResult(*bench.store, id);
            QCOMPARE(result->count(TrialStatus::Completed), std::size_t{3});
            QCOMPARE(result->count(TrialStatus::Skipped), std::size_t{3});
            for (const TrialResult& trial : result->trials)
                QCOMPARE(trial.status == TrialStatus::Skipped,
                         QString::fromStdString(trial.reason).contains("Not tried: the search's 3 trials are used up"));
            QVERIFY(result->succeeded());
        }
        QCOMPARE(seen[0], seen[1]);
    }

    // Three begin, the fastest continues from its checkpoint to its end.
    void halvingContinuesTheBetterTrials() {
        Bench bench;
        const SweepFile file =
            searchOf({"a [ms=40]", "b [ms=15]", "c [ms=60]"}, 60,
                     R"({"search": {"method": "asha", "trials": 3, "rung_steps": 5, "reduction": 3}})");
        SweepId id;
        {
            auto runner = bench.open(file);
            QVERIFY(runner);
            id = runner->id();
            QVERIFY(Bench::drive(*runner, [&] { return runner->progress(unixMillisecondsNow()).completed == 1; }));
        }
        auto runner = bench.open(file);
        QVERIFY(runner && Bench::drive(*runner));
        const auto result = loadSweepResult(*bench.store, id);
        QCOMPARE(result->count(TrialStatus::Completed), std::size_t{3});
        for (const TrialResult& trial : result->trials) {
            const bool isBest = trial.name[0] == 'b';
            const auto run = bench.store->run(trial.run);
            QCOMPARE(run->lastStep == 60, isBest);
            QCOMPARE(run->attempts > 1, isBest);
            QCOMPARE(bench.store->series(trial.run, "loss")->size(), static_cast<std::size_t>(run->lastStep));
            QVERIFY2(isBest == trial.reason.empty(), trial.reason.c_str());
            if (!isBest) QVERIFY(QString::fromStdString(trial.reason).contains("rung of the search, after 5 of 60"));
        }
    }

    void theMedianRuleStopsWhatFallsBehind() {
        Bench bench;
        const SweepFile file =
            searchOf({"a [ms=5]", "b [ms=5]", "c [ms=5]", "d [ms=80]"}, 24,
                     R"({"stop": {"median_after_steps": 6}, "search": {"objective": "step_seconds"}})");
        auto runner = bench.open(file);
        QVERIFY(runner && Bench::drive(*runner));
        const auto result = loadSweepResult(*bench.store, runner->id());
        for (const TrialResult& trial : result->trials) {
            const QString reason = QString::fromStdString(trial.reason);
            QCOMPARE(trial.status, TrialStatus::Completed);
            if (trial.name[0] != 'd') continue;
            QVERIFY2(reason.contains("after 6 steps by the median rule: step_seconds 80") &&
                         reason.contains("of 3 other trials"),
                     qPrintable(reason));
            QVERIFY(bench.store->run(trial.run)->lastStep < 24);
        }
    }
};

SLIPWAY_TEST(TstSweepSearch)
#include "tst_sweep_search.moc"
