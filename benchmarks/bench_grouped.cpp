// Products of experts on this CPU: libtorch's grouped product against the loop over experts, 8 of 128 x 256 and 512
// rows. The choice of the loop on a CPU (trainer/kernels/grouped_linear.h) follows from it.
//   bin/bench_trainer_kernels
#include "trainer/kernels/grouped_linear.h"
#include "trainer/kernels/linear.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <benchmark/benchmark.h>

namespace {

using namespace slipway::trainer;

const std::vector<std::int64_t> kRows(8, 64);

std::vector<at::Tensor> weights() {
    std::vector<at::Tensor> list;
    for (std::size_t i = 0; i < kRows.size(); ++i) list.push_back(at::randn({256, 128}));
    return list;
}

void grouped(benchmark::State& state) {
    const std::vector<at::Tensor> experts = weights();
    const at::Tensor x = at::randn({512, 128});
    for (auto _ : state) benchmark::DoNotOptimize(groupedForward(x, experts, kRows));
}
BENCHMARK(grouped);

void loop(benchmark::State& state) {
    const std::vector<at::Tensor> experts = weights();
    const at::Tensor x = at::randn({512, 128});
    for (auto _ : state) {
        std::vector<at::Tensor> parts;
        std::int64_t begin = 0;
        for (std::size_t i = 0; i < kRows.size(); begin += kRows[i++])
            parts.push_back(linearForward(x.narrow(0, begin, kRows[i]), experts[i], {}));
        benchmark::DoNotOptimize(at::cat(parts));
    }
}
BENCHMARK(loop);

}  // namespace

BENCHMARK_MAIN();
