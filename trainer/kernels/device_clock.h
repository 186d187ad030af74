// DeviceClock: the time at which a device reached a point of its queued work. The host queues a pass long before a GPU
// runs it, so that the host's clock does not measure the pass.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <functional>
#include <memory>

namespace slipway::trainer {

class DeviceClock {
public:
    /// A point of the current stream's work; null where work is synchronous (a CPU).
    using Mark = std::shared_ptr<c10::Event>;

    explicit DeviceClock(c10::Device device) : m_device(device) {}
    [[nodiscard]] Mark mark() const;
    /// A point of this stream's work. Not during graph capture: such an event has no time.
    [[nodiscard]] static Mark markOn(const c10::Stream& stream);
    /// Whether the device has passed it. Safe on any thread: one without a device yet would otherwise get a context,
    /// and its memory, on the first one.
    [[nodiscard]] static bool isPassed(const Mark& mark);
    /// From one point to another; waits until the device has passed both.
    [[nodiscard]] static double seconds(const Mark& from, const Mark& to);

private:
    c10::Device m_device;
};

}  // namespace slipway::trainer
