#include "trainer/comm/nccl_group.h"

#include "trainer/comm/message_order.h"

#include <ATen/cuda/CUDAEvent.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <nccl.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <numeric>
#include <utility>

namespace slipway::trainer {
namespace {

constexpr auto kPatience = std::chrono::seconds(300);

ncclDataType_t ncclTypeOf(at::ScalarType type) {
    switch (type) {
        case at::kDouble: return ncclFloat64;
        case at::kFloat: return ncclFloat32;
        case at::kHalf: return ncclFloat16;
        case at::kBFloat16: return ncclBfloat16;
        case at::kLong: return ncclInt64;
        case at::kInt: return ncclInt32;
        default:
            if (c10::elementSize(type) != 1)
                throw std::runtime_error(std::string("NCCL has no number format for ") + c10::toString(type));
            return ncclUint8;
    }
}

/// True between a barrier of all and the next collective: then no rank waits for another, and communicators may be
/// destroyed together.
using AtRest = std::shared_ptr<std::atomic<bool>>;

/// A communicator with its own stream, so that collectives overlap with computation.
class Channel {
public:
    Channel(Rendezvous& rendezvous, const std::string& key, int rank, int size, int device, AtRest atRest)
        : m_atRest(std::move(atRest)),
          m_device(static_cast<c10::DeviceIndex>(device)),
          m_stream(c10::cuda::getStreamFromPool(/*isHighPriority=*/true, m_device)) {
        const c10::cuda::CUDAGuard guard(m_device);
        ncclUniqueId id{};
        if (rank == 0) {
            check(ncclGetUniqueId(&id));
            rendezvous.put(key, std::string(id.internal, sizeof id.internal));
        } else {
            const std::string text = rendezvous.wait(key, kPatience);
            std::copy_n(text.begin(), std::min(text.size(), sizeof id.internal), id.internal);
        }
        check(ncclCommInitRank(&m_comm, size, id, rank));
    }
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;
    ~Channel() {
        // Aborting drops data that the network still sends to a peer; it also frees a communicator whose peer is gone,
        // where destroying would block.
        const c10::cuda::CUDAGuard guard(m_device);
        static_cast<void>(m_atRest->load() ? ncclCommDestroy(m_comm) : ncclCommAbort(m_comm));
    }

    void check(ncclResult_t result) const {
        if (result != ncclSuccess)
            throw std::runtime_error(std::string(ncclGetErrorString(result)) + ": " + ncclGetLastError(m_comm));
        ncclResult_t later = ncclSuccess;
        if (m_comm != nullptr && ncclCommGetAsyncError(m_comm, &later) == ncclSuccess && later != ncclSuccess &&
            later != ncclInProgress)
            throw std::runtime_error(std::string(ncclGetErrorString(later)) + ": " + ncclGetLastError(m_comm));
    }

    [[nodiscard]] ncclComm_t comm() const { return m_comm; }
    [[nodiscard]] const c10::cuda::CUDAStream& stream() const { return m_stream; }

private:
    AtRest m_atRest;
    c10::DeviceIndex m_device;
    c10::cuda::CUDAStream m_stream;
    ncclComm_t m_comm = nullptr;
};

class NcclGroup final : public GroupBase {
public:
    NcclGroup(Rendezvous& rendezvous, const std::string& name, const std::vector<std::int64_t>& ranks, int device,
              std::shared_ptr<CommActivity> activity, AtRest atRest)
        : GroupBase(name, ranks, rendezvous.environment().rank, std::move(activity)),
          m_atRest(std::move(atRest)),
          m_device(static_cast<c10::DeviceIndex>(device)),
          m_rendezvous(rendezvous),
          m_key("nccl/" + name) {
        for (const std::int64_t rank : ranks) m_key += "/" + std::to_string(rank);
        m_all = std::make_unique<Channel>(rendezvous, m_key, rank(), size(), device, m_atRest);
        if (name == "pp" || name == "cp") connectNeighbours();
    }
    // In an order common to all ranks: destroying a communicator is itself a collective.
    ~NcclGroup() override {
        for (auto& directed : m_directed) directed.second.reset();
    }
    NcclGroup(const NcclGroup&) = delete;
    NcclGroup& operator=(const NcclGroup&) = delete;

    CommWork allReduce(at::Tensor& tensor, ReduceOp op) override {
        countBytes(ringAllReduceBytes(tensor));
        return launch("all_reduce", *m_all, {tensor}, [&](ncclComm_t comm, cudaStream_t stream) {
            return ncclAllReduce(tensor.const_data_ptr(), tensor.mutable_data_ptr(), count(tensor),
                                 ncclTypeOf(tensor.scalar_type()), op == ReduceOp::Sum ? ncclSum : ncclMax, comm,
                                 stream);
        });
    }

