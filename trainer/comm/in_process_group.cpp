#include "trainer/comm/in_process_group.h"

#include "trainer/comm/message_order.h"

#include <ATen/Parallel.h>
#include <ATen/ops/maximum.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>
#include <tuple>

namespace slipway::trainer {

namespace {

/// One collective: every rank brings its tensors, the last to arrive computes for all.
struct Meeting {
    std::vector<at::Tensor> in, out;
    std::vector<std::vector<std::int64_t>> inSplits, outSplits;
    int arrived = 0;
    int left = 0;
    bool done = false;
    std::vector<std::function<void()>> onDone;
};

/// State shared by the ranks of one group.
struct Hub {
    std::map<std::int64_t, std::shared_ptr<Meeting>> meetings;  ///< by position in the group's order of collectives
    std::map<std::tuple<int, int, int>, std::deque<at::Tensor>> mail;  ///< (from, to, tag)
};

using Combine = std::function<void(Meeting&)>;

}  // namespace

// One lock for the whole world: ranks are few, and the arithmetic runs outside it.
struct InProcessWorld::Shared {
    std::int64_t size = 0;
    Messages messages = Messages::Tagged;
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::string, std::shared_ptr<Hub>> hubs;
    bool failed = false;
    std::string failure;
};

namespace {

class InProcessGroup final : public GroupBase {
public:
    InProcessGroup(InProcessWorld::Shared& world, std::shared_ptr<Hub> hub, const std::string& name,
                   const std::vector<std::int64_t>& ranks, std::int64_t worldRank,
                   std::shared_ptr<CommActivity> activity)
        : GroupBase(name, ranks, worldRank, std::move(activity)), m_world(world), m_hub(std::move(hub)) {}

    CommWork allReduce(at::Tensor& tensor, ReduceOp op) override {
        countBytes(ringAllReduceBytes(tensor));
        return meet("all_reduce", tensor, tensor, {}, {}, [op](Meeting& m) {
            for (std::size_t r = 1; r < m.in.size(); ++r) {
                if (op == ReduceOp::Sum)
                    m.in[0].add_(m.in[r]);
                else
                    m.in[0].copy_(at::maximum(m.in[0], m.in[r]));
            }
            for (std::size_t r = 1; r < m.in.size(); ++r) m.in[r].copy_(m.in[0]);
        });
    }

    CommWork allGather(at::Tensor& out, const at::Tensor& in) override {
        countBytes(ringGatherBytes(out));
        return meet("all_gather", out, in, {}, {}, [](Meeting& m) {
            for (at::Tensor& to : m.out) {
                const std::vector<at::Tensor> blocks = to.chunk(static_cast<std::int64_t>(m.in.size()), 0);
                for (std::size_t r = 0; r < m.in.size(); ++r) {
                    if (blocks[r].data_ptr() != m.in[r].data_ptr()) blocks[r].copy_(m.in[r].view_as(blocks[r]));
                }
            }
        });
    }

    CommWork reduceScatter(at::Tensor& out, const at::Tensor& in) override {
        countBytes(ringGatherBytes(in));
        return meet("reduce_scatter", out, in, {}, {}, [](Meeting& m) {
            const std::int64_t block = m.in[0].size(0) / static_cast<std::int64_t>(m.in.size());
            for (std::size_t r = 0; r < m.in.size(); ++r) {
                const std::int64_t at = static_cast<std::int64_t>(r) * block;
                // A copy: `out` may be the block of `in` that is being summed.
                at::Tensor sum = m.in[0].narrow(0, at, block).clone();
                for (std::size_t s = 1; s < m.in.size(); ++s) sum.add_(m.in[s].narrow(0, at, block));
                m.out[r].copy_(sum.view_as(m.out[r]));
            }
        });
    }

