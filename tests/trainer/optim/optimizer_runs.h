// Five parameters and three steps of an optimizer on any sharding: what the tests of trainer/optim share.
#pragma once

#include "trainer/comm/in_process_group.h"
#include "trainer/optim/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/sin.h>

#include <iterator>
#include <string>
#include <vector>

namespace slipway::test {

using namespace slipway::trainer;

inline constexpr std::int64_t kSizes[] = {48, 7, 130, 1, 33};  // in model order; 7 and 1 do not decay

inline RunConfig configFor(std::int64_t dp, std::int64_t zeroStage) {
    RunConfig config;
    config.train.precision = Precision::Fp64;
    config.optimizer.clipNorm = 0.5;
    config.parallel.dp = dp;
    config.parallel.zeroStage = zeroStage;
    config.parallel.bucketBytes = 64 * 8;
    return config;
}

// A pattern that differs per parameter, rank and step; as a matrix it has full rank.
inline at::Tensor pattern(std::int64_t count, double phase, at::ScalarType type) {
    const at::Tensor i = at::arange(count, at::kDouble);
    return at::sin(i * 0.7 + i.square() * 0.37 + phase).to(type);
}

struct Weights {
    std::vector<Parameter> all;
    std::vector<Parameter*> pointers;
    WeightUnit units[2];  ///< the first three parameters, and the others

    /// @param matrices the first is a matrix between hidden layers, the third a table
    explicit Weights(at::ScalarType type, bool matrices = false) : all(std::size(kSizes)) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].shard.name = "p" + std::to_string(i);
            all[i].shard.globalShape = {kSizes[i]};
            if (matrices && i == 0) all[i].shard.globalShape = {8, 6};
            if (matrices && i == 2) all[i].shard.globalShape = {13, 10};
            all[i].isTable = i == 2;
            all[i].weight = pattern(kSizes[i], static_cast<double>(i), type).view(all[i].shard.globalShape);
            all[i].decay = kSizes[i] > 10;
            all[i].unit = &units[i < 3 ? 0 : 1];
            all[i].unit->parameters.push_back(&all[i]);
            pointers.push_back(&all[i]);
        }
    }
    // In the order of a backward pass: last parameter first.
    void addGradients(double step, double rank, double scale = 1) {
        for (std::size_t i = all.size(); i-- > 0;) {
            if (i == 2 || i == 4) all[i].unit->openGradients();
            all[i].mainGrad += pattern(kSizes[i], 10 * step + 3 * rank + static_cast<double>(i), at::kDouble)
                                   .mul(scale)
                                   .view(all[i].mainGrad.sizes());
            if (all[i].onGradReady) all[i].onGradReady();
            if (i == 0 || i == 3) all[i].unit->closeGradients();
        }
    }
    // The same for one value everywhere.
    void fillGradients(double value) {
        for (std::size_t i = all.size(); i-- > 0;) {
            if (i == 2 || i == 4) all[i].unit->openGradients();
            all[i].mainGrad.fill_(value);
            if (all[i].onGradReady) all[i].onGradReady();
            if (i == 0 || i == 3) all[i].unit->closeGradients();
        }
    }
    // Whole weights, under ZeRO-3 too.
    std::vector<at::Tensor> values() {
        for (const WeightUnit& unit : units) unit.need();
        std::vector<at::Tensor> copies;
        for (const Parameter& p : all) copies.push_back(p.weight.clone());
        for (const WeightUnit& unit : units) unit.release(true);
        return copies;
    }
};

struct Outcome {
    std::vector<at::Tensor> weights;
    std::vector<double> norms;
};

// Three steps of dp ranks; rank `watched`'s result. Every rank's norms must be the same bits. Gradients come times
// `lossScale`.
inline Outcome trainReplicas(const RunConfig& config, std::int64_t watched = 0, Bug bug = Bug::None,
                             double lossScale = 1, bool matrices = false) {
    Outcome outcome;
    std::vector<std::vector<double>> norms(static_cast<std::size_t>(config.parallel.worldSize()));
    runInProcess(config.parallel.worldSize(), [&](std::int64_t rank, InProcessWorld& world) {
        const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
        Weights weights(weightType(config), matrices);
        Optimizer optimizer(config, mesh, weights.pointers, bug);
        for (int step = 0; step < 3; ++step) {
            optimizer.gradients().zero();
            weights.addGradients(step, static_cast<double>(mesh.at.dp), lossScale);
            norms[static_cast<std::size_t>(rank)].push_back(optimizer.update(0.01, {}, lossScale).gradNorm);
        }
        const std::vector<at::Tensor> values = weights.values();
        if (rank == watched) outcome.weights = values;
    });
    for (const auto& list : norms)
        if (list != norms[0]) return {};
    outcome.norms = norms[0];
    return outcome;
}

inline double largestDifference(const Outcome& a, const Outcome& b) {
    double most = 0;
    if (a.weights.size() != b.weights.size()) return 1e9;
    for (std::size_t i = 0; i < a.weights.size(); ++i)
        most = std::max(most, (a.weights[i].to(at::kDouble) - b.weights[i].to(at::kDouble)).abs().max().item<double>());
    return most;
}

inline bool sameBits(const Outcome& a, const Outcome& b) {
    if (a.weights.size() != b.weights.size() || a.norms != b.norms) return false;
    for (std::size_t i = 0; i < a.weights.size(); ++i)
        if (!at::equal(a.weights[i], b.weights[i])) return false;
    return true;
}

}  // namespace slipway::test
