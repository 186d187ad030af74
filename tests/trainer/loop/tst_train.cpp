// The real program: layouts train alike, resume is bit-exact, stop, refuse, and end well when a rank dies, hangs or a
// disk is full.
#include "trainer/checkpoint/manifest.h"
#include "trainer/loop/options.h"
#include "trainer/loop/step_facts.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <map>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"
#include "tests/trainer/loop/trainer_runs.h"

#include <QElapsedTimer>

using namespace slipway;
using namespace slipway::test;

namespace {

RunConfig withLayout(RunConfig config, const std::string& layout) {
    if (layout.find("dp2") != std::string::npos) config.parallel.dp = 2;
    if (layout.find("tp2") != std::string::npos) config.parallel.tp = 2;
    if (layout.find("pp2") != std::string::npos) config.parallel.pp = 2;
    if (layout.find("zero") != std::string::npos) config.parallel.zeroStage = 1;
    if (layout.find("sp") != std::string::npos) config.parallel.sequenceParallel = true;
    if (layout.find("bf16") != std::string::npos) config.train.precision = Precision::Bf16;
    if (layout.find("fp64") != std::string::npos) config.train.precision = Precision::Fp64;
    return config;
}

/// Every rank ended with this exit code.
bool allAre(const std::vector<int>& codes, int expected) {
    return !codes.empty() && std::all_of(codes.begin(), codes.end(), [expected](int code) { return code == expected; });
}

}  // namespace

class TstTrain : public QObject {
    Q_OBJECT
private slots:
    void options() {
        using trainer::parseTrainOptions;
        const auto options =
            parseTrainOptions({"--config", "c", "--run-dir=d", "--resume", "latest", "--backend", "in_process"});
        QVERIFY(options.has_value());
        QCOMPARE(options->runDir.string(), std::string("d"));
        QCOMPARE(options->backend, trainer::Backend::InProcess);
        QCOMPARE(parseTrainOptions({"--config", "c", "--run-dir", "d", "--join-seconds", "9"})->joinSeconds,
                 std::int64_t{9});
        QCOMPARE(options->joinSeconds, std::int64_t{30});
        // A launch plan names no backend: ranks on GPUs must not meet over Gloo.
        using trainer::Backend, trainer::backendFor;
        QCOMPARE(parseTrainOptions({"--config", "c", "--run-dir", "d"})->backend, Backend::ByDevice);
        QCOMPARE(backendFor(Backend::ByDevice, DeviceKind::Gpu), Backend::Nccl);
        QCOMPARE(backendFor(Backend::ByDevice, DeviceKind::Cpu), Backend::Gloo);
        QCOMPARE(backendFor(Backend::Gloo, DeviceKind::Gpu), Backend::Gloo);
        for (const std::vector<std::string>& bad :
             std::vector<std::vector<std::string>>{{"--config", "c"},
                                                   {"--run-dir", "d"},
                                                   {"--config"},
                                                   {"--config", "c", "--run-dir", "d", "--resum", "x"},
                                                   {"--config", "c", "--run-dir", "d", "--join-seconds", "0"},
                                                   {"--config", "c", "--run-dir", "d", "--join-seconds", "9s"},
                                                   {"--config", "c", "--run-dir", "d", "--backend", "mpi"}})
            QCOMPARE(parseTrainOptions(bad).error().code, std::string("usage"));
        // What is no option is not asked for a value.
        QVERIFY(parseTrainOptions({"--resum"}).error().message.starts_with("Unknown option --resum"));
    }

    // Two stages, two pipelines; busy 3 of 4 seconds each within a window of 4: a quarter idle.
    void bubble() {
        ParallelLayout layout;
        layout.pp = 2;
        layout.dp = 2;
        std::vector<trainer::StepFacts> ranks(4);
        for (auto& facts : ranks) {
            facts.busySeconds = 3;
            facts.firstPass = 1;
            facts.lastPass = 4;
        }
        ranks[2].firstPass = 2;  // rank 2 is stage 1 of the first pipeline
        ranks[2].lastPass = 5;
        ranks[3].lastPass = 5;
        QCOMPARE(trainer::observedBubble(ranks, layout), 0.25);
        layout.pp = 1;
        layout.dp = 4;
        QCOMPARE(trainer::observedBubble(ranks, layout), 0.0);
        trainer::StepFacts packed;
        packed.failure = 15;
        packed.busySeconds = 2;
        const auto fields = packed.pack();
        const auto back = trainer::StepFacts::unpack(fields.data());
        QCOMPARE(back.failure, 15.0);
        QCOMPARE(back.busySeconds, 2.0);
    }

