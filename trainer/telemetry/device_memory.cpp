#include "trainer/telemetry/device_memory.h"

#include "trainer/telemetry/tensor_memory.h"

#include <c10/core/CachingDeviceAllocator.h>

namespace slipway::trainer {
namespace {

c10::CachingDeviceAllocator::DeviceStats statsOf(c10::Device device) {
    return at::getDeviceAllocator(device.type())->getDeviceStats(device.index());
}

// Over all pools.
c10::CachingAllocator::Stat whole(const c10::CachingAllocator::StatArray& pools) {
    return pools[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
}

}  // namespace

std::int64_t DeviceMemory::bytes() const {
    return m_device.is_cpu() ? TensorMemory::current().bytes() : whole(statsOf(m_device).allocated_bytes).current;
}

std::int64_t DeviceMemory::peakBytes() const {
    return m_device.is_cpu() ? TensorMemory::current().peakBytes() : whole(statsOf(m_device).allocated_bytes).peak;
}

void DeviceMemory::resetPeak() {
    if (m_device.is_cpu()) return TensorMemory::current().resetPeak();
    at::getDeviceAllocator(m_device.type())->resetPeakStats(m_device.index());
    m_retriesBefore = statsOf(m_device).num_alloc_retries;
}

std::optional<std::int64_t> DeviceMemory::reservedPeakBytes() const {
    if (m_device.is_cpu()) return std::nullopt;
    return whole(statsOf(m_device).reserved_bytes).peak;
}

std::optional<std::int64_t> DeviceMemory::retries() const {
    if (m_device.is_cpu()) return std::nullopt;
    return statsOf(m_device).num_alloc_retries - m_retriesBefore;
}

}  // namespace slipway::trainer
