#include "trainer/kernels/host_memory.h"

#include <cuda_runtime_api.h>

namespace slipway::trainer {

PagePinning pagePinning() {
    const auto pin = [](void* pages, std::size_t bytes) {
        if (cudaHostRegister(pages, bytes, cudaHostRegisterDefault) == cudaSuccess) return true;
        static_cast<void>(cudaGetLastError());  // clears the error for the next call
        return false;
    };
    const auto unpin = [](void* pages) {
        static_cast<void>(cudaDeviceSynchronize());  // a copy under way may still read the pages
        static_cast<void>(cudaHostUnregister(pages));
    };
    return {pin, unpin};
}

}  // namespace slipway::trainer