    // Processes over Gloo and threads of one process: every layout follows the loss of one process.
    void layoutsAgree() {
        TrainerRun one(withLayout(tinyRun(8), "fp64"));
        QVERIFY(allAre(one.run(), 0));
        const auto expected = one.metric("loss");
        QCOMPARE(expected.size(), static_cast<std::size_t>(8));
        QVERIFY(expected.at(8) < expected.at(1) - 0.1);
        QCOMPARE(one.end().at("status").get<std::string>(), std::string("completed"));
        for (const auto& [layout, threads] :
             std::vector<std::pair<std::string, bool>>{{"fp64 dp2 zero", false},
                                                       {"fp64 tp2 sp", false},
                                                       {"fp64 pp2", false},
                                                       {"fp64 dp2 tp2 pp2 zero sp", true}}) {
            TrainerRun other(withLayout(tinyRun(8), layout));
            const std::vector<int> codes = other.run({}, threads);
            QVERIFY2(allAre(codes, 0), (layout + ": " + other.errors()).c_str());
            const auto losses = other.metric("loss"), norms = other.metric("grad_norm");
            for (const auto& [step, loss] : expected)
                QVERIFY2(std::fabs(losses.at(step) - loss) < 1e-10, (layout + " step " + std::to_string(step)).c_str());
            for (const auto& [step, norm] : one.metric("grad_norm"))
                QVERIFY2(std::fabs(norms.at(step) / norm - 1) < 1e-9, layout.c_str());
            QVERIFY(readJsonFile(other.dir.environment())->at("attention") == "cpu");
            QVERIFY(other.ranks[0]->readAllStandardOutput().contains("attention is computed by: cpu\n"));
            QVERIFY(std::filesystem::exists(other.dir.rankStream(other.config.parallel.worldSize() - 1)));
        }
    }

    // Stopped at step 4 by the stop file, resumed: losses, norms and the final checkpoint are those of a run without a
    // stop.
    void resumeIsBitExact_data() {
        QTest::addColumn<QString>("layout");
        QTest::addColumn<bool>("threads");
        QTest::newRow("one") << "" << false;
        QTest::newRow("dp2 zero, gloo") << "dp2 zero" << false;
        QTest::newRow("bf16 dp2 zero") << "bf16 dp2 zero" << true;
        QTest::newRow("dp2 tp2 pp2 sp") << "dp2 tp2 pp2 sp" << true;
    }
    void resumeIsBitExact() {
        QFETCH(QString, layout);
        QFETCH(bool, threads);
        RunConfig config = withLayout(tinyRun(9), layout.toStdString());
        config.checkpoint.everySteps = 4;
        TrainerRun straight(config), broken(config);
        const std::vector<int> whole = straight.run({}, threads);
        QVERIFY2(allAre(whole, 0), straight.errors().c_str());
        // The request to stop is there before each start: it is seen after one step, however fast the machine is, or before
        // it where a rank still waits for another process. Whatever step it is, going on from there must not change a bit.
        std::filesystem::create_directories(broken.dir.stopFile().parent_path());
        (void)writeFileAtomically(broken.dir.stopFile(), "");
        std::vector<std::string> more;
        for (int start = 0; start < 2; ++start) {
            const std::int64_t before = broken.lastStep();
            const std::vector<int> stopped = broken.run(more, threads);
            QVERIFY2(allAre(stopped, 14), broken.errors().c_str());
            if (!threads && broken.lastStep() == before) continue;
            QCOMPARE(broken.lastStep(), before + 1);
            QCOMPARE(broken.end().at("status").get<std::string>(), std::string("cancelled"));
            more = {"--resume", "latest"};
        }
        std::filesystem::remove(broken.dir.stopFile());
        const std::vector<int> codes = broken.run(more, threads);
        QVERIFY2(allAre(codes, 0), broken.errors().c_str());
        QCOMPARE(broken.metric("loss"), straight.metric("loss"));
        QCOMPARE(broken.metric("grad_norm"), straight.metric("grad_norm"));
        const auto a = trainer::readManifest(straight.dir.checkpoint(9)),
                   b = trainer::readManifest(broken.dir.checkpoint(9));
        QVERIFY(a.has_value() && b.has_value());
        for (std::size_t i = 0; i < a->files.size(); ++i) QCOMPARE(a->files[i].hash, b->files[i].hash);
    }