    CommWork allGather(at::Tensor& out, const at::Tensor& in) override {
        countBytes(ringGatherBytes(out));
        return launch("all_gather", *m_all, {out, in}, [&](ncclComm_t comm, cudaStream_t stream) {
            return ncclAllGather(in.const_data_ptr(), out.mutable_data_ptr(), count(in), ncclTypeOf(in.scalar_type()),
                                 comm, stream);
        });
    }

    CommWork reduceScatter(at::Tensor& out, const at::Tensor& in) override {
        countBytes(ringGatherBytes(in));
        return launch("reduce_scatter", *m_all, {out, in}, [&](ncclComm_t comm, cudaStream_t stream) {
            return ncclReduceScatter(in.const_data_ptr(), out.mutable_data_ptr(), count(out),
                                     ncclTypeOf(in.scalar_type()), ncclSum, comm, stream);
        });
    }

    CommWork allToAllV(at::Tensor& out, const at::Tensor& in, const std::vector<std::int64_t>& outSplits,
                       const std::vector<std::int64_t>& inSplits) override {
        const std::int64_t rows = std::accumulate(inSplits.begin(), inSplits.end(), std::int64_t{0});
        const double kept =
            rows > 0 ? static_cast<double>(inSplits[static_cast<std::size_t>(rank())]) / static_cast<double>(rows)
                     : 1.0;
        countBytes(static_cast<double>(in.nbytes()) * (1.0 - kept));
        return launch("all_to_all", *m_all, {out, in}, [&](ncclComm_t comm, cudaStream_t stream) {
            const ncclDataType_t type = ncclTypeOf(in.scalar_type());
            std::int64_t sent = 0, received = 0;
            ncclResult_t result = ncclGroupStart();
            for (int peer = 0; peer < size() && result == ncclSuccess; ++peer) {
                const std::int64_t give = inSplits[static_cast<std::size_t>(peer)],
                                   take = outSplits[static_cast<std::size_t>(peer)];
                const at::Tensor from = in.narrow(0, sent, give), to = out.narrow(0, received, take);
                result = ncclSend(from.const_data_ptr(), count(from), type, peer, comm, stream);
                if (result == ncclSuccess)
                    result = ncclRecv(to.mutable_data_ptr(), count(to), type, peer, comm, stream);
                sent += give;
                received += take;
            }
            const ncclResult_t end = ncclGroupEnd();
            return result == ncclSuccess ? end : result;
        });
    }

    CommWork broadcast(at::Tensor& tensor, int root) override {
        countBytes(ringGatherBytes(tensor));
        return launch("broadcast", *m_all, {tensor}, [&](ncclComm_t comm, cudaStream_t stream) {
            return ncclBroadcast(tensor.const_data_ptr(), tensor.mutable_data_ptr(), count(tensor),
                                 ncclTypeOf(tensor.scalar_type()), root, comm, stream);
        });
    }

    // NCCL has no tags: messages from one rank to another arrive in the order of sending. MessageOrder finds the
    // requested one.
    CommWork send(const at::Tensor& tensor, int to, int) override {
        countBytes(static_cast<double>(tensor.nbytes()));
        CommWork work =
            launch("send", channel("send", rank(), to), {tensor}, [&](ncclComm_t comm, cudaStream_t stream) {
                return ncclSend(tensor.const_data_ptr(), count(tensor), ncclTypeOf(tensor.scalar_type()), 1, comm,
                                stream);
            });
        // The tensor is not overwritten before the message is sent: the allocator keeps it for this stream (launch).
        return work;
    }

    CommWork recv(at::Tensor& tensor, int from, int tag) override {
        return m_order.receive(tensor, from, tag, [&](at::Tensor& next) {
            return launch("recv", channel("recv", from, rank()), {next}, [&](ncclComm_t comm, cudaStream_t stream) {
                return ncclRecv(next.mutable_data_ptr(), count(next), ncclTypeOf(next.scalar_type()), 0, comm, stream);
            });
        });
    }
    void expect(int from, const std::vector<int>& tags) override { m_order.expect(from, tags); }

    void barrier() override {
        at::Tensor one = at::zeros({1}, at::TensorOptions().dtype(at::kFloat).device(at::kCUDA, m_device));
        allReduce(one, ReduceOp::Sum)->wait();
        c10::cuda::getCurrentCUDAStream(m_device).synchronize();
        m_atRest->store(true);
    }

