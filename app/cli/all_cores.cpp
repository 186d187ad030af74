#include "app/cli/all_cores.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace slipway {

void onAllCores(std::size_t count, const std::function<void(std::size_t)>& body) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < count; i = next++) body(i);
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < std::min<std::size_t>(std::thread::hardware_concurrency(), count); ++i)
        threads.emplace_back(work);
    work();
}

}  // namespace slipway
