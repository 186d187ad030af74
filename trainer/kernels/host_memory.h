// Host memory for what a device gives away for a while (optimizer states, activations), and copies between the two that
// run beside the computation.
//   at::Tensor host = hostTensor({n}, at::kFloat, device);   SideCopies copies(device);
//   copies.start(host, gradients);   const CopyMark arrived = copies.mark();   ...   SideCopies::wait(arrived);
// On a CPU both memories are one. Tensors are separate there all the same, are counted apart
// (trainer/telemetry/tensor_memory.h) and are copied at once, so that tests run every path of an offloaded run.
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

/// While one lives, CPU tensors of this thread are taken from the host's side of the account.
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

/// Uninitialised tensor in host memory, pinned if `device` is none of the host's. For what comes and goes: libtorch
/// keeps pinned memory for the next one, and takes the next power of two of bytes for each.
at::Tensor hostTensor(at::IntArrayRef shape, at::ScalarType type, at::Device device);
/// The same for what lasts as long as a run: whole pages, no more.
at::Tensor lastingHostTensor(at::IntArrayRef shape, at::ScalarType type, at::Device device);

/// How a driver pins pages of this process, so that a device reaches them. unpin() waits for what the device still
/// does.
struct PagePinning {
    std::function<bool(void*, std::size_t bytes)> pin;  ///< false where the driver refuses
    std::function<void(void*)> unpin;
};
/// CUDA's. A build with CUDA has cuda_page_pinning.cpp, another no_cuda_page_pinning.cpp, which refuses.
PagePinning pagePinning();
/// Uninitialised tensor in pages of its own, which are pinned as long as it or a view of it lives; undefined where the
/// driver refuses. Throws std::bad_alloc.
at::Tensor pinnedPages(at::IntArrayRef shape, at::ScalarType type, const PagePinning& pinning);

/// A point in the order of copies; null where copies are done at once.
using CopyMark = std::shared_ptr<c10::Event>;

/// Copies on a stream of their own. Both tensors of a copy must live until its mark was followed or waited for.
class SideCopies {
public:
    explicit SideCopies(at::Device device);

    /// Starts `to` = `from`, after all that was given to the current stream so far. Formats may differ.
    void start(const at::Tensor& to, const at::Tensor& from);
    /// Of all copies started so far.
    [[nodiscard]] CopyMark mark() const;
    /// What is given to the current stream from now on runs after the mark; the host continues.
    void follow(const CopyMark& mark) const;
    /// The host waits.
    static void wait(const CopyMark& mark);

private:
    at::Device m_device;
    std::optional<c10::Stream> m_stream;  ///< none on a CPU
};

}  // namespace slipway::trainer
