// What the loop does with what GPUs tell of themselves: lines of each rank, reduced metrics of the run; nothing at all
// on a CPU.
#include "trainer/loop/step_facts.h"
#include "trainer/loop/train_rank.h"

#include <algorithm>
#include <cmath>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"
#include "tests/trainer/loop/trainer_runs.h"

using namespace slipway;
using namespace slipway::test;
using namespace slipway::trainer;

class TstDeviceSamples : public QObject {
    Q_OBJECT
    /// Trains two ranks as threads; each opens its device by `open`.
    static void train(const TrainerRun& run, const std::function<Result<DeviceReader>(std::int64_t)>& open) {
        const TrainOptions options;
        const std::atomic<bool> stop{false};
        runInProcess(2, [&](std::int64_t rank, InProcessWorld& world) {
            RankEnvironment environment;
            environment.rank = rank;
            environment.worldSize = 2;
            const auto activity = std::make_shared<CommActivity>();
            const RankSetup setup{options,
                                  run.config,
                                  run.dir,
                                  run.temp.path() / "corpora" / "tiny.tok",
                                  environment,
                                  world.maker(rank, activity),
                                  activity,
                                  nullptr,
                                  [](const RankError& error) { qFatal("%s", error.message.c_str()); },
                                  stop,
                                  open ? std::function([&, rank] { return open(rank); }) : nullptr};
            const Result<TrainerExit> outcome = trainRank(setup);
            if (!outcome) qFatal("%s", outcome.error().message.c_str());
        });
    }
    static RunConfig twoRanks() {
        RunConfig config = tinyRun(3);
        config.parallel.dp = 2;
        return config;
    }
    static Json lastHealth(const TrainerRun& run, std::int64_t rank) {
        std::istringstream stream(*readFile(run.dir.rankStream(rank)));
        Json last;
        for (std::string line; std::getline(stream, line);)
            if (auto json = parseJson(line, "rank"); json && json->at("kind") == "health") last = *json;
        return last;
    }

private slots:
    void metricsAreReducedOverRanks() {
        TrainerRun run(twoRanks());
        train(run, [](std::int64_t rank) -> Result<DeviceReader> {
            DeviceSample sample;
            sample.clockHertz = rank == 0 ? 1.9e9 : 1.2e9;
            sample.powerWatts = rank == 0 ? 600 : 300;
            sample.temperatureCelsius = rank == 0 ? 60 : 88;
            if (rank == 0) sample.memoryUsedBytes = 5e10;  // the other does not tell
            sample.throttleReasons = rank == 0 ? 0x1 : 0x40;
            return DeviceReader([sample] { return sample; });
        });
        for (const auto& [name, expected] : std::map<std::string, double>{{"device_clock_hertz", 1.2e9},
                                                                          {"device_power_watts", 450},
                                                                          {"device_temperature_celsius", 88},
                                                                          {"device_memory_used_bytes", 5e10},
                                                                          {"device_throttled_fraction", 0.5}}) {
            const std::map<std::int64_t, double> values = run.metric(name);
            QCOMPARE(values.size(), std::size_t{3});
            for (const auto& [step, value] : values) QCOMPARE(value, expected);
        }
        const Json hot = lastHealth(run, 1);
        QCOMPARE(hot.at("device_clock_hertz").get<double>(), 1.2e9);
        QVERIFY(hot.at("device_throttled") == Json::array({"hw_thermal"}));
        QVERIFY(!hot.contains("device_memory_used_bytes"));
        QVERIFY(lastHealth(run, 0).at("device_throttled").empty());
    }

    // A rank on a CPU opens nothing, writes nothing of it and says nothing.
    void nothingOnACpu() {
        TrainerRun run(twoRanks());
        train(run, nullptr);
        QCOMPARE(run.metric("loss").size(), std::size_t{3});
        const std::string text = *readFile(run.dir.metrics());
        QVERIFY2(text.find("device_") == std::string::npos && text.find("nvml") == std::string::npos, text.c_str());
        QVERIFY(readFile(run.dir.rankStream(1))->find("device_") == std::string::npos);
    }

