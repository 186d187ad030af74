#include "core/planner/time/utilisation.h"

#include "core/planner/count/parameters.h"
#include "core/planner/memory/activations.h"
#include "core/planner/time/compute.h"

namespace slipway {

std::optional<double> recomputedFlopsPerToken(const RunConfig& config, FlopsRule rule, double modelFlops) {
    const RecomputeSpec& recompute = config.train.recompute;
    const double share = recomputedShare(config);
    const bool full = recompute.policy == RecomputePolicy::Full;
    if (rule == FlopsRule::D) return full && share == 1 ? std::optional(0.0) : std::nullopt;
    if (full) return share * (modelFlops / 3 - (rule == FlopsRule::A ? 0 : 2 * countEnds(config.model).table));
    if (recompute.policy != RecomputePolicy::Selective || !recompute.attention) return 0;
    return share * static_cast<double>(config.model.numLayers) *
           attentionForwardFlopsPerToken(config.model, config.train.seqLen, rule == FlopsRule::C);
}

double replicatedFlopsPerToken(const RunConfig& config) {
    const double again = config.train.recompute.policy == RecomputePolicy::Full ? recomputedShare(config) : 0;
    return (3 + again) * replicatedForwardFlopsPerToken(config.model, config.parallel.tp);
}

std::vector<Utilisation> utilisations(const Plan& plan) {
    std::vector<Utilisation> all;
    const auto peak = runPeakFlops(plan.config, plan.cluster);
    for (const auto& name : enumNames(FlopsRule{})) {
        Utilisation u;
        u.rule = name.value;
        u.flopsPerToken = modelFlopsPerToken(plan.config.model, plan.config.train.seqLen, u.rule);
        const auto share = mfu(u.flopsPerToken, plan.step.tokensPerSecond, peak, 1);
        if (!share) return {};
        u.mfu = *share;
        if (const auto again = recomputedFlopsPerToken(plan.config, u.rule, u.flopsPerToken)) {
            u.hardwareFlopsPerToken = u.flopsPerToken + *again + replicatedFlopsPerToken(plan.config);
            u.hfu = mfu(*u.hardwareFlopsPerToken, plan.step.tokensPerSecond, peak, 1);
        }
        all.push_back(u);
    }
    return all;
}

}  // namespace slipway
