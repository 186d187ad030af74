#include "trainer/comm/gloo_group.h"

#include "trainer/comm/rendezvous_store.h"

#include <ATen/ops/empty_like.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <numeric>
#include <thread>

namespace slipway::trainer {
namespace {

// A death closes connections, which Gloo reports at once; a hang is detected by the watchdog (missing progress), so
// collectives themselves wait for a day.
constexpr auto kPatience = std::chrono::hours(24);
constexpr auto kConnectPatience = std::chrono::seconds(30);  // all ranks start together (start_together.h)

using Work = c10::intrusive_ptr<c10d::Work>;

// libtorch records all collectives of the process in a map without a lock: ranks that are threads of
// one process (tests, bench) crash in it. Set before main, with one thread; a value set by the user is kept.
[[maybe_unused]] const int kNoFlightRecorder = ::setenv("TORCH_FR_BUFFER_SIZE", "0", 0);

/// Messages under way. Its thread waits for them one by one and releases those sent.
class Outbox {
public:
    Outbox() : m_thread([this] { run(); }) {}
    Outbox(const Outbox&) = delete;
    Outbox& operator=(const Outbox&) = delete;

    ~Outbox() {
        {
            const std::lock_guard lock(m_mutex);
            m_stop = true;
            for (const Work& work : m_queue) work->abort();
        }
        m_changed.notify_all();
        m_thread.join();
    }

    /// Throws when an earlier message could not be delivered.
    void add(Work work) {
        const std::lock_guard lock(m_mutex);
        if (!m_failure.empty()) throw std::runtime_error(m_failure);
        m_queue.push_back(std::move(work));
        m_changed.notify_all();
    }

    /// Waits until all messages have left.
    void drain() {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_queue.empty() || !m_failure.empty(); });
        if (!m_failure.empty()) throw std::runtime_error(m_failure);
    }

private:
    void run() {
        std::unique_lock lock(m_mutex);
        for (;;) {
            m_changed.wait(lock, [&] { return m_stop || !m_queue.empty(); });
            if (m_stop) return;
            const Work work = m_queue.front();
            lock.unlock();
            std::string failure;
            try {
                work->wait(kPatience);
            } catch (const std::exception& error) {
                failure = error.what();
            }
            lock.lock();
            if (!failure.empty()) {
                m_failure = failure;
                m_changed.notify_all();
                return;
            }
            m_queue.pop_front();
            m_changed.notify_all();
        }
    }

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Work> m_queue;
    std::string m_failure;
    bool m_stop = false;
    std::thread m_thread;
};

class GlooGroup final : public GroupBase {
public:
    GlooGroup(c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo, const std::string& name,
              const std::vector<std::int64_t>& ranks, std::int64_t worldRank, std::shared_ptr<CommActivity> activity)
        : GroupBase(name, ranks, worldRank, std::move(activity)), m_gloo(std::move(gloo)) {}

    CommWork allReduce(at::Tensor& tensor, ReduceOp op) override {
        countBytes(ringAllReduceBytes(tensor));
        return start("all_reduce", [&] {
            std::vector<at::Tensor> tensors{tensor};
            c10d::AllreduceOptions options;
            options.reduceOp = op == ReduceOp::Sum ? c10d::ReduceOp::SUM : c10d::ReduceOp::MAX;
            return m_gloo->allreduce(tensors, options);
        });
    }

    CommWork allGather(at::Tensor& out, const at::Tensor& in) override {
        countBytes(ringGatherBytes(out));
        return start("all_gather", [&] {
            at::Tensor input = in;
            return m_gloo->_allgather_base(out, input);
        });
    }

    // Gloo's own reduce-scatter is an all-reduce of a copy. If every rank receives only its block of all others and
    // sums in rank order, half the bytes move in half the time (measured from 1 KiB to 1 MiB).
    CommWork reduceScatter(at::Tensor& out, const at::Tensor& in) override {
        countBytes(ringGatherBytes(in));
        at::Tensor blocks = at::empty_like(in);
        auto timing = std::make_shared<Timing>();
        Work work;
        guarded("reduce_scatter", [&] {
            at::Tensor input = in;
            std::vector<std::int64_t> rows(static_cast<std::size_t>(size()), in.size(0) / size());
            work = m_gloo->alltoall_base(blocks, input, rows, rows);
        });
        return makeHandle("reduce_scatter", timing, [this, work, blocks, out]() mutable {
            work->wait(kPatience);
            const std::vector<at::Tensor> parts = blocks.chunk(size(), 0);
            out.copy_(parts[0].view_as(out));
            for (std::size_t rank = 1; rank < parts.size(); ++rank) out.add_(parts[rank].view_as(out));
        });
    }

