// A GPU's state through a management library that the tests bring along, and the sampler between it and the steps.
#include "core/base/file.h"
#include "core/base/json.h"
#include "tests/support/temp_dir.h"
#include "trainer/telemetry/device_sampler.h"
#include "trainer/telemetry/metric_writer.h"
#include "trainer/telemetry/nvml.h"

#include <dlfcn.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;

class TstDeviceSampler : public QObject {
    Q_OBJECT
    static DeviceSample sampleOf(double clock, double watts, double celsius, std::uint64_t reasons) {
        DeviceSample sample;
        sample.clockHertz = clock;
        sample.powerWatts = watts;
        sample.temperatureCelsius = celsius;
        sample.throttleReasons = reasons;
        return sample;
    }

private slots:
    void readsTheLibrary() {
        const Result<DeviceReader> reader = openDevice("0000:65:00.0", SLIPWAY_FAKE_NVML);
        QVERIFY2(reader, reader ? "" : reader.error().message.c_str());
        const DeviceSample sample = (*reader)();
        QCOMPARE(sample.clockHertz, 1.755e9);
        QCOMPARE(sample.powerWatts, 612.345);
        QCOMPARE(sample.temperatureCelsius, 71.0);
        QCOMPARE(sample.memoryUsedBytes, 20.0 * (1 << 30));
        QCOMPARE(sample.memoryTotalBytes, 80.0 * (1 << 30));
        QVERIFY((throttleWords(sample.throttleReasons) == std::vector<std::string>{"sw_power_cap", "hw_thermal"}));
    }

    // What a device does not support stays unknown; it is no 0.
    void unsupportedIsUnknown() {
        const DeviceSample sample = (*openDevice("0000:66:00.0", SLIPWAY_FAKE_NVML))();
        QCOMPARE(sample.clockHertz, 1.98e9);
        QVERIFY(std::isnan(sample.powerWatts));
        QVERIFY(std::isnan(sample.memoryUsedBytes));
        QVERIFY(throttleWords(sample.throttleReasons).empty());  // idle is no throttling
    }

    void closesTheLibrary() {
        void* library = dlopen(SLIPWAY_FAKE_NVML, RTLD_NOW);
        QVERIFY(library != nullptr);
        const int* open = static_cast<int*>(dlsym(library, "fake_nvml_open"));
        {
            const Result<DeviceReader> reader = openDevice("0000:65:00.0", SLIPWAY_FAKE_NVML);
            const DeviceReader copy = *reader;
            QCOMPARE(*open, 1);
        }
        QCOMPARE(*open, 0);
        QVERIFY(!openDevice("0000:01:00.0", SLIPWAY_FAKE_NVML));
        QCOMPARE(*open, 0);
        dlclose(library);
    }

    void failures_data() {
        QTest::addColumn<QString>("bus");
        QTest::addColumn<QString>("library");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("says");
        QTest::newRow("no library") << "0000:65:00.0"
                                    << "libslipway-has-no-such.so.1"
                                    << "nvml_missing"
                                    << "libslipway-has-no-such";
        QTest::newRow("another library") << "0000:65:00.0"
                                         << "libc.so.6"
                                         << "nvml_missing"
                                         << "nvmlInit_v2";
        QTest::newRow("no such device") << "0000:01:00.0" << SLIPWAY_FAKE_NVML << "nvml_failed"
                                        << "0000:01:00.0";
    }
    void failures() {
        QFETCH(QString, bus);
        QFETCH(QString, library);
        const Result<DeviceReader> reader = openDevice(bus.toStdString(), library.toStdString());
        QVERIFY(!reader);
        QTEST(QString::fromStdString(reader.error().code), "code");
        QFETCH(QString, says);
        QVERIFY2(QString::fromStdString(reader.error().message).contains(says), reader.error().message.c_str());
    }

    // Between two steps: mean clock and power, the worst temperature, every reason; nothing new gives the last again.
    void takesWhatWasSeenSince() {
        std::vector<DeviceSample> coming{sampleOf(1e9, 100, 50, 0), sampleOf(2e9, NAN, 70, 0x4),
                                         sampleOf(3e9, 300, 60, 0x40)};
        std::size_t next = 0;
        DeviceSampler sampler([&] { return coming[next++]; }, 0);
        sampler.sample();
        sampler.sample();
        DeviceSample seen = sampler.take();
        QCOMPARE(seen.clockHertz, 2e9);
        QCOMPARE(seen.powerWatts, 200.0);  // of the two that are known
        QCOMPARE(seen.temperatureCelsius, 70.0);
        QVERIFY(std::isnan(seen.memoryUsedBytes));
        QCOMPARE(seen.throttleReasons, std::uint64_t{0x44});
        QCOMPARE(sampler.take().clockHertz, 2e9);
        coming.push_back(sampleOf(5e8, 50, 40, 0));
        sampler.sample();
        seen = sampler.take();
        QCOMPARE(seen.clockHertz, 5e8);
        QCOMPARE(seen.temperatureCelsius, 40.0);
        QCOMPARE(seen.throttleReasons, std::uint64_t{0});
    }

    // A device that does not answer holds up the sampler's thread, not the step.
    void stepNeverWaitsForTheDevice() {
        std::mutex mutex;
        std::condition_variable changed;
        int reads = 0;
        bool answer = false;
        DeviceSampler sampler(
            [&] {
                std::unique_lock lock(mutex);
                const int mine = ++reads;
                changed.notify_all();
                if (mine == 2) changed.wait(lock, [&] { return answer; });
                return sampleOf(mine * 1e9, 1, 1, 0);
            },
            1e-4);
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return reads == 2; });
        }
        QCOMPARE(sampler.take().clockHertz, 1e9);  // while the second read hangs
        QCOMPARE(sampler.take().clockHertz, 1e9);
        {
            const std::lock_guard lock(mutex);
            answer = true;
        }
        changed.notify_all();
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return reads >= 3; });
        }
        QVERIFY(sampler.take().clockHertz >= 2e9);
    }

    void healthLineCarriesIt() {
        const test::TempDir temp;
        const RunDir dir{temp.path()};
        auto stream = RankStream::open(dir, 0);
        DeviceSample sample = sampleOf(1.5e9, 400.5, 66, 0x8);
        QVERIFY(stream->health({1, 10, 20, 30, 0.5}).has_value());
        QVERIFY(stream->health({2, 10, 20, 30, 0.5, sample}).has_value());
        const std::string lines = *readFile(dir.rankStream(0));
        const std::size_t newline = lines.find('\n');
        QVERIFY2(lines.substr(0, newline).find("device") == std::string::npos, lines.c_str());  // a CPU has none
        const auto health = parseJson(lines.substr(newline + 1), "health");
        QCOMPARE(health->at("device_clock_hertz").get<double>(), 1.5e9);
        QCOMPARE(health->at("device_power_watts").get<double>(), 400.5);
        QCOMPARE(health->at("device_temperature_celsius").get<double>(), 66.0);
        QVERIFY(!health->contains("device_memory_used_bytes"));
        QVERIFY(health->at("device_throttled") == Json::array({"hw_slowdown"}));
    }
};

SLIPWAY_TEST(TstDeviceSampler)
#include "tst_device_sampler.moc"
