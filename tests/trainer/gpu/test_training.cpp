// Whole steps: the update against its formula, training against a CPU's, graphs against passes, what a step waits for
// and allocates.
#include "core/base/clock.h"
#include "tests/trainer/gpu/gpu_test.h"
#include "tests/trainer/small_run.h"
#include "trainer/comm/mesh.h"
#include "trainer/kernels/deterministic.h"
#include "trainer/kernels/update_program.h"
#include "trainer/optim/device_update.h"
#include "trainer/optim/optimizer.h"
#include "trainer/optim/stochastic_rounding.h"
#include "trainer/pipeline/executor.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test::gpu;

namespace {

RunConfig small() {
    RunConfig config = test::smallRun(3, 10);
    config.model.hiddenSize = 64;
    config.model.ffnHiddenSize = 96;
    config.model.numHeads = 4;
    config.model.numKvHeads = 2;
    config.model.vocabSize = 130;
    config.model.maxSeqLen = config.train.seqLen = 64;
    config.train.microBatchSize = 2;
    config.train.precision = Precision::Fp32;
    return config;
}

/// A graph of a CPU repeats by calling.
class CallingGraph final : public StepGraph {
public:
    void capture(const std::function<void()>& body) override { m_body = body; }
    void replay() override { m_body(); }

private:
    std::function<void()> m_body;
};

GraphMaker graphs() {
    if (!isRehearsal()) return cudaGraphMaker();
    return [] { return std::make_unique<CallingGraph>(); };
}

/// One rank that trains on a device.
struct Training {
    Training(const RunConfig& given, at::Device where, GraphMaker maker = {})
        : config(given),
          mesh(makeMesh(config.parallel, 0, nullptr)),
          model(config, mesh, where),
          optimizer(config, mesh, model.parameters()),
          executor(model, mesh, *makeSchedule(ScheduleKind::OneFOneB, 1, config.numMicroBatches(), 1),
                   std::move(maker)) {}

    // Passes alone.
    StepOutcome passes(const std::vector<MicroBatch>& batch) {
        optimizer.gradients().zero();
        return executor.step(batch, {.leaveLoss = true});
    }
    double step(std::uint64_t number) {
        const StepOutcome outcome = passes(test::raggedBatches(config, number));
        optimizer.update(1e-3, {}, 1, outcome.lossOnDevice);
        return outcome.lossOnDevice.item<double>();
    }
    [[nodiscard]] at::Tensor weights() const {
        std::vector<at::Tensor> all;
        for (const Parameter* p : model.parameters()) all.push_back(p->weight.to(at::kCPU, at::kDouble).reshape({-1}));
        return at::cat(all);
    }

    RunConfig config;
    ProcessMesh mesh;
    Model model;
    Optimizer optimizer;
    PipelineExecutor executor;
};

}  // namespace

