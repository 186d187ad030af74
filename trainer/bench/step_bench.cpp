#include "trainer/bench/step_bench.h"

#include "core/base/clock.h"
#include "core/spec/pipeline_schedule.h"
#include "trainer/kernels/first_gpu.h"
#include "trainer/kernels/kernel_check.h"
#include "trainer/kernels/tf32.h"
#include "trainer/optim/optimizer.h"
#include "trainer/pipeline/executor.h"
#include "trainer/telemetry/device_memory.h"
#include "trainer/telemetry/tensor_memory.h"

#include <ATen/Parallel.h>
#include <ATen/ops/randint.h>

#include <algorithm>
#include <ctime>

namespace slipway::trainer {
namespace {

double cpuSecondsNow() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Result<void> checkConfig(const RunConfig& config) {
    if (config.parallel.worldSize() != 1)
        return fail("bad_config", "bench --step measures one process; every degree of parallel must be 1.");
    Issues issues = validate(config);
    for (const Issue& issue : trainerSupports(config)) issues.push_back(issue);
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error) return fail("bad_config", issue.field + ": " + issue.message);
    return {};
}

}  // namespace

double StepReport::median(double StepSample::*member) const {
    if (samples.empty()) return 0;
    std::vector<double> values;
    for (const StepSample& sample : samples) values.push_back(sample.*member);
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Result<StepReport> measureStep(const RunConfig& config, int warmup, int steps) {
    if (const Result<void> checked = checkConfig(config); !checked) return fail(checked.error());
    installTensorMemory();
    at::set_num_threads(static_cast<int>(config.train.threadsPerRank));
    at::Device device = at::kCPU;
    if (config.train.device == DeviceKind::Gpu) {
        const Result<at::Device> gpu = firstGpu();
        if (!gpu) return fail(gpu.error());
        device = *gpu;
        if (const auto sound = checkKernels(device, computeType(config.train.precision)); !sound)
            return fail(sound.error());
    }
    const Tf32Products tf32(config.train.precision == Precision::Tf32);
    const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
    Model model(config, mesh, device);
    Optimizer optimizer(config, mesh, model.parameters());
    auto schedule = makeSchedule(config.parallel.schedule, 1, config.numMicroBatches(), 1);
    if (!schedule) return fail(schedule.error());
    PipelineExecutor executor(model, mesh, *schedule,
                              config.train.cudaGraphs && device.is_cuda() ? cudaGraphMaker() : GraphMaker());

    StepReport report;
    DeviceMemory memory(device);
    report.tokensPerStep = config.tokensPerStep();
    report.threads = config.train.threadsPerRank;
    for (const Parameter* parameter : model.parameters()) report.parameters += parameter->weight.numel();
    std::vector<MicroBatch> batch;
    const auto ids = [&] {
        return at::randint(config.model.vocabSize, {config.train.microBatchSize, config.train.seqLen}, at::kLong);
    };
    for (std::int64_t i = 0; i < config.numMicroBatches(); ++i) batch.push_back({ids(), ids()});
    for (int step = 0; step < warmup + steps; ++step) {
        if (step == warmup) memory.resetPeak();
        const double cpu = cpuSecondsNow(), begin = monotonicSecondsNow();
        optimizer.gradients().zero();
        const bool later = optimizer.decidesOnDevice();
        StepOutcome outcome = executor.step(batch, {.recordSpans = true, .leaveLoss = later});
        const double passed = monotonicSecondsNow();
        optimizer.update(config.optimizer.lr, {}, 1, outcome.lossOnDevice);
        if (later) outcome.loss = outcome.lossOnDevice.item<double>();
        const double end = monotonicSecondsNow();
        settleSpans(outcome);
        StepSample sample{end - begin, 0, 0, end - passed, cpuSecondsNow() - cpu, outcome.loss};
        for (const Span& span : outcome.spans)
            (span.kind == ActionKind::Forward ? sample.forwardSeconds : sample.backwardSeconds) +=
                span.endSeconds - span.startSeconds;
        if (step >= warmup) report.samples.push_back(sample);
    }
    report.peakBytes = memory.peakBytes();
    return report;
}

}  // namespace slipway::trainer
