#include "trainer/bench/comm_bench.h"

#include "core/base/clock.h"
#include "core/spec/link_fit.h"
#include "trainer/comm/gloo_group.h"

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
#include <thread>

namespace slipway::trainer {
namespace {

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

// A collective of a training step follows computation: the ranks arrive with caches and cores in use, and the thread
// that moves bytes has to be woken. Measured back to back, small messages look several times cheaper than they are.
void compute(at::Tensor& square) {
    const double end = monotonicSecondsNow() + kComputeSeconds;
    while (monotonicSecondsNow() < end) square = at::mm(square, square).mul_(1.0 / static_cast<double>(kComputeSize));
}

// One rank; rank 0 keeps the times.
void runRank(std::uint16_t port, std::int64_t rank, int repeats, CommReport& report) {
    at::set_num_threads(1);
    RankEnvironment environment;
    environment.rank = rank;
    environment.worldSize = kCommRanks;
    environment.masterPort = port;
    Rendezvous rendezvous(environment, std::chrono::seconds(30));
    const std::unique_ptr<ProcessGroup> group = glooMaker(rendezvous, nullptr)("world", {0, 1});
    const auto measure = [&](const char* operation, std::int64_t bytes, const std::function<void()>& body) {
        std::vector<double> seconds;
        at::Tensor square = at::ones({kComputeSize, kComputeSize});
        for (int i = -2; i < repeats; ++i) {  // two to warm up
            compute(square);
            const double begin = monotonicSecondsNow();
            body();
            if (i >= 0) seconds.push_back(monotonicSecondsNow() - begin);
        }
        if (rank == 0) report.samples.push_back({operation, bytes, medianOf(std::move(seconds))});
    };
    const int peer = rank == 0 ? 1 : 0;
    for (const std::int64_t bytes : kSizes) {
        at::Tensor whole = at::zeros({bytes / 4}, at::kFloat), half = at::zeros({bytes / 8}, at::kFloat);
        measure("all_reduce", bytes, [&] { group->allReduce(whole, ReduceOp::Sum)->wait(); });
        measure("all_gather", bytes, [&] { group->allGather(whole, half)->wait(); });
        measure("reduce_scatter", bytes, [&] { group->reduceScatter(half, whole)->wait(); });
        // There and back: half of it is one message.
        measure("send", bytes, [&] {
            if (rank == 0) group->send(whole, peer, 1);
            group->recv(whole, peer, 1)->wait();
            if (rank == 1) group->send(whole, peer, 1);
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
    fit.latencySeconds /= 2;
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
                    runRank(port, rank, repeats, report);
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

}  // namespace slipway::trainer
