#include "trainer/kernels/first_gpu.h"

#include <ATen/Context.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <string>

namespace slipway::trainer {

Result<at::Device> useGpu(std::int64_t index) {
    const auto count = static_cast<std::int64_t>(at::getNumGPUs());
    if (count == 0) return fail("no_gpu", "libtorch sees no GPU here, or slipway-trainer was built without CUDA.");
    if (index >= count)
        return fail("no_gpu", "LOCAL_RANK " + std::to_string(index) + " needs a GPU of its own, and libtorch sees " +
                                  std::to_string(count) + " here.");
    const at::Device device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
    c10::impl::VirtualGuardImpl(at::kCUDA).setDevice(device);
    return device;
}

Result<at::Device> firstGpu() {
    return useGpu(0);
}

}  // namespace slipway::trainer
