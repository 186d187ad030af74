#include "trainer/pipeline/device_clock.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace slipway::trainer {

DeviceClock::Mark DeviceClock::mark() const {
    if (m_device.is_cpu()) return nullptr;
    // BACKEND_DEFAULT: with a time; libtorch's own default has none.
    auto event = std::make_shared<c10::Event>(m_device.type(), c10::EventFlag::BACKEND_DEFAULT);
    event->record(c10::impl::VirtualGuardImpl(m_device.type()).getStream(m_device));
    return event;
}

double DeviceClock::seconds(const Mark& from, const Mark& to) {
    constexpr double kSecondsPerMillisecond = 1e-3;
    to->synchronize();
    return from->elapsedTime(*to) * kSecondsPerMillisecond;
}

}  // namespace slipway::trainer
