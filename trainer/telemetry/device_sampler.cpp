#include "trainer/telemetry/device_sampler.h"

#include <pthread.h>

#include <chrono>
#include <cmath>
#include <utility>

namespace slipway::trainer {
namespace {

struct ThrottleBit {
    std::uint64_t bit;
    const char* word;
};
constexpr ThrottleBit kThrottleBits[] = {
    {0x04, "sw_power_cap"}, {0x08, "hw_slowdown"}, {0x10, "sync_boost"},
    {0x20, "sw_thermal"},   {0x40, "hw_thermal"},  {0x80, "hw_power_brake"},
};

/// Mean of the known values; NaN if none is known.
double mean(const std::vector<DeviceSample>& samples, double DeviceSample::*field) {
    double sum = 0, count = 0;
    for (const DeviceSample& sample : samples) {
        if (!std::isfinite(sample.*field)) continue;
        sum += sample.*field;
        ++count;
    }
    return sum / count;  // 0 / 0 is NaN
}

double highest(const std::vector<DeviceSample>& samples, double DeviceSample::*field) {
    double most = std::numeric_limits<double>::quiet_NaN();
    for (const DeviceSample& sample : samples) most = std::fmax(most, sample.*field);  // ignores NaN
    return most;
}

}  // namespace

std::vector<std::string> throttleWords(std::uint64_t reasons) {
    std::vector<std::string> words;
    for (const ThrottleBit& reason : kThrottleBits)
        if ((reasons & reason.bit) != 0) words.emplace_back(reason.word);
    return words;
}

DeviceSampler::DeviceSampler(DeviceReader read, double intervalSeconds) : m_read(std::move(read)) {
    sample();
    if (intervalSeconds > 0) m_thread = std::thread([this, intervalSeconds] { repeat(intervalSeconds); });
}

DeviceSampler::~DeviceSampler() {
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_wake.notify_all();
    if (m_thread.joinable()) m_thread.join();
}

void DeviceSampler::sample() {
    const DeviceSample seen = m_read();
    const std::lock_guard lock(m_mutex);
    m_fresh.push_back(seen);
}

DeviceSample DeviceSampler::take() {
    const std::lock_guard lock(m_mutex);
    if (m_fresh.empty()) return m_last;
    DeviceSample all;
    all.clockHertz = mean(m_fresh, &DeviceSample::clockHertz);
    all.powerWatts = mean(m_fresh, &DeviceSample::powerWatts);
    all.temperatureCelsius = highest(m_fresh, &DeviceSample::temperatureCelsius);
    all.memoryUsedBytes = highest(m_fresh, &DeviceSample::memoryUsedBytes);
    all.memoryTotalBytes = highest(m_fresh, &DeviceSample::memoryTotalBytes);
    for (const DeviceSample& sample : m_fresh) all.throttleReasons |= sample.throttleReasons;
    m_fresh.clear();
    m_last = all;
    return all;
}

void DeviceSampler::repeat(double intervalSeconds) {
    pthread_setname_np(pthread_self(), "device_sampler");
    std::unique_lock lock(m_mutex);
    while (!m_stop) {
        m_wake.wait_for(lock, std::chrono::duration<double>(intervalSeconds));
        if (m_stop) return;
        lock.unlock();
        sample();
        lock.lock();
    }
}

}  // namespace slipway::trainer
