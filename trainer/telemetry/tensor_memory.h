// Counts the bytes of CPU tensors: an allocator around libtorch's own. RSS is no substitute, it contains libtorch
// itself.
//   installTensorMemory();   ... training ...   TensorMemory::current().peakBytes()
#pragma once

#include <atomic>
#include <cstdint>

namespace slipway::trainer {

/// Bytes of tensors that one rank holds. Ranks that are threads of one process have one each.
class TensorMemory {
public:
    [[nodiscard]] std::int64_t bytes() const { return m_bytes.load(std::memory_order_relaxed); }
    /// Most bytes held at once since resetPeak().
    [[nodiscard]] std::int64_t peakBytes() const { return m_peak.load(std::memory_order_relaxed); }
    void resetPeak() { m_peak.store(bytes(), std::memory_order_relaxed); }
    void add(std::int64_t bytes);
    void remove(std::int64_t bytes) { m_bytes.fetch_sub(bytes, std::memory_order_relaxed); }

    /// The counter that this thread's allocations are charged to: the process's, or the one given to useInThisThread().
    static TensorMemory& current();
    /// Beside it: what was taken under a HostMemoryScope (trainer/kernels/host_memory.h), which a GPU run has in the
    /// host's memory.
    static TensorMemory& host();
    /// Gives this thread, a rank of the in-process backend, a counter of its own. Counters live as long as the process,
    /// because tensors outlive threads.
    static TensorMemory& useOwnInThisThread();

private:
    std::atomic<std::int64_t> m_bytes{0};
    std::atomic<std::int64_t> m_peak{0};
};

/// Puts the counting allocator in place; to be called before the first tensor. Calling it twice does nothing.
void installTensorMemory();

/// Resident bytes of the whole process (/proc/self/statm); 0 if unknown.
std::int64_t residentBytes();

}  // namespace slipway::trainer
