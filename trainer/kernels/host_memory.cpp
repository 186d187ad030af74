#include "trainer/kernels/host_memory.h"

#include <ATen/ops/empty.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace slipway::trainer {

int& HostMemoryScope::depth() {
    thread_local int depth = 0;
    return depth;
}

at::Tensor hostTensor(at::IntArrayRef shape, at::ScalarType type, at::Device device) {
    const HostMemoryScope host;
    return at::empty(shape, at::TensorOptions().dtype(type).pinned_memory(!device.is_cpu()));
}

// Streams and events by libtorch's device-independent interface, so that a build without CUDA has the same source.
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
