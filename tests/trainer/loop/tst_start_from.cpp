// The real program starts where another run stands, in another layout; from exported weights; and writes while it
// trains.
#include "trainer/checkpoint/manifest.h"

#include <cmath>
#include <map>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"
#include "tests/trainer/loop/trainer_runs.h"

using namespace slipway;
using namespace slipway::test;

namespace {

RunConfig fp64Run(std::int64_t numSteps) {
    RunConfig config = tinyRun(numSteps);
    config.train.precision = Precision::Fp64;
    config.optimizer.schedule.kind = LrScheduleKind::Constant;
    config.checkpoint.everySteps = 3;
    config.checkpoint.keep = 10;
    return config;
}

std::string eventOf(const TrainerRun& run, const std::string& name) {
    for (const Json& line : run.lines())
        if (line.value("name", "") == name) return line.dump();
    return {};
}

/// The data lie in the folder of the first run: the position counts there.
void useTokensOf(TrainerRun& run, const TrainerRun& first) {
    std::filesystem::remove_all(run.temp.path() / "corpora");
    std::filesystem::create_directory_symlink(first.temp.path() / "corpora", run.temp.path() / "corpora");
}

}  // namespace

class TstStartFrom : public QObject {
    Q_OBJECT
private slots:
    // dp2 with ZeRO-1 to step 6, then tp2 x pp2: the same losses to the end, bound by fp64, and the run says where it
    // came from.
    void goesOnInAnotherLayout() {
        RunConfig config = fp64Run(10);
        TrainerRun straight(config);
        QCOMPARE(straight.run(), std::vector<int>{0});
        config.parallel.dp = 2;
        config.parallel.zeroStage = 1;
        config.train.numSteps = 6;
        TrainerRun first(config);
        const std::vector<int> codes = first.run({}, true);
        QVERIFY2(codes == std::vector<int>{0}, first.errors().c_str());

        config = fp64Run(10);
        config.parallel.tp = 2;
        config.parallel.pp = 2;
        config.checkpoint.startFrom = first.dir.path.string();
        TrainerRun second(config);
        useTokensOf(second, first);
        const std::vector<int> more = second.run({}, true);
        QVERIFY2(more == std::vector<int>{0}, second.errors().c_str());
        const auto losses = second.metric("loss"), expected = straight.metric("loss");
        QCOMPARE(losses.begin()->first, static_cast<std::int64_t>(7));
        QCOMPARE(losses.size(), static_cast<std::size_t>(4));
        for (const auto& [step, loss] : losses) QVERIFY(std::fabs(loss / expected.at(step) - 1) < 1e-12);
        QCOMPARE(second.lines().front().at("resume_step").get<std::int64_t>(), static_cast<std::int64_t>(6));
        QVERIFY(eventOf(second, "started_from").find("step_00000006") != std::string::npos);
        // Resumed later, it goes on from its own checkpoints.
        QVERIFY(second.run({"--resume", "latest"}, true) == std::vector<int>{0});
        QCOMPARE(second.lastStep(), static_cast<std::int64_t>(10));
    }

    // A complete run that is resumed says that it is; with fewer steps than it has, or as the start of a run that would
    // train none, it is refused.
    void nothingToDo() {
        TrainerRun first(fp64Run(3));
        QCOMPARE(first.run(), std::vector<int>{0});
        QCOMPARE(first.run({"--resume", "latest"}), std::vector<int>{0});
        const std::string event = eventOf(first, "nothing_to_do");
        QVERIFY2(event.find("at step 3 of 3; raise train.num_steps") != std::string::npos, event.c_str());
        QVERIFY(
            first.ranks.front()->readAllStandardOutput().contains("nothing to do: the checkpoint is at step 3 of 3;"));
        QCOMPARE(first.end().at("status").get<std::string>(), std::string("completed"));
        QCOMPARE(first.metric("loss").size(), std::size_t{3});

        RunConfig config = fp64Run(3);
        config.checkpoint.startFrom = first.dir.path.string();
        TrainerRun second(config);
        useTokensOf(second, first);
        QCOMPARE(second.run(), std::vector<int>{10});
        std::string said = second.errors();
        QVERIFY2(said.find("at step 3 and train.num_steps is 3; raise") != std::string::npos, said.c_str());

        first.config.train.numSteps = 2;
        QVERIFY(writeJsonFile(first.dir.config(), toJson(first.config)).has_value());
        QCOMPARE(first.run({"--resume", "latest"}), std::vector<int>{10});
        said = first.errors();
        QVERIFY2(said.find("at step 3 and train.num_steps is 2; raise") != std::string::npos, said.c_str());
        first.config.train.numSteps = 4;
        QVERIFY(writeJsonFile(first.dir.config(), toJson(first.config)).has_value());
        QCOMPARE(first.run({"--resume", "latest"}), std::vector<int>{0});
        QCOMPARE(first.lastStep(), std::int64_t{4});
    }

