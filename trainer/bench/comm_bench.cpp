#include "trainer/bench/comm_bench.h"

#include "core/base/clock.h"
#include "core/spec/link_fit.h"
#include "trainer/comm/gloo_group.h"
#include "trainer/comm/nccl_group.h"
#include "trainer/kernels/first_gpu.h"

#include <ATen/Parallel.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <thread>

namespace slipway::trainer {
namespace {

constexpr std::chrono::seconds kPatience{30};
constexpr double kComputeSeconds = 2e-3;
constexpr std::int64_t kComputeSize = 256;
constexpr std::int64_t kSizes[] = {1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 22};

std::uint16_t freePort() {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    std::uint16_t port = 0;
    if (fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
        getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0)
        port = ntohs(address.sin_port);
    if (fd >= 0) close(fd);
    return port;
}

double medianOf(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

// The median of a window, the best of five: other programs and the hypervisor come and go, as in gemm_bench.cpp.
double bestMedian(const std::vector<double>& values) {
    constexpr std::size_t kWindows = 5;
    const std::size_t length = std::max<std::size_t>(1, values.size() / kWindows);
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t begin = 0; begin + length <= values.size(); begin += length)
        best = std::min(best, medianOf({values.begin() + static_cast<std::ptrdiff_t>(begin),
                                        values.begin() + static_cast<std::ptrdiff_t>(begin + length)}));
    return best;
}

// A collective of a training step follows computation: the ranks arrive with caches and cores in use, and the thread
// that moves bytes must be woken up. Measured back to back, small messages would seem several times cheaper.
void compute(at::Tensor& square) {
    const double end = monotonicSecondsNow() + kComputeSeconds;
    while (monotonicSecondsNow() < end) square = at::mm(square, square).mul_(1.0 / static_cast<double>(kComputeSize));
}

// Work queued on a GPU has finished once a number from it is back on the host.
void settle(const at::Tensor& tensor) {
    if (tensor.is_cuda()) static_cast<void>(tensor.narrow(0, 0, 1).cpu());
}

// Measures on one rank; rank 0 stores the times.
void measureRank(const GroupMaker& make, const RankEnvironment& environment, at::Device device, int repeats,
                 CommReport& report) {
    const std::int64_t rank = environment.rank, last = environment.worldSize - 1;
    std::vector<std::int64_t> ranks(static_cast<std::size_t>(environment.worldSize));
    std::iota(ranks.begin(), ranks.end(), 0);
    const std::unique_ptr<ProcessGroup> group = make("world", ranks);
    const auto options = at::TensorOptions().dtype(at::kFloat).device(device);
    const auto measure = [&](const char* operation, const at::Tensor& whole, const std::function<void()>& body) {
        std::vector<double> seconds;
        at::Tensor square = at::ones({kComputeSize, kComputeSize}, options);
        for (int i = -2; i < repeats; ++i) {  // the first two are warm-up
            compute(square);
            settle(square.flatten());
            const double begin = monotonicSecondsNow();
            body();
            settle(whole);
            if (i >= 0) seconds.push_back(monotonicSecondsNow() - begin);
        }
        if (rank == 0) report.samples.push_back({operation, 4 * whole.numel(), bestMedian(seconds)});
    };
    for (const std::int64_t bytes : kSizes) {
        const std::int64_t share = std::max<std::int64_t>(1, bytes / 4 / environment.worldSize);
        at::Tensor part = at::zeros({share}, options), whole = at::zeros({share * environment.worldSize}, options);
        measure("all_reduce", whole, [&] { group->allReduce(whole, ReduceOp::Sum)->wait(); });
        measure("all_gather", whole, [&] { group->allGather(whole, part)->wait(); });
        measure("reduce_scatter", whole, [&] { group->reduceScatter(part, whole)->wait(); });
        if (rank != 0 && rank != last) continue;
        // A round trip; one message takes half of it.
        const int peer = static_cast<int>(rank == 0 ? last : 0);
        measure("send", whole, [&] {
            if (rank == 0) group->send(whole, peer, 1)->wait();
            group->recv(whole, peer, 1)->wait();
            if (rank == last) group->send(whole, peer, 1)->wait();
        });
        if (rank == 0) report.samples.back().seconds /= 2;
    }
    group->barrier();
}

}  // namespace

LinkSpec fitLink(const std::vector<CommSample>& samples, const std::string& operation) {
    std::vector<TimedMessage> messages;
    for (const CommSample& sample : samples)
        if (sample.operation == operation) messages.push_back({static_cast<double>(sample.bytes), sample.seconds});
    return slipway::fitLink(messages);
}

LinkSpec linkOf(const CommReport& report) {
    LinkSpec fit = fitLink(report.samples, "all_reduce");
    const auto hops = 2 * static_cast<double>(report.ranks - 1);
    fit.latencySeconds /= hops;
    fit.bytesPerSecond *= hops / static_cast<double>(report.ranks);
    return fit;
}

Result<CommReport> measureComm(int repeats) {
    CommReport report;
    const std::uint16_t port = freePort();
    std::string failure[kCommRanks];
    {
        std::vector<std::jthread> ranks;
        for (std::int64_t rank = 0; rank < kCommRanks; ++rank) {
            ranks.emplace_back([&, rank] {
                try {
                    at::set_num_threads(1);
                    RankEnvironment environment;
                    environment.rank = rank;
                    environment.worldSize = kCommRanks;
                    environment.masterPort = port;
                    Rendezvous rendezvous(environment, kPatience);
                    measureRank(glooMaker(rendezvous, nullptr), environment, at::kCPU, repeats, report);
                } catch (const std::exception& error) {
                    failure[rank] = error.what();
                }
            });
        }
    }
    for (const std::string& text : failure)
        if (!text.empty()) return fail("comm_failure", text);
    return report;
}

Result<CommReport> measureCommAsRank(const RankEnvironment& environment, std::int64_t ranksPerNode, bool nccl,
                                     int repeats) {
    CommReport report{environment.worldSize, ranksPerNode, {}};
    const Result<at::Device> device = nccl ? useGpu(environment.localRank) : Result<at::Device>(at::kCPU);
    if (!device) return fail(device.error());
    at::set_num_threads(1);
    try {
        Rendezvous rendezvous(environment, 2 * kPatience);
        const GroupMaker make = nccl ? ncclMaker(rendezvous, static_cast<int>(environment.localRank), nullptr)
                                     : glooMaker(rendezvous, nullptr);
        measureRank(make, environment, *device, repeats, report);
        rendezvous.acknowledge("measured");
        rendezvous.keepForReaders("measured", kPatience);
    } catch (const std::exception& error) {
        return fail("comm_failure", error.what());
    }
    return report;
}

}  // namespace slipway::trainer