// One launch for parts of every length, held against the formula in fp64.
GPU_TEST(update) {
    for (const auto& [type, narrowGradients, narrowMoments] : {std::tuple{at::kFloat, false, false},
                                                               {at::kDouble, false, false},
                                                               {at::kBFloat16, false, false},
                                                               {at::kBFloat16, true, true},
                                                               {at::kHalf, false, false},
                                                               {at::kFloat, false, true}}) {
        const at::ScalarType sums = type == at::kDouble ? at::kDouble : at::kFloat;
        std::vector<UpdatedPart> parts;
        std::vector<at::Tensor> counted;
        for (const std::int64_t length : {std::int64_t{1}, std::int64_t{31}, kUpdateChunk, kUpdateChunk + 1,
                                          sized(3584 * 512, 2 * kUpdateChunk + 5)}) {
            UpdatedPart part;
            part.weights = normal({length}, type);
            if (type != sums) part.master = part.weights.to(sums);
            part.gradient = normal({length}, narrowGradients ? at::kBFloat16 : sums);
            part.first = normal({length}, narrowMoments ? at::kBFloat16 : sums) * 0.1;
            part.second = normal({length}, narrowMoments ? at::kBFloat16 : sums).square_() * 0.1 + 0.01;
            part.decay = 0.1;
            part.shard.name = "part" + std::to_string(length);
            part.shard.globalShape = {length};
            counted.push_back(part.gradient);
            parts.push_back(part);
        }
        double squares = 0;
        for (const at::Tensor& gradient : counted) squares += wide(gradient).square().sum().item<double>();
        const double norm = std::sqrt(squares), factor = 0.5 / norm;
        struct Expected {
            at::Tensor weights, first, second;
        };
        std::vector<Expected> expected;
        const AdamScalars a{.lr = 0.01,
                            .beta1 = 0.9,
                            .beta2 = 0.95,
                            .eps = 1e-8,
                            .stepSize = 0.01 / (1 - 0.9 * 0.9),
                            .rootCorrection = std::sqrt(1 - 0.95 * 0.95),
                            .rounds = false,
                            .key = 0};
        for (const UpdatedPart& part : parts) {
            const at::Tensor g = wide(part.gradient) * factor;
            Expected e{wide(part.master.defined() ? part.master : part.weights) * (1 - a.lr * part.decay),
                       wide(part.first) * a.beta1 + g * (1 - a.beta1),
                       wide(part.second) * a.beta2 + g.square() * (1 - a.beta2)};
            e.weights -= e.first / (e.second.sqrt() / a.rootCorrection + a.eps) * a.stepSize;
            expected.push_back(e);
        }
        DeviceUpdate update(parts, counted, device());
        update.decide(update.squares(), 1, 0.5, {});
        const std::vector<double> factors = update.readFactors();
        check(std::abs(factors[0] - norm) < 1e-12 * norm && factors[2] == 1, "the norm is off");
        update.adamW(a);
        const double wideBound = type == at::kDouble ? 1e-14 : 1e-6;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::string name = std::string(c10::toString(type)) + ", " + parts[i].shard.name;
            if (parts[i].master.defined()) near("master " + name, parts[i].master, expected[i].weights, wideBound);
            near("weights " + name, parts[i].weights, expected[i].weights, type == sums ? wideBound : 8e-3);
            near("first moment " + name, parts[i].first, expected[i].first, narrowMoments ? 8e-3 : wideBound);
            near("second moment " + name, parts[i].second, expected[i].second, narrowMoments ? 8e-3 : wideBound);
        }
        // A gradient that is no number: nothing changes.
        const at::Tensor before = parts[1].weights.clone();
        counted[1].select(0, 3).fill_(std::numeric_limits<float>::quiet_NaN());
        update.decide(update.squares(), 1, 0.5, {});
        update.adamW(a);
        sameBits("weights after a gradient that is no number", parts[1].weights, before);
    }
}

// Random rounding draws the same digits on every device.
GPU_TEST(randomRounding) {
    const std::int64_t length = sized(100000, 700);
    UpdatedPart part;
    part.weights = normal({length}, at::kBFloat16);
    part.gradient = normal({length}, at::kFloat).zero_();
    part.first = part.gradient.clone();
    part.second = part.gradient + 1;
    part.shard.name = "w";
    part.shard.globalShape = {length};
    part.decay = 0.1;
    const RoundingKey key(7, 3);
    const at::Tensor exact = part.weights.to(at::kCPU, at::kFloat) * static_cast<float>(1 - 0.01 * 0.1);
    at::Tensor expected = part.weights.cpu();
    key.round(expected, exact, part.shard, 0);
    DeviceUpdate update({part}, {part.gradient}, device());
    update.decide(update.squares(), 1, 0, {});
    update.adamW({.lr = 0.01,
                  .beta1 = 0.9,
                  .beta2 = 0.95,
                  .eps = 1e-8,
                  .stepSize = 0.01,
                  .rootCorrection = 1,
                  .rounds = true,
                  .key = key.value()});
    sameBits("weights rounded at random", part.weights.cpu(), expected);
}

// The same model, batches and optimizer on a CPU.
GPU_TEST(trainsLikeACpu) {
    for (const auto& [precision, lossBound, weightBound] : {std::tuple{Precision::Fp64, 1e-10, 1e-8},
                                                            {Precision::Fp32, 1e-4, 1e-2},
                                                            {Precision::Bf16, 3e-2, 0.1},
                                                            {Precision::Fp8, 0.1, 0.2}})
        for (const Family family : {Family::Llama, Family::Gpt2}) {
            if (precision == Precision::Fp8 && isRehearsal()) continue;
            RunConfig config = small();
            config.train.precision = precision;
            config.model.family = family;
            if (family == Family::Gpt2) config.model.numKvHeads = config.model.numHeads;
            Training here(config, device()), there(config, at::kCPU);
            for (std::uint64_t step = 0; step < 4; ++step) {
                const double mine = here.step(step), other = there.step(step);
                check(std::abs(mine - other) < lossBound * other, std::string(wordOf(precision)) + ": the loss is " +
                                                                      std::to_string(mine) + ", on a CPU " +
                                                                      std::to_string(other));
            }
            near(std::string(wordOf(precision)) + " weights", here.weights(), there.weights(), weightBound);
        }
}

