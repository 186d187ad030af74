// DeviceMemory: bytes of tensors in the memory that a rank computes in: the GPU's by libtorch's caching allocator, else
// the CPU's by TensorMemory.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace slipway::trainer {

/// Ranks that are threads on one GPU share its account.
class DeviceMemory {
public:
    explicit DeviceMemory(c10::Device device) : m_device(device) {}
    /// Held now.
    [[nodiscard]] std::int64_t bytes() const;
    /// Most held at once since resetPeak().
    [[nodiscard]] std::int64_t peakBytes() const;
    void resetPeak();
    /// Most that the allocator took from the device at once since resetPeak(), its cache included; nothing on a CPU, as
    /// the next.
    [[nodiscard]] std::optional<std::int64_t> reservedPeakBytes() const;
    /// How often since resetPeak() the device had no more to give, so that the allocator emptied its cache and tried
    /// again.
    [[nodiscard]] std::optional<std::int64_t> retries() const;

private:
    c10::Device m_device;
    std::int64_t m_retriesBefore = 0;
};

}  // namespace slipway::trainer
