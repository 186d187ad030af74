#include "trainer/kernels/device_clock.h"

#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace slipway::trainer {

DeviceClock::Mark DeviceClock::mark() const {
    return m_device.is_cpu() ? nullptr : markOn(c10::impl::VirtualGuardImpl(m_device.type()).getStream(m_device));
}

DeviceClock::Mark DeviceClock::markOn(const c10::Stream& stream) {
    // BACKEND_DEFAULT: with timing; libtorch's own default has none.
    auto event = std::make_shared<c10::Event>(stream.device_type(), c10::EventFlag::BACKEND_DEFAULT);
    event->record(stream);
    return event;
}

bool DeviceClock::isPassed(const Mark& mark) {
    const c10::DeviceGuard there(mark->device());
    return mark->query();
}

double DeviceClock::seconds(const Mark& from, const Mark& to) {
    constexpr double kSecondsPerMillisecond = 1e-3;
    to->synchronize();
    return from->elapsedTime(*to) * kSecondsPerMillisecond;
}

}  // namespace slipway::trainer