    CommWork allToAllV(at::Tensor& out, const at::Tensor& in, const std::vector<std::int64_t>& outSplits,
                       const std::vector<std::int64_t>& inSplits) override {
        const std::int64_t rows = std::accumulate(inSplits.begin(), inSplits.end(), std::int64_t{0});
        const double kept =
            rows > 0 ? static_cast<double>(inSplits[static_cast<std::size_t>(rank())]) / static_cast<double>(rows)
                     : 1.0;
        countBytes(static_cast<double>(in.nbytes()) * (1.0 - kept));
        return start("all_to_all", [&] {
            at::Tensor input = in;
            std::vector<std::int64_t> outCounts = outSplits, inCounts = inSplits;
            return m_gloo->alltoall_base(out, input, outCounts, inCounts);
        });
    }

    CommWork broadcast(at::Tensor& tensor, int root) override {
        countBytes(ringGatherBytes(tensor));
        return start("broadcast", [&] {
            std::vector<at::Tensor> tensors{tensor};
            c10d::BroadcastOptions options;
            options.rootRank = root;
            return m_gloo->broadcast(tensors, options);
        });
    }

    // Gloo moves the bytes of a send only once the receiver has posted its buffer, so waiting for a send could
    // deadlock two ranks that send to each other: the message is copied, and a thread of the group keeps the copy
    // until it is sent.
    CommWork send(const at::Tensor& tensor, int to, int tag) override {
        countBytes(static_cast<double>(tensor.nbytes()));
        guarded("send", [&] {
            std::vector<at::Tensor> tensors{tensor.clone()};
            if (!m_outbox) m_outbox = std::make_unique<Outbox>();
            m_outbox->add(m_gloo->send(tensors, to, tag));
        });
        return doneHandle();
    }

    CommWork recv(at::Tensor& tensor, int from, int tag) override {
        auto timing = std::make_shared<Timing>();
        Work work;
        guarded("recv", [&] {
            std::vector<at::Tensor> tensors{tensor};
            work = m_gloo->recv(tensors, from, tag);
        });
        return makeHandle("recv", timing, [work] { work->wait(kPatience); });
    }

    void barrier() override {
        start("barrier", [&] { return m_gloo->barrier(); })->wait();
        if (m_outbox) guarded("send", [&] { m_outbox->drain(); });
    }

private:
    template <class Body>
    void guarded(const char* operation, const Body& body) {
        try {
            body();
        } catch (const CommError&) {
            throw;
        } catch (const std::exception& error) {
            raise(operation, error.what());
        }
    }

    template <class Begin>
    CommWork start(const char* operation, const Begin& begin) {
        auto timing = std::make_shared<Timing>();
        Work work;
        guarded(operation, [&] { work = begin(); });
        work->getFuture()->addCallback([timing](c10::ivalue::Future&) { timing->markDone(); });
        return makeHandle(operation, timing, [work] { work->wait(kPatience); });
    }

    c10::intrusive_ptr<c10d::ProcessGroupGloo> m_gloo;
    std::unique_ptr<Outbox> m_outbox;
};

}  // namespace

bool haveGloo() {
    return true;
}

GroupMaker glooMaker(Rendezvous& rendezvous, std::shared_ptr<CommActivity> activity) {
    // One device (one thread that moves bytes) serves all groups of the rank.
    auto device = c10d::ProcessGroupGloo::createDeviceForHostname(rendezvous.localAddress());
    return [&rendezvous, device, activity = std::move(activity)](
               const std::string& name, const std::vector<std::int64_t>& ranks) -> std::unique_ptr<ProcessGroup> {
        const std::int64_t worldRank = rendezvous.environment().rank;
        std::string prefix = "gloo/" + name;
        for (const std::int64_t rank : ranks) prefix += "/" + std::to_string(rank);
        const auto place = std::find(ranks.begin(), ranks.end(), worldRank) - ranks.begin();
        try {
            auto options = c10d::ProcessGroupGloo::Options::create(kConnectPatience);
            options->devices.push_back(device);
            auto store = c10::make_intrusive<c10d::PrefixStore>(prefix, rendezvous.store().keys);
            auto gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(place),
                                                                    static_cast<int>(ranks.size()), options);
            gloo->setTimeout(kPatience);
            return std::make_unique<GlooGroup>(std::move(gloo), name, ranks, worldRank, activity);
        } catch (const std::exception& error) {
            throw CommError(name, "connect", "connect in group " + name + " failed: " + error.what());
        }
    };
}

}  // namespace slipway::trainer