    CommWork allToAllV(at::Tensor& out, const at::Tensor& in, const std::vector<std::int64_t>& outSplits,
                       const std::vector<std::int64_t>& inSplits) override {
        const std::int64_t rows = std::accumulate(inSplits.begin(), inSplits.end(), std::int64_t{0});
        const double kept =
            rows > 0 ? static_cast<double>(inSplits[static_cast<std::size_t>(rank())]) / static_cast<double>(rows)
                     : 1.0;
        countBytes(static_cast<double>(in.nbytes()) * (1.0 - kept));
        return meet("all_to_all", out, in, outSplits, inSplits, [](Meeting& m) {
            std::vector<std::int64_t> filled(m.in.size(), 0);
            for (std::size_t from = 0; from < m.in.size(); ++from) {
                std::int64_t at = 0;
                for (std::size_t to = 0; to < m.in.size(); ++to) {
                    const std::int64_t count = m.inSplits[from][to];
                    m.out[to].narrow(0, filled[to], count).copy_(m.in[from].narrow(0, at, count));
                    filled[to] += count;
                    at += count;
                }
            }
        });
    }

    CommWork broadcast(at::Tensor& tensor, int root) override {
        countBytes(ringGatherBytes(tensor));
        return meet("broadcast", tensor, tensor, {}, {}, [root](Meeting& m) {
            for (std::size_t r = 0; r < m.out.size(); ++r) {
                if (static_cast<int>(r) != root) m.out[r].copy_(m.in[static_cast<std::size_t>(root)]);
            }
        });
    }

    CommWork send(const at::Tensor& tensor, int to, int tag) override {
        countBytes(static_cast<double>(tensor.nbytes()));
        at::Tensor copy = tensor.clone();
        {
            const std::lock_guard lock(m_world.mutex);
            if (m_world.failed) raise("send", m_world.failure);
            m_hub->mail[{rank(), to, boxOf(tag, m_sent[to])}].push_back(std::move(copy));
        }
        m_world.changed.notify_all();
        return doneHandle();
    }

    CommWork recv(at::Tensor& tensor, int from, int tag) override {
        if (m_world.messages == Messages::Tagged) return take(tensor, from, tag);
        return m_order.receive(tensor, from, tag, [&](at::Tensor& next) { return take(next, from, tag); });
    }
    void expect(int from, const std::vector<int>& tags) override {
        if (m_world.messages == Messages::InOrder) m_order.expect(from, tags);
    }

    void barrier() override {
        meet("barrier", {}, {}, {}, {}, [](Meeting&) {})->wait();
    }

private:
    // The mailbox of a message: its tag, or its sequence number between two ranks.
    [[nodiscard]] int boxOf(int tag, int& next) const { return m_world.messages == Messages::Tagged ? tag : next++; }

    CommWork take(at::Tensor& tensor, int from, int tag) {
        const int box = boxOf(tag, m_taken[from]);
        auto timing = std::make_shared<Timing>();
        return makeHandle("recv", timing, [this, tensor, from, box]() mutable {
            at::Tensor arrived;
            {
                std::unique_lock lock(m_world.mutex);
                auto& letters = m_hub->mail[{from, rank(), box}];
                m_world.changed.wait(lock, [&] { return m_world.failed || !letters.empty(); });
                if (letters.empty()) raise("recv", m_world.failure);
                arrived = std::move(letters.front());
                letters.pop_front();
            }
            tensor.copy_(arrived.view_as(tensor));
        });
    }

