// DeviceMemory: bytes of tensors in the memory that a rank computes in: the GPU's by libtorch's caching allocator, else the CPU's by TensorMemory.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>

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

private:
    c10::Device m_device;
};

}  // namespace slipway::trainer
