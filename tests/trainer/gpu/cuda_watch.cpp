#include "tests/trainer/gpu/gpu_test.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

namespace slipway::test::gpu {

bool rehearses() {
    return false;
}

NoHostWait::NoHostWait() {
    c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_ERROR);
}

NoHostWait::~NoHostWait() {
    c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_DISABLED);
}

MemoryCounts memoryCounts() {
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device().index());
    return {stats.num_device_alloc,
            stats.active[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)].current};
}

}  // namespace slipway::test::gpu
