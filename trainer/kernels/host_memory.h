// Host memory for temporarily offloaded device data (optimizer states, activations), and copies between the two that
// overlap the computation.
//   at::Tensor host = hostTensor({n}, at::kFloat, device);   SideCopies copies(device);
//   copies.start(host, gradients);   const CopyMark arrived = copies.mark();   ...   SideCopies::wait(arrived);
// On a CPU both memories are the same. Tensors are separate there nevertheless, are counted separately
// (trainer/telemetry/tensor_memory.h) and copied synchronously, so that tests cover every path of an offloaded run.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace slipway::trainer {

/// While one lives, CPU tensors of this thread count on the host's side of the account.
class HostMemoryScope {
public:
    HostMemoryScope() { ++depth(); }
    ~HostMemoryScope() { --depth(); }
    HostMemoryScope(const HostMemoryScope&) = delete;
    HostMemoryScope& operator=(const HostMemoryScope&) = delete;
    [[nodiscard]] static bool isOpen() { return depth() > 0; }

private:
    static int& depth();
};

/// Uninitialised tensor in host memory, pinned if `device` is not the host. For temporary data: libtorch caches pinned
/// memory, and rounds each allocation up to a power of two of bytes.
at::Tensor hostTensor(at::IntArrayRef shape, at::ScalarType type, at::Device device);
/// The same for data that lasts as long as a run: rounded up only to full pages.
at::Tensor lastingHostTensor(at::IntArrayRef shape, at::ScalarType type, at::Device device);

/// A driver's pinning of pages of this process, for access from a device. unpin() waits for the device's pending
/// work.
struct PagePinning {
    std::function<bool(void*, std::size_t bytes)> pin;  ///< false where the driver refuses
    std::function<void(void*)> unpin;
};
/// CUDA's. A build with CUDA has cuda_page_pinning.cpp, others no_cuda_page_pinning.cpp, which refuses.
PagePinning pagePinning();
/// Uninitialised tensor in its own pages, pinned for the lifetime of it and its views; undefined where the driver
/// refuses. Throws std::bad_alloc.
at::Tensor pinnedPages(at::IntArrayRef shape, at::ScalarType type, const PagePinning& pinning);

/// A point in the order of copies; null where copies are synchronous.
using CopyMark = std::shared_ptr<c10::Event>;

/// Copies on a separate stream. Both tensors of a copy must live until its mark was followed or waited for.
class SideCopies {
public:
    explicit SideCopies(at::Device device);

    /// Starts `to` = `from`, after all work queued on the current stream so far. Formats may differ.
    void start(const at::Tensor& to, const at::Tensor& from);
    /// A mark after all copies started so far.
    [[nodiscard]] CopyMark mark() const;
    /// Orders later work on the current stream after the mark; the host continues.
    void follow(const CopyMark& mark) const;
    /// Blocks the host.
    static void wait(const CopyMark& mark);

private:
    at::Device m_device;
    std::optional<c10::Stream> m_stream;  ///< none on a CPU
};

}  // namespace slipway::trainer
