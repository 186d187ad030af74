// A run from launch to its end, through the real agent and the fake trainer.
#include "core/base/file.h"
#include "core/process/proc_facts.h"
#include "core/run/run_actions.h"
#include "core/run/run_session.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <signal.h>

#include <QRegularExpression>
#include <algorithm>
#include <filesystem>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

std::int64_t now() {
    return unixMillisecondsNow();
}

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

/// A session on a new attempt of a run that ended.
Result<RunSession> resumed(RunStore& store, const RunHome& at, const RunId& id) {
    auto session = RunSession::attach(store, at.home, id, now(), at.programs);
    if (!session) return session;
    if (const auto begun = session->resume(now()); !begun) return fail(begun.error());
    return session;
}

}  // namespace

class TstRunFlow : public QObject {
    Q_OBJECT

private slots:
    void endsAsScripted_data() {
        QTest::addColumn<QString>("script");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("status");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<int>("points");
        QTest::addColumn<QString>("reason");  // regular expression
        QTest::newRow("normal") << "" << 1 << "completed" << 0 << 20 << "^$";
        QTest::newRow("two ranks") << "" << 2 << "completed" << 0 << 20 << "^$";
        QTest::newRow("crash") << "crash@8" << 1 << "failed" << 134 << 7
                               << "^Rank 0 after step 7: .*\\(signal 6\\).*crash asked for";
        QTest::newRow("crash of rank 1") << "crash@8:1,ms=20" << 2 << "failed" << 134 << -1
                                         << "^Rank 1 after step \\d+: .*\\(signal 6\\)";
        QTest::newRow("nan") << "nan@5" << 1 << "failed" << 13 << 5 << "after step 5: non-finite loss";
        QTest::newRow("bad exit code") << "exit@3=10" << 1 << "failed" << 10 << 2 << "bad config";
        QTest::newRow("half a line") << "half@6" << 1 << "failed" << 134 << 5 << "after step 5";
        QTest::newRow("communication error")
            << "error@4:1,ms=20" << 2 << "failed" << 12 << -1
            << "^Rank 1 after step \\d+: communication failure.*the peer closed the connection \\(all_reduce in group dp\\)";
        QTest::newRow("port taken at first") << "port" << 2 << "completed" << 0 << 20 << "^$";
        QTest::newRow("leaves a process behind") << "orphan" << 1 << "completed" << 0 << 20 << "^$";
    }
    void endsAsScripted() {
        QFETCH(QString, script);
        QFETCH(int, ranks);
        QFETCH(int, points);
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        QVERIFY(store);
        auto session = RunSession::create(*store, at.home,
                                          {.config = tinyConfig("flow [" + script.toStdString() + "]", 20, ranks)},
                                          now(), at.programs);
        QVERIFY2(session, session ? "" : session.error().text().c_str());
        const auto launched = session->launch(now());
        QVERIFY2(launched, launched ? "" : launched.error().text().c_str());
        QVERIFY(RunHome::finish(*session, 120));
        QTEST(text(wordOf(session->status())), "status");
        QFETCH(QString, reason);
        QVERIFY2(QRegularExpression(reason).match(text(session->reason())).hasMatch(), session->reason().c_str());
        const auto record = store->run(session->id());
        QVERIFY(record);
        QCOMPARE(text(wordOf(record->status)), text(wordOf(session->status())));
        QTEST(*record->exitCode, "exitCode");
        const auto loss = store->series(session->id(), "loss");
        QVERIFY(loss);
        if (points >= 0) QCOMPARE(static_cast<int>(loss->size()), points);
        if (points == 20) QCOMPARE(*record->measured.numSteps, 20.0);
        // Nothing of the run is left, whatever it started.
        const auto plan = readFile(session->folder().launch());
        QVERIFY(plan);
        if (script == "orphan") {
            const auto log = readFile(session->folder().agentFolder("local") / "agent.log");
            QVERIFY(log && log->find("which a rank left behind") != std::string::npos);
        }
    }

