#include "trainer/kernels/host_memory.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/accumulate.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace slipway::trainer {

int& HostMemoryScope::depth() {
    thread_local int depth = 0;
    return depth;
}

at::Tensor hostTensor(at::IntArrayRef shape, at::ScalarType type, at::Device device) {
    const HostMemoryScope host;
    return at::empty(shape, at::TensorOptions().dtype(type).pinned_memory(!device.is_cpu()));
}

at::Tensor lastingHostTensor(at::IntArrayRef shape, at::ScalarType type, at::Device device) {
    if (device.is_cpu()) return hostTensor(shape, type, device);
    const at::Tensor tensor = pinnedPages(shape, type, pagePinning());
    return tensor.defined() ? tensor : hostTensor(shape, type, device);
}

at::Tensor pinnedPages(at::IntArrayRef shape, at::ScalarType type, const PagePinning& pinning) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t asked = c10::elementSize(type) * static_cast<std::size_t>(c10::multiply_integers(shape));
    const std::size_t bytes = std::max(page, (asked + page - 1) / page * page);
    void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    // Pinning brings every page into memory first: this is faster with large pages.
    static_cast<void>(madvise(pages, bytes, MADV_HUGEPAGE));
    if (!pinning.pin(pages, bytes)) {
        munmap(pages, bytes);
        return {};
    }
    const auto release = [unpin = pinning.unpin, bytes](void* memory) {
        unpin(memory);
        munmap(memory, bytes);
    };
    return at::from_blob(pages, shape, release, at::TensorOptions().dtype(type));
}

// Streams and events through libtorch's device-independent interface, so that a build without CUDA has the same source.
SideCopies::SideCopies(at::Device device) : m_device(device) {
    if (device.is_cpu()) return;
    m_stream = c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device, /*isHighPriority=*/false);
}

void SideCopies::start(const at::Tensor& to, const at::Tensor& from) {
    if (!m_stream) {
        to.copy_(from);
        return;
    }
    c10::Event given(m_device.type());
    given.record(c10::impl::VirtualGuardImpl(m_device.type()).getStream(m_device));
    given.block(*m_stream);
    const c10::StreamGuard side(*m_stream);
    to.copy_(from, /*non_blocking=*/true);
}

CopyMark SideCopies::mark() const {
    if (!m_stream) return nullptr;
    auto event = std::make_shared<c10::Event>(m_device.type());
    event->record(*m_stream);
    return event;
}

void SideCopies::follow(const CopyMark& mark) const {
    if (mark) mark->block(c10::impl::VirtualGuardImpl(m_device.type()).getStream(m_device));
}

void SideCopies::wait(const CopyMark& mark) {
    if (mark) mark->synchronize();
}

}  // namespace slipway::trainer
