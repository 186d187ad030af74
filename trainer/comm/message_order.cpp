#include "trainer/comm/message_order.h"

#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

namespace slipway::trainer {
namespace {

/// A message that was received before it was requested: the copy waits with the message.
class Kept final : public CommHandle {
public:
    Kept(at::Tensor target, at::Tensor kept, CommWork work)
        : m_target(std::move(target)), m_kept(std::move(kept)), m_work(std::move(work)) {}
    ~Kept() override { wait(); }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;

    void wait() override {
        if (!m_work) return;
        m_work->wait();
        m_work.reset();
        m_target.copy_(m_kept);
    }

private:
    at::Tensor m_target, m_kept;
    CommWork m_work;
};

}  // namespace

void MessageOrder::expect(int from, const std::vector<int>& tags) {
    auto& expected = m_expected[from];
    expected.insert(expected.end(), tags.begin(), tags.end());
}

CommWork MessageOrder::receive(at::Tensor& tensor, int from, int tag, const TakeNext& takeNext) {
    if (const auto kept = m_early.find({from, tag}); kept != m_early.end()) {
        Early early = std::move(kept->second.front());
        kept->second.pop_front();
        if (kept->second.empty()) m_early.erase(kept);
        return std::make_unique<Kept>(tensor, std::move(early.tensor), std::move(early.work));
    }
    std::deque<int>& expected = m_expected[from];
    if (expected.empty()) return takeNext(tensor);
    if (std::find(expected.begin(), expected.end(), tag) == expected.end())
        throw std::logic_error("message " + std::to_string(tag) + " of rank " + std::to_string(from) +
                               " is not expected");
    for (;;) {
        const int arriving = expected.front();
        expected.pop_front();
        if (arriving == tag) return takeNext(tensor);
        at::Tensor early = at::empty_like(tensor);
        CommWork work = takeNext(early);
        m_early[{from, arriving}].push_back({std::move(early), std::move(work)});
    }
}

}  // namespace slipway::trainer
