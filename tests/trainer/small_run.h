// A run small enough to step in milliseconds, and its micro-batches of random tokens: what the tests of steps share, on
// a CPU and on a GPU.
#pragma once

#include "core/spec/run_config.h"
#include "trainer/pipeline/executor.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randint.h>

#include <vector>

namespace slipway::test {

/// One sequence of eight tokens a micro-batch, in fp64.
inline RunConfig smallRun(std::int64_t numLayers, std::int64_t globalBatch) {
    RunConfig config;
    config.model.numLayers = numLayers;
    config.model.hiddenSize = 16;
    config.model.ffnHiddenSize = 16;
    config.model.numHeads = 2;
    config.model.vocabSize = 19;
    config.model.maxSeqLen = 8;
    config.train.seqLen = 8;
    config.train.microBatchSize = 1;
    config.train.globalBatchSize = globalBatch;
    config.train.precision = Precision::Fp64;
    return config;
}

/// The micro-batches of one replica, other ones for another seed.
inline std::vector<trainer::MicroBatch> randomBatches(const RunConfig& config, std::uint64_t seed) {
    at::Generator generator = at::detail::createCPUGenerator(seed);
    std::vector<trainer::MicroBatch> list;
    for (std::int64_t m = 0; m < config.numMicroBatches(); ++m) {
        const auto ids = [&] {
            return at::randint(config.model.vocabSize, {config.train.microBatchSize, config.train.seqLen}, generator,
                               at::TensorOptions().dtype(at::kLong));
        };
        list.push_back({ids(), ids()});
    }
    return list;
}

/// The same, each micro-batch with one target without loss more than the one before.
inline std::vector<trainer::MicroBatch> raggedBatches(const RunConfig& config, std::uint64_t seed) {
    std::vector<trainer::MicroBatch> list = randomBatches(config, seed);
    for (std::size_t m = 0; m < list.size(); ++m) list[m].targets.narrow(1, 0, static_cast<std::int64_t>(m)).fill_(-1);
    return list;
}

}  // namespace slipway::test
