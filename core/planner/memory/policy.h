// Bytes of model state per parameter. Sources disagree (8 to 20 bytes), so each recipe has a name and is printed with
// every memory figure.
//   stateBytes(*findStatePolicy("zero_paper"), 7.5e9, 1, 64).total() == 31.40625e9
#pragma once

#include "core/spec/train_spec.h"

#include <string_view>
#include <vector>

namespace slipway {

/// Bytes per parameter on one rank without sharding.
struct StatePolicy {
    std::string_view name;
    double weightBytes = 0;
    double gradientBytes = 0;
    double optimizerBytes = 0;  ///< master copy and moments
    std::string_view source;
    [[nodiscard]] double totalBytes() const { return weightBytes + gradientBytes + optimizerBytes; }
};

/// The named recipes, smallest first.
const std::vector<StatePolicy>& statePolicies();
const StatePolicy* findStatePolicy(std::string_view name);

/// State of the bundled trainer: weights as stored, main gradients, master copy if weights are 16 bit and not
/// rounded stochastically, two moments (Lion: one). Muon's hidden matrices have one moment: momentBytes() less per
/// parameter.
StatePolicy trainerStatePolicy(const TrainSpec& train, const OptimizerSpec& optimizer);
/// Bytes of one moment of one parameter.
double momentBytes(const TrainSpec& train, const OptimizerSpec& optimizer);

/// SGD with momentum instead of Adam: one state of four bytes.
StatePolicy withMomentumOnly(StatePolicy policy);

struct StateBytes {
    double weights = 0, gradients = 0, optimizer = 0;
    [[nodiscard]] double total() const { return weights + gradients + optimizer; }
};

/// Bytes on one of `ranks` that shard together; stage 0 shards nothing, 1 the optimizer states, 2 also gradients, 3
/// also weights (ZeRO, arXiv 1910.02054, fig. 1). An infinite number of ranks gives the limit.
StateBytes stateBytes(const StatePolicy& policy, double parameters, int zeroStage, double ranks);

/// Unsharded over sharded size of the state.
double zeroSavingFactor(const StatePolicy& policy, int zeroStage, double ranks);

}  // namespace slipway
