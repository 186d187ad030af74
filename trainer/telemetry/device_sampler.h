// Clock, power, temperature, memory and throttling of the GPU that a rank uses, read beside the training, never in its
// way.
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

/// Telemetry of a device; NaN for what it does not report.
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

/// The reasons in words, such as "hw_thermal". Being idle and clocks that somebody set are no reasons here: they hold
/// nothing back against its owner's will. Bits: NVML API reference, "NvmlClocksEventReasons"
/// (nvmlClocksThrottleReason... before release 535).
std::vector<std::string> throttleWords(std::uint64_t reasons);

constexpr double kDeviceSampleSeconds = 1;

class DeviceSampler {
public:
    /// Takes the first sample at once; a thread takes the others.
    /// @param intervalSeconds 0: no thread, the caller calls sample()
    DeviceSampler(DeviceReader read, double intervalSeconds);
    ~DeviceSampler();
    DeviceSampler(const DeviceSampler&) = delete;
    DeviceSampler& operator=(const DeviceSampler&) = delete;

    /// Reads the device. No lock is held while it reads.
    void sample();
    /// What was seen since the last call: mean clock and power, highest temperature and memory, every throttle reason.
    /// What the last call gave when no sample is between.
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
