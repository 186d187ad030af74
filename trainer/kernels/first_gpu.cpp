#include "trainer/kernels/first_gpu.h"

#include <ATen/Context.h>

namespace slipway::trainer {

Result<at::Device> firstGpu() {
    if (at::getNumGPUs() == 0)
        return fail("no_gpu", "libtorch sees no GPU here, or slipway-trainer was built without CUDA.");
    return at::Device(at::kCUDA, 0);
}

}  // namespace slipway::trainer