    // kill -9 at random moments, resumed each time: the losses are those of an undisturbed run.
    void killedAndResumed() {
        RunConfig config = withLayout(tinyRun(40), "dp2");
        config.checkpoint.everySteps = 3;
        TrainerRun straight(config), killed(config);
        const std::vector<int> whole = straight.run();
        QVERIFY2(allAre(whole, 0), straight.errors().c_str());
        std::srand(7);
        std::vector<std::string> more;
        for (int attempt = 0; attempt < 4; ++attempt) {
            const std::int64_t before = killed.lastStep();
            killed.start(more);
            more = {"--resume", "latest"};
            waitUntil(60, [&] {
                return killed.lastStep() > before + 2 || killed.ranks[0]->state() == QProcess::NotRunning ||
                       killed.ranks[0]->waitForFinished(1);
            });
            for (auto& rank : killed.ranks) rank->kill();
            killed.wait();
        }
        const std::vector<int> codes = killed.run(more);
        QVERIFY2(allAre(codes, 0), killed.errors().c_str());
        QCOMPARE(killed.metric("loss"), straight.metric("loss"));
    }

    void sigtermStops() {
        RunConfig config = withLayout(tinyRun(100000), "dp2");
        TrainerRun run(config);
        run.start();
        QVERIFY(waitUntil(100, [&] { return run.lastStep() >= 2; }));
        ::kill(static_cast<pid_t>(run.ranks[1]->processId()), SIGTERM);  // any rank will do
        QVERIFY(allAre(run.wait(60), 14));
        QCOMPARE(run.end().at("exit_code").get<int>(), 14);
        QCOMPARE(trainer::completeCheckpoints(run.dir.checkpoints()), std::vector<std::int64_t>{run.lastStep()});
    }

    void badConfig() {
        TrainerRun run(tinyRun(3));
        auto json = *readJsonFile(run.dir.config());
        json["train"]["micro_batch_sise"] = 2;
        json["parallel"]["tp"] = 3;
        (void)writeJsonFile(run.dir.config(), json);
        QVERIFY(allAre(run.run(), 10));
        const std::string errors = run.errors();
        QVERIFY2(errors.find("micro_batch_sise") != std::string::npos, errors.c_str());
        const auto file = readJsonFile(run.dir.rankError("local", 0));
        QVERIFY(file.has_value());
        QCOMPARE(rankErrorFromJson(*file, "x")->exitCode, 10);
    }

    // An older version took an option that never acted: its run goes on without it and says so; a new run is refused.
    void optionsThatNeverActed() {
        RunConfig config = tinyRun(4);
        config.optimizer.kind = OptimizerKind::Lion;
        config.checkpoint.everySteps = 2;
        TrainerRun undisturbed(config);
        QVERIFY2(allAre(undisturbed.run(), 0), undisturbed.errors().c_str());
        config.optimizer.eps = 1e-6;
        const auto events = [](const TrainerRun& run) {
            std::vector<std::string> details;
            for (const Json& line : run.lines())
                if (line.at("kind") == "event" && line.at("name") == "no_effect")
                    details.push_back(line.at("detail").get<std::string>());
            return details;
        };
        TrainerRun run(config);
        QVERIFY(allAre(run.run(), 10));
        QVERIFY(run.errors().find("optimizer.eps has no effect") != std::string::npos);
        // As it stood at step 2, and killed before its first checkpoint.
        for (const bool hasCheckpoint : {true, false}) {
            TrainerRun kept(config);
            if (hasCheckpoint) {
                std::filesystem::create_directories(kept.dir.checkpoints());
                std::filesystem::copy(undisturbed.dir.checkpoint(2), kept.dir.checkpoint(2));
            } else {
                qputenv("SLIPWAY_ATTEMPT", "2");
            }
            const std::vector<int> codes = hasCheckpoint ? kept.run({"--resume", "latest"}) : kept.run();
            qunsetenv("SLIPWAY_ATTEMPT");
            QVERIFY2(allAre(codes, 0), kept.errors().c_str());
            QCOMPARE(kept.metric("loss").at(4), undisturbed.metric("loss").at(4));
            QCOMPARE(events(kept).size(), std::size_t{1});
            QVERIFY2(events(kept).front().find("optimizer.eps has no effect with optimizer.kind lion") == 0,
                     events(kept).front().c_str());
        }
    }

