// DeviceMemory: bytes of tensors in a rank's computing memory: the GPU's by libtorch's caching allocator, else the
// CPU's by TensorMemory.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace slipway::trainer {

/// Ranks as threads on one GPU share its account.
class DeviceMemory {
public:
    explicit DeviceMemory(c10::Device device) : m_device(device) {}
    /// Bytes allocated now.
    [[nodiscard]] std::int64_t bytes() const;
    /// Peak bytes since resetPeak().
    [[nodiscard]] std::int64_t peakBytes() const;
    void resetPeak();
    /// Peak bytes that the allocator reserved on the device since resetPeak(), including its cache; absent on a CPU,
    /// like the next.
    [[nodiscard]] std::optional<std::int64_t> reservedPeakBytes() const;
    /// Number of times since resetPeak() that the device was out of memory, so that the allocator emptied its cache and
    /// retried.
    [[nodiscard]] std::optional<std::int64_t> retries() const;

private:
    c10::Device m_device;
    std::int64_t m_retriesBefore = 0;
};

}  // namespace slipway::trainer
