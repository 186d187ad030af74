// Clock, power, temperature, memory and throttling of a rank's GPU, read alongside the training without delaying
// it.
//   DeviceSampler sampler(*openDevice(bus), kDeviceSampleSeconds);
//   ... a step ...   if (auto seen = sampler.take()) ...
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace slipway::trainer {

/// Telemetry of a device; NaN for unreported values.
struct DeviceSample {
    double clockHertz = std::numeric_limits<double>::quiet_NaN();  ///< of the streaming multiprocessors
    double powerWatts = std::numeric_limits<double>::quiet_NaN();
    double temperatureCelsius = std::numeric_limits<double>::quiet_NaN();
    double memoryUsedBytes = std::numeric_limits<double>::quiet_NaN();  ///< by all programs on the device
    double memoryTotalBytes = std::numeric_limits<double>::quiet_NaN();
    std::uint64_t throttleReasons = 0;  ///< bits of the management library, see throttleWords()
};

/// Reads one sample; may take milliseconds.
using DeviceReader = std::function<DeviceSample()>;

/// The reasons in words, such as "hw_thermal". Idling and user-set clocks are not reasons here: they are not
/// unwanted throttling. Bits: NVML API reference, "NvmlClocksEventReasons" (nvmlClocksThrottleReason... before
/// release 535).
std::vector<std::string> throttleWords(std::uint64_t reasons);

constexpr double kDeviceSampleSeconds = 1;

class DeviceSampler {
public:
    /// Takes the first sample immediately; a thread takes the others.
    /// @param intervalSeconds 0: no thread, the caller calls sample()
    DeviceSampler(DeviceReader read, double intervalSeconds);
    ~DeviceSampler();
    DeviceSampler(const DeviceSampler&) = delete;
    DeviceSampler& operator=(const DeviceSampler&) = delete;

    /// Reads the device. Does not hold a lock while reading.
    void sample();
    /// Summary since the last call: mean clock and power, highest temperature and memory, every throttle reason.
    /// Repeats the last result if there is no new sample.
    [[nodiscard]] DeviceSample take();

private:
    void repeat(double intervalSeconds);

    DeviceReader m_read;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_stop = false;
    std::vector<DeviceSample> m_fresh;
    DeviceSample m_last;
    std::thread m_thread;
};

}  // namespace slipway::trainer
