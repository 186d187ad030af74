// What the loop does with what GPUs tell of themselves: lines of each rank, reduced metrics of the run; nothing at all on a CPU.
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
        const StepFacts again = StepFacts::unpack(facts.pack().data());
        QCOMPARE(again.checkpointWritten, 7.0);
        QCOMPARE(again.deviceClockHertz, 1.0);
        QCOMPARE(again.devicePowerWatts, 2.0);
        QCOMPARE(again.deviceTemperatureCelsius, 3.0);
        QCOMPARE(again.deviceMemoryUsedBytes, 4.0);
        QCOMPARE(again.deviceThrottled, 1.0);
        QVERIFY(std::isnan(StepFacts::unpack(StepFacts().pack().data()).deviceThrottled));
    }
};

SLIPWAY_TEST(TstDeviceSamples)
#include "tst_device_samples.moc"