    void noTokens() {
        RunConfig config = tinyRun(3);
        config.data.tokens = "/nowhere/x.tok";
        TrainerRun run(config);
        QVERIFY(allAre(run.run(), 10));
    }

    // A killed rank: the other ends soon with code 12 and names group and operation.
    void deathOfARank() {
        TrainerRun run(withLayout(tinyRun(100000), "tp2"));
        run.start();
        QVERIFY(waitUntil(100, [&] { return run.lastStep() >= 2; }));
        run.ranks[1]->kill();
        run.ranks[1]->waitForFinished();
        QVERIFY(run.ranks[0]->waitForFinished(30000));
        QCOMPARE(run.ranks[0]->exitCode(), 12);
        const auto file = readJsonFile(run.dir.rankError("local", 0));
        QVERIFY(file.has_value());
        const auto error = rankErrorFromJson(*file, "x");
        QCOMPARE(error->code, std::string("comm_failure"));
        QVERIFY2(!error->group.empty() && !error->operation.empty(), error->message.c_str());
    }

    // A rank that ends before the groups are made ends the others at once: here its home lacks the tokens that theirs
    // has.
    void rankThatEndsBeforeTheFirstStep_data() {
        QTest::addColumn<int>("ends");
        QTest::newRow("rank 0") << 0;
        QTest::newRow("rank 1") << 1;
    }
    void rankThatEndsBeforeTheFirstStep() {
        QFETCH(int, ends);
        RunConfig config = tinyRun(4);
        config.parallel.dp = 2;
        TrainerRun run(config);
        run.moreOfRank = {ends, {"--home", (run.temp.path() / "elsewhere").string()}};
        QElapsedTimer timer;
        timer.start();
        const std::vector<int> codes = run.run();
        QVERIFY2(timer.elapsed() < 30000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(codes[static_cast<std::size_t>(ends)], static_cast<int>(TrainerExit::BadConfig));
        QCOMPARE(codes[static_cast<std::size_t>(1 - ends)], static_cast<int>(TrainerExit::CommunicationFailure));
        if (ends == 0) return;  // its store ended with it
        const auto error = rankErrorFromJson(*readJsonFile(run.dir.rankError("local", 1 - ends)), "x");
        QVERIFY2(error->message.find("rank 1 ended before the first step: ") != std::string::npos,
                 error->message.c_str());
    }

    // The one that came says whom it waits for before it gives up, and the error names it.
    void absentRank_data() {
        QTest::addColumn<int>("absent");
        QTest::addColumn<QString>("master");
        QTest::addColumn<int>("seconds");  // 0: not given
        QTest::addColumn<QString>("named");
        QTest::newRow("rank 0") << 0 << "127.0.0.1" << 2 << "after 2 s rank 0 does not answer at 127.0.0.1:";
        QTest::newRow("rank 1") << 1 << "127.0.0.1" << 2 << "after 2 s these ranks have not come: 1";
        // An address that other hosts can reach, and nobody who says how long to wait.
        QTest::newRow("rank 1 of several hosts") << 1 << "0.0.0.0" << 0 << "after 30 s these ranks have not come: 1";
    }
    void absentRank() {
        QFETCH(int, absent);
        QFETCH(QString, master);
        QFETCH(int, seconds);
        QFETCH(QString, named);
        TrainerRun run(withLayout(tinyRun(3), "dp2"));
        run.absent = absent;
        run.master = master;
        const std::vector<int> codes =
            run.run(seconds > 0 ? std::vector<std::string>{"--join-seconds", std::to_string(seconds)}
                                : std::vector<std::string>{});
        const std::string said = run.errors();
        QVERIFY2(allAre(codes, 12), said.c_str());
        const std::string other = std::to_string(1 - absent);
        const std::string notice =
            "slipway-trainer: rank " + other + ": waits for ranks that have not come: " + std::to_string(absent);
        QVERIFY2(said.find(notice) < said.find(named.toStdString()), said.c_str());
        QVERIFY2(said.find("--join-seconds") < said.find(named.toStdString()), said.c_str());
        const auto error = rankErrorFromJson(*readJsonFile(run.dir.rankError("local", 1 - absent)), "x");
        QCOMPARE(error->code, std::string("comm_failure"));
        QCOMPARE(error->operation, std::string("rendezvous"));
        QVERIFY2(error->message.find(named.toStdString()) != std::string::npos, error->message.c_str());
    }

    // A stopped rank breaks no connection; only missing progress gives it away.
    void hang() {
        TrainerRun run(withLayout(tinyRun(100000), "dp2"));
        run.start({"--hang-seconds", "4"});
        QVERIFY(waitUntil(100, [&] { return run.lastStep() >= 3; }));
        ::kill(static_cast<pid_t>(run.ranks[1]->processId()), SIGSTOP);
        const bool ended = run.ranks[0]->waitForFinished(120000);
        ::kill(static_cast<pid_t>(run.ranks[1]->processId()), SIGCONT);
        QVERIFY(ended);
        QCOMPARE(run.ranks[0]->exitCode(), 12);
        const auto error = rankErrorFromJson(*readJsonFile(run.dir.rankError("local", 0)), "x");
        QCOMPARE(error->code, std::string("hang"));
        QVERIFY2(error->message.find("waits in") != std::string::npos, error->message.c_str());
        const auto stands = readFile(run.dir.path / "logs" / "hang_00000.txt");
        QVERIFY(stands.has_value());
        for (const char* part : {"waits in", " of group dp (ranks 0, 1), ", "slipway::trainer::trainRank("})
            QVERIFY2(stands->find(part) != std::string::npos, stands->c_str());
    }

    // A stream that cannot grow: all ranks stop on the same step with code 15, and what was written stays.
    void fullDisk() {
        TrainerRun run(withLayout(tinyRun(50), "dp2"));
        std::filesystem::create_directories(run.dir.path / "ranks");
        std::filesystem::create_symlink("/dev/full", run.dir.rankStream(1));
        const std::vector<int> codes = run.run();
        QVERIFY2(allAre(codes, 15), run.errors().c_str());
        QCOMPARE(run.end().at("exit_code").get<int>(), 15);
        QCOMPARE(run.lastStep(), 2);
    }

    void fullDiskWhileSaving() {
        const SmallDisk disk("700k");
        if (!disk.mounted()) QSKIP("mounting a small disk needs root");
        RunConfig config = tinyRun(50);
        config.checkpoint.everySteps = 2;
        config.checkpoint.keep = 100;
        TrainerRun run(config);
        std::filesystem::create_directory_symlink(disk.path(), run.dir.checkpoints());
        QVERIFY(allAre(run.run(), 15));
        const auto kept = trainer::completeCheckpoints(run.dir.checkpoints());
        QVERIFY(!kept.empty());
        QCOMPARE(run.end().at("exit_code").get<int>(), 15);
    }

    void outOfMemory() {
#ifdef __SANITIZE_ADDRESS__
        QSKIP("the address sanitizer ends the program where an allocation fails");
#endif
        const auto policy = readFile("/proc/sys/vm/overcommit_memory");
        if (policy && policy->front() == '1') QSKIP("this system grants any amount of memory");
        RunConfig config = tinyRun(3);
        config.model.hiddenSize = 1000000;
        config.model.vocabSize = 10000000;  // 40 TB
        TrainerRun run(config);
        QVERIFY(allAre(run.run(), 11));
        const auto error = rankErrorFromJson(*readJsonFile(run.dir.rankError("local", 0)), "x");
        QCOMPARE(error->code, std::string("out_of_memory"));
        QVERIFY2(error->message.find('\n') == std::string::npos, error->message.c_str());  // without libtorch's stack
        // The other commands end as well.
        for (const QStringList& words : {QStringList{"bench", "--step"}, {"verify"}}) {
            QProcess command;
            command.start(SLIPWAY_BIN_DIR "/slipway-trainer", words + QStringList(run.dir.config().c_str()));
            QVERIFY(command.waitForFinished(120000));
            QCOMPARE(command.exitStatus(), QProcess::NormalExit);
            QCOMPARE(command.exitCode(), 11);
            const QByteArray said = command.readAllStandardError();
            QVERIFY2(said.contains("out_of_memory") && said.count('\n') == 1, said.constData());
        }
    }

    // A run that went back to an older checkpoint does not rewind to those of the way that it left.
    void rewindsOnItsOwnWay() {
        RunConfig config = tinyRun(8);
        config.checkpoint.everySteps = 2;
        config.checkpoint.keep = 9;
        TrainerRun run(config);
        QVERIFY(allAre(run.run(), 0));
        run.config.train.numSteps = 5;
        run.config.checkpoint.everySteps = 100;
        run.config.train.spikes.policy = SpikePolicy::RewindAndSkip;
        run.config.train.spikes.gradNormLimit = 1e-9;
        QVERIFY(writeJsonFile(run.dir.config(), toJson(run.config)).has_value());
        const std::string from = run.dir.checkpoint(4).string();
        QVERIFY2(allAre(run.run({"--resume", from}), 0), run.errors().c_str());
        std::vector<std::string> details;
        for (const Json& line : run.lines())
            if (line.value("name", "") == "rewound") details.push_back(line.at("detail").get<std::string>());
        QCOMPARE(details.size(), std::size_t{1});
        QCOMPARE(details.front(), std::string("weights and moments of step 4"));
    }

    // A limit between the gradient norms of a run: the policies act on exactly the steps above it.
    void spikePolicies() {
        RunConfig config = tinyRun(12);
        config.checkpoint.everySteps = 2;
        config.optimizer.lr = 0;  // nothing moves, so every run sees the same norms
        TrainerRun still(config);
        QVERIFY(allAre(still.run(), 0));
        const auto events = [](const TrainerRun& run, const std::string& name) {
            std::vector<std::int64_t> steps;
            for (const Json& line : run.lines())
                if (line.value("name", "") == name) steps.push_back(line.at("step").get<std::int64_t>());
            return steps;
        };
        QVERIFY(events(still, "gradient_spike").empty());
        std::vector<double> sorted;
        for (const auto& [step, norm] : still.metric("grad_norm")) sorted.push_back(norm);
        std::sort(sorted.begin(), sorted.end());
        const double limit = (sorted[9] + sorted[10]) / 2;
        std::vector<std::int64_t> above;
        for (const auto& [step, norm] : still.metric("grad_norm"))
            if (norm > limit) above.push_back(step);
        QCOMPARE(above.size(), std::size_t{2});
        config.train.spikes.gradNormLimit = limit;
        for (const SpikePolicy policy : {SpikePolicy::Alert, SpikePolicy::Skip, SpikePolicy::RewindAndSkip}) {
            config.train.spikes.policy = policy;
            TrainerRun run(config);
            QVERIFY2(allAre(run.run(), 0), run.errors().c_str());
            const bool skips = policy != SpikePolicy::Alert;
            QVERIFY(events(run, "gradient_spike") == above);
            QVERIFY(events(run, "update_skipped") == (skips ? above : std::vector<std::int64_t>{}));
            auto rewinds = events(run, "rewound");
            for (const std::int64_t step : events(run, "rewind_impossible")) rewinds.push_back(step);
            std::sort(rewinds.begin(), rewinds.end());
            QVERIFY(rewinds == (policy == SpikePolicy::RewindAndSkip ? above : std::vector<std::int64_t>{}));
            QCOMPARE(run.lastStep(), 12);
        }
        config.train.spikes.policy = SpikePolicy::Stop;
        TrainerRun stop(config);
        QVERIFY(allAre(stop.run(), 13));
        QCOMPARE(stop.lastStep(), above.front());
    }

    void nonFiniteRule() {
        RunConfig config = tinyRun(30);
        config.optimizer.lr = 1000;
        config.optimizer.weightDecay = 10;  // each step multiplies the weights by 1 - 10,000
        config.optimizer.schedule.warmupSteps = 0;
        config.optimizer.clipNorm = 0;
        TrainerRun on(config), stop(config);
        QVERIFY(allAre(stop.run({"--stop-on-nonfinite"}), 13));
        QVERIFY(allAre(on.run(), 0));
        QCOMPARE(on.metric("loss").size(), static_cast<std::size_t>(30));  // without the rule it goes on, and says so
        const auto lines = on.lines();
        QVERIFY(std::any_of(lines.begin(), lines.end(),
                            [](const Json& line) { return line.value("name", "") == "update_skipped"; }));
        QVERIFY(stop.lastStep() < 30);
    }
};

SLIPWAY_TEST(TstTrain)
#include "tst_train.moc"
