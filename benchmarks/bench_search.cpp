// Speed of the planner: one plan, and the search over layouts with one and two threads.
//   bin/bench_core_planner --benchmark_counters_tabular=true
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/planner/search/layout_search.h"

#include <benchmark/benchmark.h>

#include <atomic>
#include <thread>

namespace {

using namespace slipway;

LayoutRequest request(const char* model, std::int64_t devices, std::int64_t batch) {
    LayoutRequest r;
    r.config.model = findModelPreset(model)->model;
    r.config.train.seqLen = 8192;
    r.config.train.globalBatchSize = batch;
    r.config.train.precision = Precision::Bf16;
    r.config.train.device = DeviceKind::Gpu;
    r.cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
    r.cluster.numNodes = devices / r.cluster.devicesPerNode;
    r.devices = {devices};
    return r;
}

ParallelFor onThreads(std::int64_t numThreads) {
    if (numThreads == 1) return {};
    return [numThreads](std::size_t count, const std::function<void(std::size_t)>& body) {
        std::atomic<std::size_t> next{0};
        std::vector<std::jthread> threads;
        for (std::int64_t t = 0; t < numThreads; ++t)
            threads.emplace_back([&] {
                for (std::size_t i = next++; i < count; i = next++) body(i);
            });
    };
}

double counted(const LayoutSearch& found, const std::string& reason) {
    for (const SearchCount& c : found.counts)
        if (c.reason == reason) return c.layouts;
    return 0;
}

/// A plan while a slider moves, timeline and advice included.
void plan405b(benchmark::State& state) {
    const LayoutRequest r = request("llama3.1-405b", 16384, 2048);
    RunConfig c = r.config;
    c.parallel.tp = 8;
    c.parallel.pp = 16;
    c.parallel.dp = 128;
    c.parallel.sequenceParallel = true;
    c.parallel.zeroStage = 1;
    c.train.microBatchSize = 1;
    for (auto _ : state) benchmark::DoNotOptimize(makePlan(c, r.cluster));
}
BENCHMARK(plan405b)->Unit(benchmark::kMillisecond);

/// The whole search; argument: threads.
void search405b(benchmark::State& state) {
    LayoutRequest r = request("llama3.1-405b", 16384, 2048);
    r.run = onThreads(state.range(0));
    double layouts = 0;
    for (auto _ : state) layouts += searchLayouts(r).numLayouts;
    state.counters["layouts/s"] = benchmark::Counter(layouts, benchmark::Counter::kIsRate);
}
BENCHMARK(search405b)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

/// The same under a software stack with default constants, where what is kept depends on what fits.
void searchUnderStack405b(benchmark::State& state) {
    LayoutRequest r = request("llama3.1-405b", 16384, 2048);
    r.cluster.stack = SoftwareStack{};
    r.cluster.stack->facts.keepsGathered = true;
    r.run = onThreads(state.range(0));
    double layouts = 0;
    for (auto _ : state) layouts += searchLayouts(r).numLayouts;
    state.counters["layouts/s"] = benchmark::Counter(layouts, benchmark::Counter::kIsRate);
}
BENCHMARK(searchUnderStack405b)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

/// Legality and memory of every layout of the space, nothing else.
void judge405b(benchmark::State& state) {
    LayoutRequest r = request("llama3.1-405b", 16384, 2048);
    r.run = onThreads(state.range(0));
    double layouts = 0;
    for (auto _ : state) layouts += evaluateLayouts(r).numLayouts;
    state.counters["layouts/s"] = benchmark::Counter(layouts, benchmark::Counter::kIsRate);
}
BENCHMARK(judge405b)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

/// Full estimates: nothing is pruned, every layout that fits gets its step time.
void estimate8b(benchmark::State& state) {
    LayoutRequest r = request("llama3-8b", 256, 512);
    r.prune = false;
    r.run = onThreads(state.range(0));
    double layouts = 0;
    for (auto _ : state) layouts += counted(searchLayouts(r), "estimated");
    state.counters["estimates/s"] = benchmark::Counter(layouts, benchmark::Counter::kIsRate);
}
BENCHMARK(estimate8b)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
