// Receiving by tag from a backend whose messages have no tags and arrive in the order of sending, like NCCL's.
//   order.expect(2, {4, 0, 6});                       // rank 2 sends 4, then 0, then 6
//   order.receive(tensor, 2, 0, takeNext)->wait();    // takes 4 into a separate buffer first
#pragma once

#include "trainer/comm/process_group.h"

#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace slipway::trainer {

class MessageOrder {
public:
    /// Starts receiving the next message of the peer into the tensor.
    using TakeNext = std::function<CommWork(at::Tensor&)>;

    /// The tags of the messages that `from` sends to this rank next, in its order. All of them are received
    /// eventually.
    void expect(int from, const std::vector<int>& tags);

    /// Receives the message with this tag. Messages that `from` sends before it are stored in tensors of the same shape
    /// until they are received. For a peer without expected messages, the next message is taken as the one. Throws
    /// std::logic_error when others are expected of `from`, but not this tag.
    CommWork receive(at::Tensor& tensor, int from, int tag, const TakeNext& takeNext);

private:
    struct Early {
        at::Tensor tensor;
        CommWork work;
    };
    std::map<int, std::deque<int>> m_expected;                 ///< by sender
    std::map<std::pair<int, int>, std::deque<Early>> m_early;  ///< by sender and tag
};

}  // namespace slipway::trainer
