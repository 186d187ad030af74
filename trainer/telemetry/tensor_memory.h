// Counts the bytes of CPU tensors: an allocator around libtorch's own. RSS is not a substitute: it includes libtorch
// itself.
//   installTensorMemory();   ... training ...   TensorMemory::current().peakBytes()
#pragma once

#include <atomic>
#include <cstdint>

namespace slipway::trainer {

/// Bytes of one rank's tensors. Ranks as threads of one process have one each.
class TensorMemory {
public:
    [[nodiscard]] std::int64_t bytes() const { return m_bytes.load(std::memory_order_relaxed); }
    /// Peak bytes since resetPeak().
    [[nodiscard]] std::int64_t peakBytes() const { return m_peak.load(std::memory_order_relaxed); }
    void resetPeak() { m_peak.store(bytes(), std::memory_order_relaxed); }
    void add(std::int64_t bytes);
    void remove(std::int64_t bytes) { m_bytes.fetch_sub(bytes, std::memory_order_relaxed); }

    /// The counter of this thread's allocations: the process's, or the one from useOwnInThisThread().
    static TensorMemory& current();
    /// The counter of allocations under a HostMemoryScope (trainer/kernels/host_memory.h), which a GPU run has in host
    /// memory.
    static TensorMemory& host();
    /// Gives this thread, a rank of the in-process backend, its own counter. Counters live as long as the process,
    /// because tensors outlive threads.
    static TensorMemory& useOwnInThisThread();

private:
    std::atomic<std::int64_t> m_bytes{0};
    std::atomic<std::int64_t> m_peak{0};
};

/// Installs the counting allocator; call it before the first tensor. A second call is a no-op.
void installTensorMemory();

/// Resident bytes of the process (/proc/self/statm); 0 if unknown.
std::int64_t residentBytes();

}  // namespace slipway::trainer
