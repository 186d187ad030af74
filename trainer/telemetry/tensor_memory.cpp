#include "trainer/telemetry/tensor_memory.h"

#include "trainer/kernels/host_memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/alignment.h>
#include <c10/core/impl/alloc_cpu.h>
#include <malloc.h>
#include <unistd.h>

#include <cstring>
#include <deque>
#include <fstream>
#include <mutex>

namespace slipway::trainer {
namespace {

/// Placed directly before the data of each tensor.
struct Stamp {
    TensorMemory* owner;
    std::size_t bytes;
};
static_assert(sizeof(Stamp) <= c10::gAlignment);

/// The two sides of a rank's account.
struct Account {
    TensorMemory device, host;
};

thread_local Account* t_own = nullptr;

Account& account() {
    static Account process;
    return t_own != nullptr ? *t_own : process;
}

void release(void* data) {
    if (data == nullptr) return;
    char* base = static_cast<char*>(data) - c10::gAlignment;
    Stamp stamp{};
    std::memcpy(&stamp, base, sizeof stamp);
    stamp.owner->remove(static_cast<std::int64_t>(stamp.bytes));
    c10::free_cpu(base);
}

class CountingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override {
        if (bytes == 0) return {nullptr, nullptr, &release, c10::Device(c10::DeviceType::CPU)};
        char* base = static_cast<char*>(c10::alloc_cpu(bytes + c10::gAlignment));
        const Stamp stamp{HostMemoryScope::isOpen() ? &TensorMemory::host() : &TensorMemory::current(), bytes};
        std::memcpy(base, &stamp, sizeof stamp);
        stamp.owner->add(static_cast<std::int64_t>(bytes));
        void* data = base + c10::gAlignment;
        return {data, data, &release, c10::Device(c10::DeviceType::CPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }
};

}  // namespace

void TensorMemory::add(std::int64_t bytes) {
    const std::int64_t now = m_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::int64_t peak = m_peak.load(std::memory_order_relaxed);
    while (now > peak && !m_peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
}

TensorMemory& TensorMemory::current() {
    return account().device;
}

TensorMemory& TensorMemory::host() {
    return account().host;
}

TensorMemory& TensorMemory::useOwnInThisThread() {
    static std::mutex mutex;
    static std::deque<Account> all;
    const std::lock_guard lock(mutex);
    t_own = &all.emplace_back();
    return t_own->device;
}

void installTensorMemory() {
    static CountingAllocator allocator;
    static const bool installed = [] {
        // A step frees and allocates the same blocks repeatedly: keep them instead of returning pages to the kernel.
        // A threshold cannot be above 32 MiB, so mmap is disabled for large blocks.
        mallopt(M_MMAP_MAX, 0);
        mallopt(M_TOP_PAD, 64 << 20);
        mallopt(M_TRIM_THRESHOLD, 2047 << 20);
        c10::SetCPUAllocator(&allocator, /*priority=*/1);
        return true;
    }();
    static_cast<void>(installed);
}

std::int64_t residentBytes() {
    std::ifstream file("/proc/self/statm");
    std::int64_t total = 0, resident = 0;
    if (!(file >> total >> resident)) return 0;
    return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace slipway::trainer
