// Sweeps through the real agent and the fake trainer: to the end, interrupted, killed, stopped by rules.
#include "core/base/units.h"
#include "core/spec/agent_files.h"
#include "tests/core/sweep/sweep_bench.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

using namespace slipway;
using namespace slipway::test;

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

    // A trial's start and end wake whoever waits: no interval lies between two trials.
    void newsWakeTheLoop() {
        Bench bench;
        auto runner = bench.open(sweepOf({"a [ms=30]", "b [ms=30]", "c [ms=30]"}));
        QVERIFY(runner);
        int ticks = 0, waits = 0;
        for (; ticks < 40 && !runner->done(); ++ticks) {
            QVERIFY(runner->tick(unixMillisecondsNow()));
            std::vector<pollfd> fds;
            for (const int fd : runner->newsFds()) fds.push_back({fd, POLLIN, 0});
            if (fds.empty()) {
                ::usleep(5000);
                continue;
            }
            ++waits;
            QVERIFY(::poll(fds.data(), fds.size(), 60000) == 1);
        }
        QVERIFY2(runner->complete() && ticks <= 9, qPrintable(QString::number(ticks)));
        QVERIFY(waits >= 6);
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

    // Its run has the trial's reason: left as planned, it is lost for the next program that looks, and the failure with it.
    void whatCannotStartIsAFailedRun() {
        Bench bench;
        const SweepFile file =
            searchOf({}, 10, R"({"points": [{"name": "good"}, {"name": "bad", "data.tokens": "/nonexistent/x.bin"}]})");
        for (const std::vector<std::string>& retry : {std::vector<std::string>(), {"failed"}}) {
            auto runner = bench.open(file, 1, false, retry);
            QVERIFY(runner && Bench::drive(*runner));
            QCOMPARE(bench.statuses(runner->id()), (Statuses{{"good", "completed"}, {"bad", "failed"}}));
            const auto result = loadSweepResult(*bench.store, runner->id());
            const auto run = bench.store->run(result->trials[1].run);
            QCOMPARE(run->status, RunStatus::Failed);
            QVERIFY(QString::fromStdString(run->reason).contains("/nonexistent/x.bin does not exist"));
            QVERIFY(run->endedUnixMilliseconds.has_value());
            RunChange found;  // as versions before 0.17 left it
            found.status = RunStatus::Lost;
            QVERIFY(bench.store->updateRun(run->id, found));
            QCOMPARE(bench.statuses(runner->id()), (Statuses{{"good", "completed"}, {"bad", "failed"}}));
            found.status = RunStatus::Failed;
            QVERIFY(bench.store->updateRun(run->id, found));
        }
        QCOMPARE(bench.numRuns(), 2);
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

    // By the files of control/, as the window asks.
    void requestsFromOutside() {
        Bench bench;
        const SweepFile file = sweepOf({"a [ms=20]", "b [ms=100]", "c"});
        SweepId id;
        {
            auto runner = bench.open(file);
            QVERIFY(runner);
            id = runner->id();
            const std::string identity = bench.store->sweep(id)->identity;
            QVERIFY(isSweepDriven(bench.at.home, identity));
            QVERIFY(Bench::drive(*runner, [&] { return !runner->progress(unixMillisecondsNow()).running.empty(); }));
            QVERIFY(requestSweep(bench.at.home, id, SweepRequest::Pause));
            QVERIFY(Bench::drive(*runner));
            QVERIFY(runner->pausedFromOutside());
            QCOMPARE(bench.statuses(id),
                     (Statuses{{"a [ms=20]", "completed"}, {"b [ms=100]", "planned"}, {"c", "planned"}}));
            // Taken back in time, the same runner continues.
            QVERIFY(withdrawRequests(bench.at.home, id));
            QVERIFY(Bench::drive(*runner, [&] {
                const auto running = runner->progress(unixMillisecondsNow()).running;
                return !running.empty() && running[0].step >= 2;
            }));
            QVERIFY(requestSweep(bench.at.home, id, SweepRequest::Stop));
            QVERIFY(Bench::drive(*runner));
            QCOMPARE(bench.statuses(id),
                     (Statuses{{"a [ms=20]", "completed"}, {"b [ms=100]", "cancelled"}, {"c", "planned"}}));
            QVERIFY(withdrawRequests(bench.at.home, id));
            QVERIFY(Bench::drive(*runner, [&] { return !runner->progress(unixMillisecondsNow()).running.empty(); }));
            QVERIFY(requestSweep(bench.at.home, id, SweepRequest::Pause));
            QVERIFY(Bench::drive(*runner));
            QCOMPARE(QString::fromStdString(bench.store->sweep(id)->status), QString("paused"));
        }
        QVERIFY(!isSweepDriven(bench.at.home, bench.store->sweep(id)->identity));
        // Started by its id, without the file; the old request does not hold it up.
        const auto stored = storedSweepFile(*bench.store, id, "test");
        QVERIFY2(stored, stored ? "" : stored.error().text().c_str());
        auto runner = bench.open(*stored);
        QVERIFY(runner && runner->id() == id && Bench::drive(*runner));
        QCOMPARE(bench.statuses(id),
                 (Statuses{{"a [ms=20]", "completed"}, {"b [ms=100]", "completed"}, {"c", "completed"}}));
        QCOMPARE(bench.numRuns(), 3);
        const auto other = storedSweepFile(*bench.store, id, "another version");
        QCOMPARE(QString::fromStdString(other.error().code), QString("trainer_changed"));
    }

    void retryFromOutside() {
        Bench bench;
        const SweepFile file = sweepOf({"bad [crash@4]", "slow [ms=100]"});
        auto runner = bench.open(file);
        QVERIFY(runner && Bench::drive(*runner, [&] {
                    const auto progress = runner->progress(unixMillisecondsNow());
                    return progress.failed == 1 && !progress.running.empty();
                }));
        const SweepId id = runner->id();
        bench.mend(loadSweepResult(*bench.store, id)->trials[0]);
        QVERIFY(requestRetry(bench.at.home, id, {"failed", "nonsense"}));
        QVERIFY(Bench::drive(*runner));
        QCOMPARE(bench.statuses(id), (Statuses{{"bad [crash@4]", "completed"}, {"slow [ms=100]", "completed"}}));
        QCOMPARE(bench.numRuns(), 2);
    }

    void resumeOfAFailedRunMendsTheSweep() {
        Bench bench;
        const SweepFile file = sweepOf({"good", "bad [crash@4]"});
        SweepId id;
        {
            auto runner = bench.open(file);
            QVERIFY(runner && Bench::drive(*runner));
            id = runner->id();
        }
        const auto before = loadSweepResult(*bench.store, id);
        QVERIFY(!before->succeeded());
        bench.mend(before->trials[1]);
        auto session = RunSession::attach(*bench.store, bench.at.home, before->trials[1].run, unixMillisecondsNow(),
                                          bench.at.programs);
        QVERIFY(session && session->resume(unixMillisecondsNow()));
        const auto during = loadSweepResult(*bench.store, id);
        QCOMPARE(QString::fromStdString(during->status), QString("running"));
        QVERIFY(RunHome::finish(*session, 60));
        const auto after = loadSweepResult(*bench.store, id);
        QVERIFY(after->succeeded() && after->trials[1].reason.empty());
        QCOMPARE(QString::fromStdString(after->status), QString("completed"));
        QCOMPARE(*after->trials[1].measured.numSteps, 10.0);
        const auto runner = bench.open(file);
        QVERIFY(runner && runner->wasComplete());
        QCOMPARE(QString::fromStdString(bench.store->sweep(id)->status), QString("completed"));
        QCOMPARE(QString::fromStdString(bench.store->trials(id)->at(1).status), QString("completed"));
    }

    void killedTrialsAreTriedAgain() {
        Bench bench;
        auto runner = bench.open(sweepOf({"twice [kill@3=2]", "always [kill@3]"}));
        QVERIFY(runner);
        QString said;
        QVERIFY(waitUntil(60, [&] {
            const auto events = runner->tick(unixMillisecondsNow());
            for (const SweepEvent& event : *events)
                if (event.kind == SweepEvent::Kind::Problem) said += QString::fromStdString(event.text) + '\n';
            return runner->done();
        }));
        const auto result = loadSweepResult(*bench.store, runner->id());
        QCOMPARE(wordOf(result->trials[0].status), std::string("completed"));
        QCOMPARE(bench.store->run(result->trials[0].run)->attempts, 3);
        QCOMPARE(wordOf(result->trials[1].status), std::string("failed"));
        QCOMPARE(bench.store->run(result->trials[1].run)->attempts, 4);
        QVERIFY2(said.contains("signal 9") && said.contains("2 of 3 times") && said.contains("3 of 3 times"),
                 qPrintable(said));
        QCOMPARE(said.count("1 of 3 times"), 2);
    }

    // Its agent is killed: nobody recorded its end.
    void lostTrialsAreTriedAgain() {
        Bench bench;
        auto runner = bench.open(sweepOf({"lost [ms=100]"}));
        QVERIFY(runner);
        QString said;
        bool isKilled = false;
        QVERIFY(waitUntil(60, [&] {
            const auto events = runner->tick(unixMillisecondsNow());
            if (!events) qWarning("%s", events.error().text().c_str());
            for (const SweepEvent& event : *events)
                if (event.kind == SweepEvent::Kind::Problem) said += QString::fromStdString(event.text) + '\n';
            const auto running = runner->progress(unixMillisecondsNow()).running;
            if (!isKilled && !running.empty() && running[0].step >= 2) {
                const RunId run = loadSweepResult(*bench.store, runner->id())->trials[0].run;
                const auto text = readFile(bench.at.home.run(run)->agentFolder("local") / "id.json");
                const auto agent = text ? parseAgentId(*text, "id") : Result<AgentId>(fail(text.error()));
                isKilled = agent && ::kill(static_cast<pid_t>(agent->pid), SIGKILL) == 0;
            }
            return runner->done();
        }));
        QVERIFY(isKilled);
        const auto result = loadSweepResult(*bench.store, runner->id());
        QVERIFY2(wordOf(result->trials[0].status) == std::string("completed"), qPrintable(said));
        QCOMPARE(bench.store->run(result->trials[0].run)->attempts, 2);
        QVERIFY2(said.contains("It was lost and is tried again, 1 of 3 times."), qPrintable(said));
    }

    void outOfMemoryIsAnAnswer() {
        Bench bench;
        auto runner = bench.open(sweepOf({"big [exit@3=11]", "small"}, R"({"failures": 1})"));
        QVERIFY(runner && Bench::drive(*runner));
        const auto result = loadSweepResult(*bench.store, runner->id());
        QCOMPARE(wordOf(result->trials[0].status), std::string("infeasible"));
        const QString reason = QString::fromStdString(result->trials[0].reason);
        QVERIFY2(reason.contains("out of memory") &&
                     reason.contains(QString::fromStdString("its peak was " + formatBytes(1e6))),
                 qPrintable(reason));
        QCOMPARE(wordOf(result->trials[1].status), std::string("completed"));
        QVERIFY(result->succeeded());
    }

    void aFullDiskPauses() {
        Bench bench;
        const SweepFile file = sweepOf({"full [exit@3=15]", "next"});
        SweepId id;
        {
            auto runner = bench.open(file);
            QVERIFY(runner && Bench::drive(*runner));
            id = runner->id();
        }
        QCOMPARE(bench.statuses(id), (Statuses{{"full [exit@3=15]", "cancelled"}, {"next", "planned"}}));
        QCOMPARE(QString::fromStdString(bench.store->sweep(id)->status), QString("paused"));
        const auto result = loadSweepResult(*bench.store, id);
        QVERIFY(QString::fromStdString(result->trials[0].reason).contains("disk full"));
        bench.mend(result->trials[0]);
        auto runner = bench.open(file);
        QVERIFY(runner && Bench::drive(*runner));
        QCOMPARE(bench.statuses(id), (Statuses{{"full [exit@3=15]", "completed"}, {"next", "completed"}}));
        QCOMPARE(bench.numRuns(), 2);
    }

    void retries_data() {
        QTest::addColumn<QString>("retry");
        QTest::addColumn<QString>("crashed");
        QTest::addColumn<QString>("killed");
        QTest::addColumn<QString>("leftOut");
        QTest::newRow("none") << ""
                              << "failed"
                              << "failed"
                              << "skipped";
        QTest::newRow("failed") << "failed"
                                << "completed"
                                << "completed"
                                << "completed";
        QTest::newRow("killed") << "killed"
                                << "failed"
                                << "completed"
                                << "completed";
        QTest::newRow("lost") << "lost"
                              << "failed"
                              << "failed"
                              << "skipped";
        QTest::newRow("two") << "lost,killed"
                             << "failed"
                             << "completed"
                             << "completed";
    }
    void retries() {
        QFETCH(QString, retry);
        QFETCH(QString, crashed);
        QFETCH(QString, killed);
        QFETCH(QString, leftOut);
        Bench bench;
        const SweepFile file = sweepOf({"crash [crash@2]", "kill [exit@2=137]", "left out"}, R"({"failures": 2})");
        SweepId id;
        {
            auto runner = bench.open(file);
            QVERIFY(runner && Bench::drive(*runner));
            id = runner->id();
        }
        const auto before = loadSweepResult(*bench.store, id);
        for (std::size_t i = 0; i < 2; ++i) bench.mend(before->trials[i]);
        std::vector<std::string> reasons;
        for (const QString& reason : retry.split(',', Qt::SkipEmptyParts)) reasons.push_back(reason.toStdString());
        auto runner = bench.open(file, 1, false, reasons);
        QVERIFY(runner && Bench::drive(*runner));
        QVERIFY(runner->id() == id);
        QCOMPARE(bench.statuses(id), (Statuses{{"crash [crash@2]", crashed.toStdString()},
                                               {"kill [exit@2=137]", killed.toStdString()},
                                               {"left out", leftOut.toStdString()}}));
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
