// Real training of tiny models in any layout, ranks as threads, fp64: what tests of checkpoints save, load and compare.
#pragma once

#include "core/spec/pipeline_schedule.h"
#include "tests/support/temp_dir.h"
#include "trainer/checkpoint/checkpoint_reader.h"
#include "trainer/checkpoint/checkpoint_writer.h"
#include "trainer/checkpoint/shard_runs.h"
#include "trainer/checkpoint/start_from.h"
#include "trainer/comm/in_process_group.h"
#include "trainer/model/model.h"
#include "trainer/optim/optimizer.h"
#include "trainer/parallel/shard_context.h"
#include "trainer/pipeline/executor.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randint.h>

#include <mutex>
#include <stdexcept>

namespace slipway::test {

/// One stretch of training: from a checkpoint or from the start, `numSteps` steps, to a checkpoint.
struct Stretch {
    RunConfig config;
    std::string from;          ///< folder of a checkpoint; empty: initial weights, away from constants
    std::filesystem::path to;  ///< run folder that takes the checkpoint
    std::int64_t numSteps = 0;
};

struct StretchResult {
    std::vector<double> losses;
    std::filesystem::path checkpoint;
    trainer::CheckpointMark mark;
};

/// The batch of sequences that begins at a data position: the same in every layout.
inline std::vector<trainer::MicroBatch> batchAt(const RunConfig& config, std::int64_t position, std::int64_t dpRank) {
    at::Generator generator =
        at::detail::createCPUGenerator(static_cast<std::uint64_t>(config.train.seed * 1000 + position));
    const auto ids = [&] {
        return at::randint(config.model.vocabSize, {config.train.globalBatchSize, config.train.seqLen}, generator,
                           at::TensorOptions().dtype(at::kLong));
    };
    const at::Tensor tokens = ids(), targets = ids();
    std::vector<trainer::MicroBatch> local;
    const std::int64_t size = config.train.microBatchSize;
    for (std::int64_t m = 0; m < config.numMicroBatches(); ++m) {
        const std::int64_t first = (m * config.parallel.dp + dpRank) * size;
        local.push_back({tokens.narrow(0, first, size), targets.narrow(0, first, size)});
    }
    return local;
}

inline StretchResult trainStretch(const Stretch& stretch) {
    using namespace trainer;
    const RunConfig& config = stretch.config;
    StretchResult result;
    std::mutex mutex;
    runInProcess(config.parallel.worldSize(), [&](std::int64_t rank, InProcessWorld& world) {
        const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
        Model model(config, mesh, at::kCPU);
        for (Parameter* p : model.parameters())
            p->weight.add_(
                initialValues(p->shard, static_cast<std::uint64_t>(config.train.seed) + 1, {.deviation = 0.05}));
        Optimizer optimizer(config, mesh, model.parameters());
        PipelineExecutor executor(model, mesh,
                                  *makeSchedule(config.parallel.schedule, config.parallel.pp, config.numMicroBatches(),
                                                config.parallel.virtualStages));
        const RunDir dir{stretch.to};
        const CheckpointContext context{dir, config, mesh, at::kCPU};
        CheckpointMark mark;
        if (!stretch.from.empty()) {
            std::vector<StateTensor> state = optimizer.state();
            const auto loaded = loadCheckpoint(context, stretch.from, state);
            if (!loaded) throw std::runtime_error(loaded.error().text());
            mark = *loaded->mark;
            optimizer.stateRestored(mark.numUpdates);
        }
        std::vector<double> losses;
        for (std::int64_t i = 0; i < stretch.numSteps; ++i) {
            optimizer.gradients().zero();
            losses.push_back(executor.step(batchAt(config, mark.dataPosition, mesh.at.dp)).loss);
            optimizer.update(config.optimizer.lr);
            ++mark.step;
            mark.numUpdates = optimizer.numUpdates();
            mark.dataPosition += config.train.globalBatchSize;
        }
        if (const auto saved = saveCheckpoint(context, mark, optimizer.state()); !saved)
            throw std::runtime_error(saved.error().text());
        const std::lock_guard lock(mutex);
        if (rank == 0) result = {losses, dir.checkpoint(mark.step), mark};
    });
    return result;
}

/// A state of a checkpoint as a whole tensor, fp64.
inline at::Tensor wholeState(const trainer::CheckpointReader& reader, const std::string& name,
                             const ParamShard& shard) {
    const at::ScalarType type = shard.dtype == "F64" ? at::kDouble : shard.dtype == "BF16" ? at::kBFloat16 : at::kFloat;
    trainer::StateTensor entry{name, trainer::wholeOf(shard),
                               at::empty(shard.globalShape, at::TensorOptions().dtype(type))};
    if (const auto filled = reader.fill(entry); !filled) throw std::runtime_error(filled.error().text());
    return entry.tensor.to(at::kDouble);
}

}  // namespace slipway::test
