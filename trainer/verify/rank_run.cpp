#include "trainer/verify/rank_run.h"

#include "core/base/json.h"
#include "core/spec/pipeline_schedule.h"
#include "trainer/comm/gather_text.h"
#include "trainer/optim/optimizer.h"
#include "trainer/parallel/shard_context.h"
#include "trainer/pipeline/executor.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/zeros.h>
#include <nlohmann/json.hpp>

#include <stdexcept>

namespace slipway::trainer {
namespace {

// Moves them away from constants: a bias of zero or a norm weight of one would hide errors.
void disturbWeights(const std::vector<Parameter*>& parameters, std::uint64_t seed) {
    for (Parameter* p : parameters)
        p->weight.add_(initialValues(p->shard, seed + 1, {.deviation = 0.05}).to(p->weight.device()));
}

struct GlobalBatch {
    at::Tensor tokens, targets;  // [global batch, S]
};

// The same in every layout. Sequence i has a share of valid targets that grows with i, every seventh has none.
GlobalBatch globalBatch(const RunConfig& config, std::int64_t step) {
    const std::int64_t sequences = config.train.globalBatchSize;
    const std::int64_t length = config.train.seqLen;
    at::Generator generator =
        at::detail::createCPUGenerator(static_cast<std::uint64_t>(config.train.seed * 1000 + step));
    const auto ids = [&] {
        return at::randint(config.model.vocabSize, {sequences, length}, generator,
                           at::TensorOptions().dtype(at::kLong));
    };
    GlobalBatch batch{ids(), ids()};
    const at::Tensor lottery = at::rand({sequences, length}, generator, at::TensorOptions().dtype(at::kDouble));
    for (std::int64_t i = 0; i < sequences; ++i) {
        const double share = i % 7 == 6 ? 0 : static_cast<double>(i + 1) / static_cast<double>(sequences + 1);
        at::Tensor targets = batch.targets.select(0, i);
        targets.masked_fill_(lottery.select(0, i).ge(share), -1);
        if (i % 7 != 6) targets.select(0, 0).fill_(i % config.model.vocabSize);
        if (!config.data.documentEndId) continue;
        // Every sequence has several documents, split at other places than its neighbours'.
        for (const std::int64_t place : {(3 + 2 * i) % length, length - 3 - i % 2})
            batch.tokens.select(0, i).select(0, std::max<std::int64_t>(0, place)).fill_(*config.data.documentEndId);
    }
    return batch;
}

std::vector<MicroBatch> localMicroBatches(const RunConfig& config, std::int64_t dpRank, std::int64_t step) {
    const GlobalBatch batch = globalBatch(config, step);
    std::vector<MicroBatch> local;
    for (std::int64_t m = 0; m < config.numMicroBatches(); ++m) {
        const std::int64_t first = (m * config.parallel.dp + dpRank) * config.train.microBatchSize;
        local.push_back({batch.tokens.narrow(0, first, config.train.microBatchSize),
                         batch.targets.narrow(0, first, config.train.microBatchSize)});
    }
    return local;
}

at::Tensor flatCopy(const at::Tensor& tensor) {
    return tensor.to(at::kCPU, at::kDouble).reshape({-1}).clone();
}

std::vector<Piece> ownedGradients(const MainGradients& gradients, double lossScale) {
    std::vector<Piece> pieces;
    for (const FlatRange& range : gradients.owned())
        for (const FlatSegment& segment : gradients.layout().segments(range)) {
            const Parameter& parameter = *gradients.parameters()[segment.item];
            Piece piece{parameter.shard, flatCopy(gradients.part(segment.range))};
            if (parameter.balanceRate == 0) piece.values.div_(lossScale);  // counts are not scaled
            piece.shard.flatOffset = segment.offset;
            piece.shard.flatLength = segment.range.length();
            pieces.push_back(std::move(piece));
        }
    return pieces;
}

Json describe(const std::vector<Piece>& pieces) {
    Json list = Json::array();
    for (const Piece& piece : pieces) list.push_back(toJson(piece.shard));
    return list;
}

at::Tensor joined(const RankRun& run) {
    std::vector<at::Tensor> values{at::zeros({0}, at::TensorOptions().dtype(at::kDouble))};
    for (const Piece& piece : run.gradients) values.push_back(piece.values);
    for (const Piece& piece : run.weights) values.push_back(piece.values);
    return at::cat(values);
}

// Cuts `values` into the pieces that `list` describes.
std::vector<Piece> cut(const Json& list, const at::Tensor& values, std::int64_t& position) {
    std::vector<Piece> pieces;
    for (const Json& entry : list) {
        const auto shard = paramShardFromJson(entry, "verify");
        if (!shard) throw std::runtime_error(shard.error().text());
        const std::int64_t length = shard->flatLength.value_or(shard->localElements());
        pieces.push_back({*shard, values.narrow(0, position, length)});
        position += length;
    }
    return pieces;
}

}  // namespace

RunConfig verifiedConfig(RunConfig config, bool asOneProcess, VerifiedFormats formats) {
    const bool inFp64 = formats == VerifiedFormats::Fp64;
    config.train.device = DeviceKind::Cpu;
    if (inFp64) {
        config.train.precision = Precision::Fp64;
        config.parallel.reduceDtype = ReduceDtype::Fp32;
    }
    if (!asOneProcess) return config;
    config.parallel = ParallelLayout{};
    config.train.recompute.policy = RecomputePolicy::None;
    config.train.attentionKernel = AttentionKernel::Fused;
    config.train.fusedKernels = true;
    constexpr std::int64_t kSmallBatchTokens = 4096;
    if (inFp64 && config.tokensPerStep() <= kSmallBatchTokens)
        config.train.microBatchSize = config.train.globalBatchSize;
    return config;
}

RankRun runRank(const RunConfig& given, const ProcessMesh& mesh, const RankRunOptions& options) {
    RunConfig config = given;
    config.optimizer.clipNorm = options.clipNorm;
    Model model(config, mesh, options.device, options.bug);
    disturbWeights(model.parameters(), static_cast<std::uint64_t>(config.train.seed));
    Optimizer optimizer(config, mesh, model.parameters(), options.bug);
    auto schedule = makeSchedule(config.parallel.schedule, config.parallel.pp, config.numMicroBatches(),
                                 config.parallel.virtualStages);
    if (!schedule) throw std::runtime_error(schedule.error().text());
    PipelineExecutor executor(model, mesh, *schedule);

    RankRun run;
    for (std::int64_t step = 0; step < options.numSteps; ++step) {
        optimizer.gradients().zero();
        StepOptions passes;
        passes.lossScale = options.lossScale;
        run.losses.push_back(executor.step(localMicroBatches(config, mesh.at.dp, step), passes).loss);
        optimizer.gradients().finish();
        if (step == 0) run.gradients = ownedGradients(optimizer.gradients(), options.lossScale);
        run.gradNorms.push_back(optimizer.update(config.optimizer.lr, {}, options.lossScale).gradNorm);
    }
    if (config.parallel.zeroStage == 3 && optimizer.gradients().units() != nullptr) {
        // Weights exist only in shards; gathering errors show in the losses of the later steps.
        for (const StateTensor& entry : optimizer.state())
            if (entry.name == entry.shard.name) run.weights.push_back({entry.shard, flatCopy(entry.tensor)});
    } else {
        for (const Parameter* p : model.parameters()) run.weights.push_back({p->shard, flatCopy(p->weight)});
    }
    return run;
}

std::vector<RankRun> gatherRuns(const RankRun& mine, ProcessGroup& world) {
    // Doubles travel in a tensor, the rest as text; tensors are padded to the longest.
    Json text{{"gradients", describe(mine.gradients)},
              {"weights", describe(mine.weights)},
              {"num_steps", mine.losses.size()}};
    std::vector<double> numbers = mine.losses;
    numbers.insert(numbers.end(), mine.gradNorms.begin(), mine.gradNorms.end());
    const auto numNumbers = static_cast<std::int64_t>(numbers.size());
    const auto fp64 = at::TensorOptions().dtype(at::kDouble);
    at::Tensor head = at::empty({numNumbers}, fp64);
    std::copy(numbers.begin(), numbers.end(), head.mutable_data_ptr<double>());
    const at::Tensor values = at::cat(std::vector<at::Tensor>{head, joined(mine)});
    at::Tensor longest = at::empty({1}, fp64).fill_(static_cast<double>(values.numel()));
    world.allReduce(longest, ReduceOp::Max)->wait();
    const auto rows = static_cast<std::int64_t>(longest.item<double>());
    at::Tensor padded = at::zeros({rows}, fp64);
    padded.narrow(0, 0, values.numel()).copy_(values);
    at::Tensor all = at::empty({rows * world.size()}, fp64);
    world.allGather(all, padded)->wait();

    std::vector<RankRun> runs;
    std::int64_t begin = 0;
    for (const std::string& line : gatherTexts(world, dumpJson(text, false), at::kCPU)) {
        const auto json = parseJson(line, "verify");
        if (!json) throw std::runtime_error(json.error().text());
        const at::Tensor part = all.narrow(0, begin, rows);
        const double* number = part.const_data_ptr<double>();
        const auto numSteps = json->at("num_steps").get<std::int64_t>();
        RankRun run;
        run.losses.assign(number, number + numSteps);
        run.gradNorms.assign(number + numSteps, number + 2 * numSteps);
        number += 2 * numSteps;
        std::int64_t position = number - part.const_data_ptr<double>();
        run.gradients = cut(json->at("gradients"), part, position);
        run.weights = cut(json->at("weights"), part, position);
        runs.push_back(std::move(run));
        begin += rows;
    }
    return runs;
}

}  // namespace slipway::trainer