    void refusesOtherData() {
        TrainerRun first(fp64Run(3));
        QCOMPARE(first.run(), std::vector<int>{0});
        RunConfig config = fp64Run(4);
        const auto refused = [&](const RunConfig& changed, const char* word) {
            RunConfig other = changed;
            other.checkpoint.startFrom = first.dir.path.string();
            TrainerRun run(other);
            useTokensOf(run, first);
            const std::vector<int> codes = run.run();
            const std::string errors = run.errors();
            return codes == std::vector<int>{10} && errors.find(word) != std::string::npos ? std::string()
                                                                                           : "not refused: " + errors;
        };
        config.train.globalBatchSize = 4;
        QVERIFY2(refused(config, "global_batch_size").empty(), refused(config, "global_batch_size").c_str());
        config = fp64Run(4);
        config.data.documentEndId = 5;
        QVERIFY2(refused(config, "document_end_id").empty(), refused(config, "document_end_id").c_str());
        config = fp64Run(4);
        config.train.precision = Precision::Fp32;
        QVERIFY2(refused(config, "number format").empty(), refused(config, "number format").c_str());
    }

    // Exported with the program, started from in another layout: step 0, and the loss of where the first run stood.
    void startsFromExportedWeights() {
        RunConfig config = fp64Run(6);
        config.optimizer.lr = 0.02;
        TrainerRun first(config);
        QCOMPARE(first.run(), std::vector<int>{0});
        QProcess exporter;
        const auto out = first.temp.path() / "export";
        exporter.start(
            QString::fromUtf8(SLIPWAY_BIN_DIR "/slipway-trainer"),
            {"export", QString::fromStdString(first.dir.path.string()), QString::fromStdString(out.string())});
        QVERIFY(exporter.waitForFinished(60000));
        QVERIFY2(exporter.exitCode() == 0, exporter.readAllStandardError().constData());
        QVERIFY(exporter.readAllStandardOutput().contains("Step 6"));
        config.parallel.tp = 2;
        config.optimizer.lr = 0;
        config.checkpoint.startFrom = out.string();
        TrainerRun second(config);
        useTokensOf(second, first);
        QVERIFY2(second.run({}, true) == std::vector<int>{0}, second.errors().c_str());
        QCOMPARE(second.metric("loss").begin()->first, static_cast<std::int64_t>(1));
        const double untrained = first.metric("loss").at(1), start = second.metric("loss").at(1);
        QVERIFY2(start < untrained - 0.05, (std::to_string(untrained) + " " + std::to_string(start)).c_str());
        exporter.start(QString::fromUtf8(SLIPWAY_BIN_DIR "/slipway-trainer"), {"export", "/nowhere", "/tmp/x"});
        QVERIFY(exporter.waitForFinished(60000));
        QCOMPARE(exporter.exitCode(), 1);
        exporter.start(QString::fromUtf8(SLIPWAY_BIN_DIR "/slipway-trainer"),
                       {"export", "/nowhere", "/tmp/x", "--max-file-bytes", "-5"});
        QVERIFY(exporter.waitForFinished());
        QCOMPARE(exporter.exitCode(), 2);
    }

    // In the background or not: the same files and losses; stall and writing are reported, the last checkpoint is
    // waited for.
    void writesInTheBackground() {
        RunConfig config = fp64Run(7);
        TrainerRun background(config);
        config.checkpoint.background = false;
        TrainerRun foreground(config);
        useTokensOf(foreground, background);
        QCOMPARE(background.run(), std::vector<int>{0});
        QCOMPARE(foreground.run(), std::vector<int>{0});
        QCOMPARE(background.metric("loss"), foreground.metric("loss"));
        for (const std::int64_t step : {3, 6, 7}) {
            const auto a = trainer::readManifest(background.dir.checkpoint(step)),
                       b = trainer::readManifest(foreground.dir.checkpoint(step));
            QVERIFY(a.has_value() && b.has_value());
            QCOMPARE(a->files.front().hash, b->files.front().hash);
        }
        double stall = 0, writing = 0;
        for (const Json& line : background.lines()) {
            if (line.at("kind") != "step") continue;
            stall += line.at("values").value("checkpoint_seconds", 0.0);
            writing += line.at("values").value("checkpoint_write_seconds", 0.0);
        }
        QVERIFY(stall > 0 && writing > 0);
        const std::string event = eventOf(background, "checkpoint");
        QVERIFY2(event.find("step_00000003") != std::string::npos && event.find("stood still") != std::string::npos,
                 event.c_str());
    }
};

SLIPWAY_TEST(TstStartFrom)
#include "tst_start_from.moc"