    // The plan's device has less memory than the run says it used, and less speed: either is wrong.
    void impossibleMeasurementsAreLeftOut() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        ClusterSpec slow;
        slow.device.memoryBytes = 1e5;  // the stand-in says 1e6
        slow.device.peakFp32Flops = 1;
        auto session =
            RunSession::create(*store, at.home, {.config = tinyConfig("flow"), .cluster = slow}, now(), at.programs);
        QVERIFY(session && session->launch(now()));
        std::vector<RunEvent> events;
        QVERIFY(RunHome::finish(*session, 120, &events));
        std::erase_if(events, [](const RunEvent& event) { return event.name != "bad_measurement"; });
        QCOMPARE(events.size(), std::size_t{2});
        QVERIFY2(text(events[0].text).contains("MFU exceeds 100 %"), events[0].text.c_str());
        QVERIFY2(text(events[1].text).contains("memory peak of 976.6"), events[1].text.c_str());
        const auto record = store->run(session->id());
        QVERIFY(record && !record->measured.memoryPeakBytes && !record->measured.mfu);
        QVERIFY(record->measured.stepSeconds && record->measured.finalLoss);
        QCOMPARE(store->series(session->id(), "memory_peak_bytes")->size(), std::size_t{20});  // the points are kept
    }

    void endsOnRequestWhenItHangs() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        auto session =
            RunSession::create(*store, at.home, {.config = tinyConfig("flow [hang@6,deaf]")}, now(), at.programs);
        QVERIFY(session && session->launch(now()));
        QVERIFY(waitUntil(120, [&] { return !session->poll(now()).empty() && session->lastStep() == 5; }));
        QVERIFY(session->kill(now()));
        QVERIFY(RunHome::finish(*session, 120));
        QCOMPARE(text(wordOf(session->status())), QString("cancelled"));
    }

    void stopsAtTheFile() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        auto session =
            RunSession::create(*store, at.home, {.config = tinyConfig("flow [ms=10]", 10000, 2)}, now(), at.programs);
        QVERIFY(session && session->launch(now()));
        QVERIFY(waitUntil(120, [&] {
            (void)session->poll(now());
            return session->lastStep() > 3;
        }));
        auto other = RunSession::attach(*store, at.home, session->id(), now(), at.programs);
        QVERIFY(other && other->stop(now()));
        QVERIFY(RunHome::finish(*session, 120));
        QCOMPARE(session->status(), RunStatus::Cancelled);
        QVERIFY2(session->reason().find("Stopped on request") == 0, session->reason().c_str());
        const std::int64_t stoppedAt = session->lastStep();
        QVERIFY(std::filesystem::exists(session->folder().checkpoint(stoppedAt) / "manifest.json"));

        // Resumed, it goes on after the checkpoint, and no step is there twice.
        auto again = resumed(*store, at, session->id());
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QVERIFY(waitUntil(120, [&] {
            (void)again->poll(now());
            return again->lastStep() > stoppedAt + 3;
        }));
        QCOMPARE(again->attempt(), 2);
        const auto refused = again->resume(now());
        QVERIFY(!refused);
        QCOMPARE(text(refused.error().code), QString("still_running"));
        QVERIFY(again->kill(now()));
        QVERIFY(RunHome::finish(*again, 120));
        QCOMPARE(again->status(), RunStatus::Cancelled);
        const auto loss = store->series(session->id(), "loss");
        QVERIFY(loss);
        for (std::size_t i = 0; i < loss->size(); ++i) QCOMPARE(loss->steps[i], static_cast<std::int64_t>(i + 1));
    }

    void isFollowedAgainByAnotherSession() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        RunId id;
        {
            auto first =
                RunSession::create(*store, at.home, {.config = tinyConfig("flow [wait@30]", 60)}, now(), at.programs);
            QVERIFY(first && first->launch(now()));
            QVERIFY(waitUntil(120, [&] {
                (void)first->poll(now());
                return first->lastStep() > 3;
            }));
            id = first->id();
        }
        auto second = RunSession::attach(*store, at.home, id, now(), at.programs);
        QVERIFY(second);
        QCOMPARE(second->status(), RunStatus::Running);
        QVERIFY(writeFileAtomically(second->folder().path / "control" / "go", ""));
        QVERIFY(RunHome::finish(*second, 120));
        QCOMPARE(second->status(), RunStatus::Completed);
        QCOMPARE(store->series(id, "loss")->size(), std::size_t(60));
    }

    // The answer that the agent is there may come after the first points: the index never shows points of a queued run.
    void runsWithItsFirstPoint() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        auto session =
            RunSession::create(*store, at.home, {.config = tinyConfig("flow [ms=10]", 10000)}, now(), at.programs);
        QVERIFY(session && session->launch(now()));
        const auto identity = session->folder().agentFolder("local") / "id.json";
        QVERIFY(waitUntil(120, [&] {
            const auto bytes = readFile(session->folder().metrics());
            return bytes && bytes->find("\"kind\":\"step\"") != std::string::npos && std::filesystem::exists(identity);
        }));
        std::filesystem::rename(identity, identity.string() + ".hidden");
        QVERIFY(waitUntil(120, [&] {
            (void)session->poll(now());
            return session->lastStep() > 0;
        }));
        const RunStatus shown = store->run(session->id())->status;
        std::filesystem::rename(identity.string() + ".hidden", identity);
        QCOMPARE(shown, RunStatus::Running);
        QVERIFY(session->kill(now()));
        QVERIFY(RunHome::finish(*session, 120));
    }

    // A program that looks once and ends (`slipway runs`) must not show what was true when somebody last looked.
    void isBroughtUpToDateByALook() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        std::filesystem::path exitFile;
        RunId id;
        {
            auto session = RunSession::create(*store, at.home, {.config = tinyConfig("flow")}, now(), at.programs);
            QVERIFY(session && session->launch(now()));
            id = session->id();
            exitFile = session->folder().agentFolder("local") / "exit.json";
        }
        QVERIFY(waitUntil(120, [&] { return std::filesystem::exists(exitFile); }));
        QCOMPARE(store->run(id)->status, RunStatus::Queued);
        QVERIFY(refreshOpenRuns(*store, at.home, now(), at.programs));
        QCOMPARE(store->run(id)->status, RunStatus::Completed);
        QCOMPARE(store->series(id, "loss")->size(), std::size_t(20));
    }

    void twoFollowersStoreEachPointOnce() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        auto other = RunStore::open(at.home, OpenMode::ReadWrite);
        auto first = RunSession::create(*store, at.home, {.config = tinyConfig("flow", 50)}, now(), at.programs);
        QVERIFY(first && first->launch(now()));
        auto second = RunSession::attach(*other, at.home, first->id(), now(), at.programs);
        QVERIFY(second);
        QVERIFY(waitUntil(120, [&] {
            (void)first->poll(now());
            (void)second->poll(now());
            return first->done() && second->done();
        }));
        QCOMPARE(first->status(), RunStatus::Completed);
        QCOMPARE(second->status(), RunStatus::Completed);
        QCOMPARE(store->series(first->id(), "loss")->size(), std::size_t(50));
    }

    // Whatever the index says: two attempts never write to one folder.
    void startsNoAttemptBesideALivingOne() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        auto session =
            RunSession::create(*store, at.home, {.config = tinyConfig("flow [ms=10]", 10000)}, now(), at.programs);
        QVERIFY(session && session->launch(now()));
        QVERIFY(waitUntil(120, [&] {
            (void)session->poll(now());
            return session->lastStep() > 3;
        }));
        for (const RunStatus forged : {RunStatus::Cancelled, RunStatus::Failed, RunStatus::Lost}) {
            RunChange change;
            change.status = forged;
            QVERIFY(store->updateRun(session->id(), change));
            const auto again = resumed(*store, at, session->id());
            QVERIFY2(!again, wordOf(forged).c_str());
            QCOMPARE(text(again.error().code), QString("still_running"));
        }
        QCOMPARE(store->run(session->id())->status, RunStatus::Running);  // the lost one was found again
        QVERIFY(session->kill(now()));
        QVERIFY(RunHome::finish(*session, 120));
    }

    void isLostWhenItsAgentIsKilled() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        auto session =
            RunSession::create(*store, at.home, {.config = tinyConfig("flow [ms=10]", 10000, 2)}, now(), at.programs);
        QVERIFY(session && session->launch(now()));
        QVERIFY(waitUntil(120, [&] {
            (void)session->poll(now());
            return session->lastStep() > 3;
        }));
        // On a slow disk the ranks train before the agent's file is written.
        const auto file = session->folder().agentFolder("local") / "id.json";
        QVERIFY(waitUntil(120, [&] { return std::filesystem::exists(file); }));
        const auto id = readFile(file).and_then([](const std::string& text) { return parseAgentId(text, "id"); });
        QVERIFY(id);
        ::kill(static_cast<pid_t>(id->pid), SIGKILL);
        QVERIFY(RunHome::finish(*session, 120));
        QCOMPARE(session->status(), RunStatus::Lost);
        const auto ranks = session->heartbeats().front().ranks;
        QCOMPARE(ranks.size(), std::size_t(2));
        for (const RankState& rank : ranks)
            QVERIFY(waitUntil(120, [&] { return ::kill(static_cast<pid_t>(rank.pid), 0) != 0; }));
    }

    // Index, run folder and checkpoints on a disk that fills up: the run stops and says why; once there is room again
    // every point that was written is in the index.
    void losesNothingOnAFullDisk() {
        const SmallDisk disk("48m");
        if (!disk.mounted()) QSKIP("mounting a small tmpfs needs root");
        RunHome at;
        const Home home{disk.path() / "home"};
        std::filesystem::create_directories(home.path);
        std::filesystem::copy(at.home.corpora(), home.corpora());
        auto store = RunStore::open(home, OpenMode::ReadWrite);
        QVERIFY(store);
        RunRequest request;
        request.config = tinyConfig("flow [ms=10]", 100000);
        request.config.checkpoint.everySteps = 5;
        auto session = RunSession::create(*store, home, request, now(), at.programs);
        QVERIFY(session);
        QVERIFY(session->launch(now()));
        QVERIFY(waitUntil(120, [&] {
            (void)session->poll(now());
            return session->lastStep() > 3;
        }));
        const auto filler = disk.path() / "filler";
        auto file = AppendFile::open(filler);
        QVERIFY(file);
        const std::string large(1 << 20, 'x'), small(4096, 'x');
        while (file->append(large)) {
        }
        std::vector<RunEvent> events;
        const auto exitFile = session->folder().agentFolder("local") / "exit.json";
        QVERIFY(waitUntil(120, [&] {
            while (file->append(small)) {
            }
            for (RunEvent& event : session->poll(now())) events.push_back(std::move(event));
            return std::filesystem::exists(exitFile);
        }));
        for (int i = 0; i < 20; ++i)
            for (RunEvent& event : session->poll(now())) events.push_back(std::move(event));
        QVERIFY(
            std::any_of(events.begin(), events.end(),
                        [](const RunEvent& e) { return e.kind == RunEvent::Kind::Problem && e.name == "disk_full"; }) ||
            session->done());
        *file = AppendFile();
        std::filesystem::remove(filler);
        QVERIFY(RunHome::finish(*session, 120));
        QCOMPARE(session->status(), RunStatus::Failed);
        QVERIFY2(session->reason().find("disk full") != std::string::npos, session->reason().c_str());
        const std::string stream = *readFile(session->folder().metrics());
        std::size_t written = 0;
        for (std::size_t i = stream.find("\"kind\":\"step\""); i != std::string::npos;
             i = stream.find("\"kind\":\"step\"", i + 1))
            ++written;
        QCOMPARE(store->series(session->id(), "loss")->size(), written);
        QVERIFY(written > 3);
    }

    void aLiveRunWithoutItsFolderCanBeStopped() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        auto session = RunSession::create(*store, at.home, {.config = tinyConfig("deleted [ms=20]", 5000)},
                                          unixMillisecondsNow(), at.programs);
        QVERIFY(session && session->launch(unixMillisecondsNow()));
        QVERIFY(waitUntil(30, [&] {
            (void)session->poll(unixMillisecondsNow());
            return session->lastStep() > 3;
        }));
        fs::remove_all(session->folder().path);
        const std::vector<std::string> marks = {"SLIPWAY_RUN_ID=" + session->id().value};
        QVERIFY(!processesWithEnvironment(marks).empty());
        QVERIFY(endRunWithoutFolder(session->id(), false) > 0);
        QVERIFY(waitUntil(20, [&] { return processesWithEnvironment(marks).empty(); }));
    }

    // The row is gone, the run goes on: the follower brings it back. Folder and row are gone: it ends, with a reason.
    void aFollowerOutlivesItsRow() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        auto session = RunSession::create(*store, at.home, {.config = tinyConfig("rowless [ms=10]", 200)},
                                          unixMillisecondsNow(), at.programs);
        QVERIFY(session && session->launch(unixMillisecondsNow()));
        const auto loseRow = [&] {
            *store = std::move(*RunStore::open(Home{at.temp.path() / "elsewhere"}, OpenMode::ReadWrite));
            for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(at.home.index().string() + suffix);
            *store = std::move(*RunStore::open(at.home, OpenMode::ReadWrite));
        };
        QVERIFY(waitUntil(30, [&] {
            (void)session->poll(unixMillisecondsNow());
            return session->lastStep() > 10;
        }));
        loseRow();
        QVERIFY(RunHome::finish(*session, 60));
        QCOMPARE(session->status(), RunStatus::Completed);
        QCOMPARE(store->series(session->id(), "loss")->size(), std::size_t{200});

        auto second = RunSession::create(*store, at.home, {.config = tinyConfig("folderless [ms=10]", 2000)},
                                         unixMillisecondsNow(), at.programs);
        QVERIFY(second && second->launch(unixMillisecondsNow()));
        QVERIFY(waitUntil(30, [&] {
            (void)second->poll(unixMillisecondsNow());
            return second->lastStep() > 10;
        }));
        loseRow();
        fs::remove_all(second->folder().path);
        QVERIFY(RunHome::finish(*second, 30));
        QCOMPARE(second->status(), RunStatus::Lost);
        QVERIFY(second->reason().find("deleted") != std::string::npos);
        QVERIFY(endRunWithoutFolder(second->id(), true) > 0);
    }

    void saysWhatIsMissing() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        RunConfig config = tinyConfig("flow");
        config.data.tokens = "missing.tok";
        auto session = RunSession::create(*store, at.home, {.config = config}, now(), Programs{at.programs.agent, {}});
        QVERIFY(session);
        const auto launched = session->launch(now());
        QVERIFY(!launched);
        QCOMPARE(text(launched.error().code), QString("not_ready"));
        QVERIFY(launched.error().message.find("slipway-trainer was not found") != std::string::npos);
        QVERIFY(launched.error().message.find("missing.tok does not exist") != std::string::npos);
        QCOMPARE(store->run(session->id())->status, RunStatus::Planned);
    }

    void saysThatVersionsDiffer() {
        RunHome at;
        qputenv("SLIPWAY_FAKE_VERSION", "0.0.1 (abc)");
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        auto session = RunSession::create(*store, at.home, {.config = tinyConfig("flow")}, now(), at.programs);
        QVERIFY(session);
        const Issues issues = session->readiness();
        qunsetenv("SLIPWAY_FAKE_VERSION");
        QVERIFY(!hasErrors(issues));
        const auto it =
            std::find_if(issues.begin(), issues.end(), [](const Issue& i) { return i.code == "version_mismatch"; });
        QVERIFY(it != issues.end());
        QVERIFY2(it->message.find("0.0.1 (abc)") != std::string::npos, it->message.c_str());
    }
};

SLIPWAY_TEST(TstRunFlow)
#include "tst_run_flow.moc"
