// Utilisation of the devices as each convention counts FLOPs; what papers and frameworks print is one of these.
//   for (const Utilisation& u : utilisations(plan)) ...   // u.rule, u.mfu, u.hfu
#pragma once

#include "core/planner/count/flops.h"
#include "core/planner/values/forecast.h"

#include <optional>
#include <vector>

namespace slipway {

/// FLOPs per token that recomputation adds, counted as the rule counts the model. Full recomputation of all layers is a third of
/// modelFlopsPerToken(): rule A takes all of it, as llm-foundry prints HFU (4/3 of MFU); B and C leave out the output head, which
/// no layer's recomputation runs again. Selective: the attention core forward. HFU: PaLM, arXiv 2204.02311, appendix B.
/// Empty under rule D, which counts full recomputation already, unless every layer is recomputed in full (then 0).
/// @param modelFlops modelFlopsPerToken() by the same rule
std::optional<double> recomputedFlopsPerToken(const RunConfig& config, FlopsRule rule, double modelFlops);

/// FLOPs per token of products that tensor-parallel ranks replicate (replicatedForwardFlopsPerToken) with their gradients, and
/// forward once more where layers are recomputed in full. Part of HFU, by every rule; not of MFU.
double replicatedFlopsPerToken(const RunConfig& config);

struct Utilisation {
    FlopsRule rule = kDefaultFlopsRule;
    double flopsPerToken = 0;  ///< of the model
    /// With what is recomputed and what ranks replicate; empty where the rule does not say.
    std::optional<double> hardwareFlopsPerToken;
    double mfu = 0;
    std::optional<double> hfu;
};

/// One entry per rule; nothing when the peak is unknown.
std::vector<Utilisation> utilisations(const Plan& plan);

}  // namespace slipway