    // A GPU without its management library: the run goes on, and one event says what is missing.
    void missingLibraryIsOneEvent() {
        TrainerRun run(twoRanks());
        train(run, [](std::int64_t) -> Result<DeviceReader> { return fail("nvml_missing", "There is no library."); });
        QCOMPARE(run.metric("loss").size(), std::size_t{3});
        const std::vector<Json> lines = run.lines();
        QCOMPARE(std::count_if(
                     lines.begin(), lines.end(),
                     [](const Json& line) { return line.at("kind") == "event" && line.at("name") == "nvml_missing"; }),
                 1);
    }

    // Data, passes, collectives and the update of a step, each within it; collectives of other steps are not kept.
    void spansTellTheWholeStep() {
        RunConfig config = twoRanks();
        config.parallel.zeroStage = 3;
        config.telemetry.spansEverySteps = 2;
        TrainerRun run(config);
        train(run, {});
        std::istringstream stream(*readFile(run.dir.rankStream(1)));
        std::map<std::string, double> ends;
        double stepSeconds = 0;
        int numLines = 0;
        for (std::string text; std::getline(stream, text);) {
            const auto line = parseJson(text, "rank");
            QVERIFY(line.has_value());
            if (line->at("kind") == "health" && line->at("step") == 2)
                stepSeconds = line->at("step_seconds").get<double>();
            if (line->at("kind") != "spans") continue;
            ++numLines;
            QCOMPARE(line->at("step").get<int>(), 2);
            const auto seen = [&](const std::string& name, const Json& start, const Json& end) {
                QVERIFY2(0 <= start.get<double>() && start.get<double>() <= end.get<double>(), name.c_str());
                ends[name] = std::max(ends[name], end.get<double>());
            };
            for (const Json& span : line->at("spans")) seen(span.at(0).get<std::string>(), span.at(3), span.at(4));
            for (const Json& one : line->at("collectives"))
                seen(one.at(0).get<std::string>() + " " + one.at(1).get<std::string>(), one.at(2), one.at(3));
        }
        QCOMPARE(numLines, 1);
        for (const char* name : {"data_wait", "forward", "backward_full", "all_gather dp", "reduce_scatter dp",
                                 "all_reduce dp", "optimizer"})
            QVERIFY2(ends[name] > 0 && ends[name] <= stepSeconds, name);
        QVERIFY(ends["data_wait"] < ends["forward"] && ends["forward"] < ends["backward_full"] &&
                ends["backward_full"] <= ends["optimizer"] && ends["reduce_scatter dp"] < ends["optimizer"]);
    }

    void memoryOfTheAllocator() {
        std::vector<StepFacts> ranks(2);
        const ParallelLayout layout;
        const auto value = [&](const char* name) {
            for (const auto& [key, number] : factMetrics(ranks, layout))
                if (key == name) return number;
            return -1.0;
        };
        QCOMPARE(value("memory_reserved_peak_bytes"), -1.0);  // ranks on CPUs
        ranks[0].reservedPeakBytes = 5;
        ranks[1].reservedPeakBytes = 9;
        ranks[0].allocatorRetries = 3;
        ranks[1].allocatorRetries = 0;
        QCOMPARE(value("memory_reserved_peak_bytes"), 9.0);
        QCOMPARE(value("allocator_retries"), 3.0);
    }

    void factsSurvivePacking() {
        StepFacts facts;
        DeviceSample sample;
        sample.clockHertz = 1;
        sample.powerWatts = 2;
        sample.temperatureCelsius = 3;
        sample.memoryUsedBytes = 4;
        sample.throttleReasons = 0x8;
        facts.checkpointWritten = 7;
        addDevice(facts, sample);
        facts.reservedPeakBytes = 5;
        facts.allocatorRetries = 6;
        const StepFacts again = StepFacts::unpack(facts.pack().data());
        QCOMPARE(again.checkpointWritten, 7.0);
        QCOMPARE(again.deviceClockHertz, 1.0);
        QCOMPARE(again.devicePowerWatts, 2.0);
        QCOMPARE(again.deviceTemperatureCelsius, 3.0);
        QCOMPARE(again.deviceMemoryUsedBytes, 4.0);
        QCOMPARE(again.deviceThrottled, 1.0);
        QCOMPARE(again.reservedPeakBytes, 5.0);
        QCOMPARE(again.allocatorRetries, 6.0);
        QVERIFY(std::isnan(StepFacts::unpack(StepFacts().pack().data()).deviceThrottled));
    }
};

SLIPWAY_TEST(TstDeviceSamples)
#include "tst_device_samples.moc"