    [[nodiscard]] CommCounters counters() const override {
        const_cast<NcclGroup*>(this)->countPassed();
        return GroupBase::counters();
    }

private:
    /// Device time of a collective on its own stream, and of the wait for it on another.
    struct Passage {
        DeviceClock::Mark start, end;
        DeviceClock::Mark reached, passed;  ///< null until the wait is queued
    };

    // Counts and removes the passages that the device has completed. Its wait may include the group's earlier
    // collectives: at most its own time counts as exposed.
    void countPassed() {
        for (; !m_passages.empty(); m_passages.pop_front()) {
            const Passage& passage = *m_passages.front();
            if (!passage.passed || !passage.passed->query()) return;
            const double seconds = DeviceClock::seconds(passage.start, passage.end);
            countSeconds(seconds, std::min(seconds, DeviceClock::seconds(passage.reached, passage.passed)));
        }
    }

    static std::size_t count(const at::Tensor& tensor) { return static_cast<std::size_t>(tensor.numel()); }

    // A communicator per direction: on a common stream a send that waits for its receiver would block the receive
    // after it.
    void connectNeighbours() {
        for (int from = 0; from < size(); ++from) {
            for (const int to : {(from + 1) % size(), (from + size() - 1) % size()}) {
                if (m_directed.count({from, to}) > 0 || (rank() != from && rank() != to)) continue;
                m_directed[{from, to}] = std::make_unique<Channel>(
                    m_rendezvous, m_key + ":" + std::to_string(from) + ">" + std::to_string(to), rank() == from ? 0 : 1,
                    2, m_device, m_atRest);
            }
        }
    }

    Channel& channel(const char* operation, int from, int to) {
        // Only overlapped tensor parallelism sends along tp; all its ranks get here for the first time at the same
        // point.
        if (name() == "tp" && m_directed.empty()) connectNeighbours();
        const auto found = m_directed.find({from, to});
        if (found == m_directed.end()) raise(operation, "only neighbours of a pipeline or a ring are connected");
        return *found->second;
    }

    template <class Call>
    CommWork launch(const char* operation, Channel& channel, const std::vector<at::Tensor>& tensors, const Call& call) {
        m_atRest->store(false);
        const c10::cuda::CUDAGuard guard(m_device);
        const c10::cuda::CUDAStream current = c10::cuda::getCurrentCUDAStream(m_device);
        at::cuda::CUDAEvent given;
        given.record(current);
        given.block(channel.stream());
        const auto passage = std::make_shared<Passage>();
        passage->start = DeviceClock::markOn(channel.stream());
        try {
            channel.check(call(channel.comm(), channel.stream().stream()));
        } catch (const std::exception& error) {
            raise(operation, error.what());
        }
        passage->end = DeviceClock::markOn(channel.stream());
        for (const at::Tensor& tensor : tensors) tensor.record_stream(channel.stream());
        m_passages.push_back(passage);
        noteGiven(operation, passage->start, passage->end);
        // The host clock does not apply: the duration of the collective, and of the computation's wait for it, are
        // device times.
        return makeHandle(operation, /*timing=*/nullptr, [this, operation, passage] {
            const c10::cuda::CUDAStream waiting = c10::cuda::getCurrentCUDAStream(m_device);
            passage->reached = DeviceClock::markOn(waiting);
            passage->end->block(waiting);
            passage->passed = DeviceClock::markOn(waiting);
            noteWaited(operation, passage->start, passage->end);
        });
    }

    AtRest m_atRest;
    c10::DeviceIndex m_device;
    Rendezvous& m_rendezvous;
    std::string m_key;
    std::unique_ptr<Channel> m_all;
    std::map<std::pair<int, int>, std::unique_ptr<Channel>> m_directed;
    MessageOrder m_order;
    std::deque<std::shared_ptr<Passage>> m_passages;  ///< not counted yet
};

}  // namespace

bool haveNccl() {
    return true;
}

GroupMaker ncclMaker(Rendezvous& rendezvous, int device, std::shared_ptr<CommActivity> activity) {
    return [&rendezvous, device, activity = std::move(activity), atRest = std::make_shared<std::atomic<bool>>(false)](
               const std::string& name, const std::vector<std::int64_t>& ranks) -> std::unique_ptr<ProcessGroup> {
        try {
            return std::make_unique<NcclGroup>(rendezvous, name, ranks, device, activity, atRest);
        } catch (const CommError&) {
            throw;
        } catch (const std::exception& error) {
            throw CommError(name, "connect", "connect in group " + name + " failed: " + error.what());
        }
    };
}

}  // namespace slipway::trainer