// Micro-batches that are replayed: bit for bit the passes where these give the same bits twice, as plain products
// (fp32) and deterministic attention do.
GPU_TEST(graphsRepeatThePasses) {
    for (const auto& [precision, fixed] :
         {std::pair{Precision::Fp32, false}, {Precision::Bf16, false}, {Precision::Bf16, true}}) {
        std::optional<DeterministicAttention> same;
        if (fixed) same.emplace();
        const bool exact = fixed || precision == Precision::Fp32;
        const std::string name = std::string(wordOf(precision)) + (fixed ? " in a fixed order" : "");
        RunConfig config = small();
        config.train.precision = precision;
        Training plain(config, device()), again(config, device()), replayed(config, device(), graphs());
        for (std::uint64_t step = 0; step < 4; ++step) {
            const double a = plain.step(step), c = replayed.step(step);
            static_cast<void>(again.step(step));
            check(std::abs(a - c) <= (exact ? 0 : 1e-3 * a), name + ": the loss of step " + std::to_string(step) +
                                                                 " is " + std::to_string(c) + " with a graph, else " +
                                                                 std::to_string(a));
        }
        if (plain.weights().equal(again.weights()))
            sameBits(name + ": weights trained with a graph", replayed.weights(), plain.weights());
        else
            near(name + ": weights trained with a graph", replayed.weights(), plain.weights(), 1e-2);
        check(!exact || plain.weights().equal(again.weights()),
              name + ": the same run gives other bits the second time");
    }
}

// From a batch on the host to the end of the last backward pass nothing waits for the GPU.
GPU_TEST(aStepWaitsForNothing) {
    for (const Precision precision : {Precision::Fp32, Precision::Bf16, Precision::Fp8})
        for (const Family family : {Family::Llama, Family::Gpt2})
            for (const bool graph : {false, true}) {
                RunConfig config = small();
                config.train.precision = precision;
                config.model.family = family;
                if (family == Family::Gpt2) config.model.numKvHeads = config.model.numHeads;
                Training training(config, device(), graph ? graphs() : GraphMaker());
                for (std::uint64_t step = 0; step < 3; ++step) training.step(1);
                const std::vector<MicroBatch> batch = test::raggedBatches(config, 1);
                at::Tensor loss;
                {
                    const NoHostWait none;
                    loss = training.passes(batch).lossOnDevice;
                }
                check(std::isfinite(loss.item<double>()), "the loss is no number");
            }
}

// After two steps the driver is asked for no more memory, and every step ends with as many blocks as it began with.
GPU_TEST(aStepAllocatesNothing) {
    for (const bool graph : {false, true}) {
        RunConfig config = small();
        config.train.precision = Precision::Bf16;
        Training training(config, device(), graph ? graphs() : GraphMaker());
        for (std::uint64_t step = 0; step < 4; ++step) training.step(1);
        const MemoryCounts before = memoryCounts();
        for (std::uint64_t step = 0; step < 3; ++step) training.step(1);
        const MemoryCounts after = memoryCounts();
        check(after.deviceCalls == before.deviceCalls,
              std::to_string(after.deviceCalls - before.deviceCalls) + " allocations in three steps");
        check(after.activeBlocks == before.activeBlocks,
              std::to_string(after.activeBlocks - before.activeBlocks) + " blocks stayed");
    }
}

// A step's spans are the device's: one behind the other, and together no longer than the step, which the host's clock
// says.
GPU_TEST(spansAreTheDevices) {
    RunConfig config = small();
    Training training(config, device());
    for (std::uint64_t step = 0; step < 2; ++step) training.step(step);
    const double begin = monotonicSecondsNow();
    training.optimizer.gradients().zero();
    StepOutcome outcome = training.executor.step(test::raggedBatches(config, 2), {.recordSpans = true});
    const double whole = monotonicSecondsNow() - begin;
    settleSpans(outcome);
    check(outcome.spans.size() == 2 * static_cast<std::size_t>(config.numMicroBatches()),
          "not two spans a micro-batch");
    double last = 0;
    for (const Span& span : outcome.spans) {
        check(span.startSeconds >= last && span.endSeconds > span.startSeconds,
              "a span begins before the one before it ends");
        last = span.endSeconds;
    }
    check(last <= whole && outcome.busySeconds > 0 && outcome.busySeconds <= last,
          "the spans are longer than the step");
}
