// ActivationOffload: a block's saved activations are in host memory from the end of its forward pass
// (parallel.offload).
//   offload.send(saved, away);                        // after the block's forward pass
//   offload.fetch(away);  ...  offload.bring(saved, away);   // before its backward pass; fetched one block ahead
// On a GPU copies run on a separate stream: a block's tensors leave while the next block computes, and are returned to
// the allocator only when the computation has waited for the copy, so that at most two blocks of a micro-batch are on
// the device.
// Tensors that share memory are copied once and share it again afterwards; host tensors (sizes, random states)
// stay.
#pragma once

#include "trainer/kernels/host_memory.h"
#include "trainer/parallel/bug_switch.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slipway::trainer {

/// One block's saved tensors of one micro-batch, while offloaded.
struct AwayTensors {
    struct View {
        std::ptrdiff_t memory = -1;  ///< index; below 0: the tensor stayed in place
        std::vector<std::int64_t> sizes, strides;
        std::int64_t offset = 0;
    };
    std::vector<View> views;         ///< in the order of the block's list
    std::vector<at::Tensor> host;    ///< [elements] per piece of memory
    std::vector<at::Tensor> device;  ///< the same on the way back
    CopyMark arrived;
};

class ActivationOffload {
public:
    ActivationOffload(at::Device device, Bug bug) : m_device(device), m_bug(bug), m_copies(device) {}

    /// Moves every tensor listed by `saved.each`; they are undefined afterwards.
    template <class Saved>
    void send(Saved& saved, AwayTensors& away) {
        settle();
        away = {};
        std::vector<at::Tensor> memories;
        saved.each([&](at::Tensor& tensor) { take(tensor, away, memories); });
        launch(away, std::move(memories));
    }
    /// Starts to bring them back; a no-op if they are not away or already on the way.
    void fetch(AwayTensors& away);
    /// Restores them in `saved`.
    template <class Saved>
    void bring(Saved& saved, AwayTensors& away) {
        fetch(away);
        m_copies.follow(away.arrived);
        std::size_t next = 0;
        saved.each([&](at::Tensor& tensor) {
            if (next < away.views.size()) give(tensor, away, next++);
        });
        away = {};
    }

private:
    void take(at::Tensor& tensor, AwayTensors& away, std::vector<at::Tensor>& memories) const;
    void launch(AwayTensors& away, std::vector<at::Tensor> memories);
    static void give(at::Tensor& tensor, const AwayTensors& away, std::size_t view);
    /// Releases the last sent tensors.
    void settle();

    at::Device m_device;
    Bug m_bug;
    SideCopies m_copies;
    std::vector<at::Tensor> m_leaving;  ///< on the device until their copies complete
    CopyMark m_left;
    std::vector<at::Tensor> m_before;  ///< only for the injected bug
};

}  // namespace slipway::trainer
