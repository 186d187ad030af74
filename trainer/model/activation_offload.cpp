#include "trainer/model/activation_offload.h"

#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <utility>

namespace slipway::trainer {
namespace {

// All elements of the storage of a tensor.
at::Tensor memoryOf(const at::Tensor& tensor) {
    const auto elements = static_cast<std::int64_t>(tensor.storage().nbytes() / tensor.element_size());
    return at::as_strided(tensor, {elements}, {1}, 0);
}

}  // namespace

void ActivationOffload::take(at::Tensor& tensor, AwayTensors& away, std::vector<at::Tensor>& memories) const {
    AwayTensors::View& view = away.views.emplace_back();
    if (!tensor.defined() || tensor.device() != m_device || tensor.numel() == 0) return;
    const auto same = std::find_if(memories.begin(), memories.end(), [&](const at::Tensor& memory) {
        return memory.storage().is_alias_of(tensor.storage()) && memory.scalar_type() == tensor.scalar_type();
    });
    view = {same - memories.begin(), tensor.sizes().vec(), tensor.strides().vec(), tensor.storage_offset()};
    if (same == memories.end()) memories.push_back(memoryOf(tensor));
    tensor.reset();
}

void ActivationOffload::launch(AwayTensors& away, std::vector<at::Tensor> memories) {
    for (const at::Tensor& memory : memories) {
        away.host.push_back(hostTensor(memory.sizes(), memory.scalar_type(), m_device));
        m_copies.start(away.host.back(), memory);
    }
    m_left = m_copies.mark();
    m_leaving = std::move(memories);
    if (!m_left) settle();
    if (m_bug != Bug::StaleOffloadedActivation) return;
    const bool alike = std::equal(m_before.begin(), m_before.end(), away.host.begin(), away.host.end(),
                                  [](const at::Tensor& a, const at::Tensor& b) { return a.sizes() == b.sizes(); });
    alike ? away.host = m_before : m_before = away.host;
}

void ActivationOffload::settle() {
    m_copies.follow(m_left);
    m_left.reset();
    m_leaving.clear();
}

void ActivationOffload::fetch(AwayTensors& away) {
    if (!away.device.empty() || away.host.empty()) return;
    settle();
    for (const at::Tensor& host : away.host) {
        away.device.push_back(at::empty(host.sizes(), at::TensorOptions().dtype(host.scalar_type()).device(m_device)));
        m_copies.start(away.device.back(), host);
    }
    away.arrived = m_copies.mark();
}

void ActivationOffload::give(at::Tensor& tensor, const AwayTensors& away, std::size_t index) {
    const AwayTensors::View& view = away.views[index];
    if (view.memory < 0) return;
    tensor = at::as_strided(away.device[static_cast<std::size_t>(view.memory)], view.sizes, view.strides, view.offset);
}

}  // namespace slipway::trainer
