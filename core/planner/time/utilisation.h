// Utilisation of the devices under each FLOP-counting convention; papers and frameworks print one of these.
//   for (const Utilisation& u : utilisations(plan)) ...   // u.rule, u.mfu, u.hfu
#pragma once

#include "core/planner/count/flops.h"
#include "core/planner/values/forecast.h"

#include <optional>
#include <vector>

namespace slipway {

/// FLOPs per token added by recomputation, counted by the same rule as the model. Full recomputation of all layers is a
/// third of modelFlopsPerToken(): rule A includes all of it, like llm-foundry's HFU (4/3 of MFU); B and C exclude the
/// output head, which layer recomputation does not repeat. Selective: the attention core forward. HFU: PaLM, arXiv
/// 2204.02311, appendix B. Empty under rule D, which counts full recomputation already, unless every layer is
/// recomputed in full (then 0). @param modelFlops modelFlopsPerToken() by the same rule
std::optional<double> recomputedFlopsPerToken(const RunConfig& config, FlopsRule rule, double modelFlops);

/// FLOPs per token of products that tensor-parallel ranks replicate (replicatedForwardFlopsPerToken) with their
/// gradients, and a second forward where layers are recomputed in full. Part of HFU, by every rule; not of MFU.
double replicatedFlopsPerToken(const RunConfig& config);

struct Utilisation {
    FlopsRule rule = kDefaultFlopsRule;
    double flopsPerToken = 0;  ///< of the model
    /// Including recomputation and replication; empty where the rule does not define it.
    std::optional<double> hardwareFlopsPerToken;
    double mfu = 0;
    std::optional<double> hfu;
};

/// One entry per rule; nothing when the peak is unknown.
std::vector<Utilisation> utilisations(const Plan& plan);

}  // namespace slipway