    CommWork meet(const char* operation, const at::Tensor& out, const at::Tensor& in,
                  const std::vector<std::int64_t>& outSplits, const std::vector<std::int64_t>& inSplits,
                  const Combine& combine) {
        auto timing = std::make_shared<Timing>();
        const auto n = static_cast<std::size_t>(size());
        const auto me = static_cast<std::size_t>(rank());
        const std::int64_t ticket = m_ticket++;
        std::shared_ptr<Meeting> meeting;
        bool last = false;
        {
            const std::lock_guard lock(m_world.mutex);
            if (m_world.failed) raise(operation, m_world.failure);
            auto& slot = m_hub->meetings[ticket];
            if (!slot) {
                slot = std::make_shared<Meeting>();
                slot->in.resize(n);
                slot->out.resize(n);
                slot->inSplits.resize(n);
                slot->outSplits.resize(n);
            }
            meeting = slot;
            meeting->in[me] = in;
            meeting->out[me] = out;
            meeting->inSplits[me] = inSplits;
            meeting->outSplits[me] = outSplits;
            meeting->onDone.push_back([timing] { timing->markDone(); });
            last = ++meeting->arrived == size();
            if (last) m_hub->meetings.erase(ticket);
        }
        if (last) {
            combine(*meeting);
            {
                const std::lock_guard lock(m_world.mutex);
                for (const auto& note : meeting->onDone) note();
                meeting->done = true;
                meeting->in.clear();
                meeting->out.clear();
            }
            m_world.changed.notify_all();
        }
        return makeHandle(operation, timing, [this, meeting, operation] {
            std::unique_lock lock(m_world.mutex);
            m_world.changed.wait(lock, [&] { return m_world.failed || meeting->done; });
            if (!meeting->done) raise(operation, m_world.failure);
        });
    }

    InProcessWorld::Shared& m_world;
    std::shared_ptr<Hub> m_hub;
    MessageOrder m_order;
    std::map<int, int> m_sent, m_taken;  ///< by peer: messages so far
    std::int64_t m_ticket = 0;
};

}  // namespace

InProcessWorld::InProcessWorld(std::int64_t size, Messages messages) : m_shared(std::make_unique<Shared>()) {
    m_shared->size = size;
    m_shared->messages = messages;
}

InProcessWorld::~InProcessWorld() = default;

std::int64_t InProcessWorld::size() const {
    return m_shared->size;
}

GroupMaker InProcessWorld::maker(std::int64_t worldRank, std::shared_ptr<CommActivity> activity) {
    return [shared = m_shared.get(), worldRank, activity = std::move(activity)](
               const std::string& name, const std::vector<std::int64_t>& ranks) {
        std::string key = name;
        for (const std::int64_t rank : ranks) (key += '/') += std::to_string(rank);
        std::shared_ptr<Hub> hub;
        {
            const std::lock_guard lock(shared->mutex);
            auto& slot = shared->hubs[key];
            if (!slot) slot = std::make_shared<Hub>();
            hub = slot;
        }
        return std::make_unique<InProcessGroup>(*shared, std::move(hub), name, ranks, worldRank, activity);
    };
}

void InProcessWorld::fail(std::int64_t worldRank, const std::string& why) {
    {
        const std::lock_guard lock(m_shared->mutex);
        if (m_shared->failed) return;
        m_shared->failed = true;
        m_shared->failure = "rank " + std::to_string(worldRank) + " ended: " + why;
    }
    m_shared->changed.notify_all();
}

void runInProcess(std::int64_t size, const std::function<void(std::int64_t rank, InProcessWorld& world)>& body,
                  Messages messages) {
    InProcessWorld world(size, messages);
    std::mutex mutex;
    std::exception_ptr cause, consequence;
    const auto runRank = [&](std::int64_t rank) {
        at::set_num_threads(1);
        try {
            body(rank, world);
        } catch (const CommError& error) {
            const std::lock_guard lock(mutex);
            if (!consequence) consequence = std::current_exception();
            world.fail(rank, error.what());
        } catch (const std::exception& error) {
            const std::lock_guard lock(mutex);
            if (!cause) cause = std::current_exception();
            world.fail(rank, error.what());
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::int64_t rank = 0; rank < size; ++rank) threads.emplace_back(runRank, rank);
    }
    if (cause) std::rethrow_exception(cause);
    if (consequence) std::rethrow_exception(consequence);
}

}  // namespace slipway::trainer
