#include "trainer/telemetry/device_memory.h"

#include "trainer/telemetry/tensor_memory.h"

#include <c10/core/CachingDeviceAllocator.h>

namespace slipway::trainer {
namespace {

// Of all pools together.
c10::CachingAllocator::Stat allocatedOn(c10::Device device) {
    const auto stats = at::getDeviceAllocator(device.type())->getDeviceStats(device.index());
    return stats.allocated_bytes[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
}

}  // namespace

std::int64_t DeviceMemory::bytes() const {
    return m_device.is_cpu() ? TensorMemory::current().bytes() : allocatedOn(m_device).current;
}

std::int64_t DeviceMemory::peakBytes() const {
    return m_device.is_cpu() ? TensorMemory::current().peakBytes() : allocatedOn(m_device).peak;
}

void DeviceMemory::resetPeak() {
    if (m_device.is_cpu())
        TensorMemory::current().resetPeak();
    else
        at::getDeviceAllocator(m_device.type())->resetPeakStats(m_device.index());
}

}  // namespace slipway::trainer
