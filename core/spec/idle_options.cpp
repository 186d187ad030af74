#include "core/spec/idle_options.h"

#include <algorithm>

namespace slipway {
namespace {

/// Number of ranks that share the optimizer states: of the dense weights, or of the experts.
std::int64_t shardRanks(const RunConfig& c) {
    const ParallelLayout& p = c.parallel;
    const std::int64_t grid = p.etp * p.ep;
    const std::int64_t ofExperts = c.model.moe && grid > 0 ? p.tp * p.cp * p.dp / grid : 1;
    return std::max(p.dpShard.value_or(p.dp) * p.cp, ofExperts);
}

/// rank_order without the axes of degree 1.
std::vector<std::string> orderOf(const ParallelLayout& p, std::vector<std::string> order) {
    std::erase_if(order, [&](const std::string& axis) {
        return (axis == "tp" ? p.tp : axis == "cp" ? p.cp : axis == "dp" ? p.dp : p.pp) == 1;
    });
    return order;
}

/// WSD whose learning rate never falls.
bool neverDecays(const LrSchedule& s) {
    return s.kind == LrScheduleKind::Wsd && s.decaySteps == 0;
}

bool recomputesNothing(const RunConfig& c) {
    const RecomputeSpec& r = c.train.recompute;
    // Expert layers save the inputs of their feed-forward part in any case.
    const bool allExperts = c.model.moe && c.model.moe->numDenseLayers == 0;
    return r.policy == RecomputePolicy::Selective && !r.attention && !r.norm && (!r.ffn || allExperts);
}

struct Rule {
    const char* field;
    bool (*isIdle)(const RunConfig&);
    SourceText why;  ///< %1 is the field
    /// Null if no other value has the same effect, or if the value may stay.
    void (*reset)(RunConfig&) = nullptr;
    Severity severity = Severity::Error;
};

constexpr Rule kRules[] = {
    {"train.recompute.policy", recomputesNothing,
     "%1 has no effect when it is selective and recomputes neither attention nor norms nor the feed-forward part (layers of experts recompute none of it); enable train.recompute.attention, norm or ffn, or set the policy none."_text,
     [](RunConfig& c) { c.train.recompute = {}; }},
    {"train.spikes.policy",
     [](const RunConfig& c) {
         return c.train.spikes.policy == SpikePolicy::RewindAndSkip && c.checkpoint.everySteps == 0;
     },
     "%1 has the effect of skip when it is rewind_and_skip and checkpoint.every_steps is 0, since there is no checkpoint to restore; set checkpoint.every_steps, or the policy skip."_text},
    {"train.fused_kernels",
     [](const RunConfig& c) {
         return !c.train.fusedKernels && c.train.device == DeviceKind::Cpu && storageBytes(c.train.precision) < 4;
     },
     "%1 has no effect when it is false with train.device cpu in 16-bit formats, which have no fused kernels; remove it, or set train.precision fp32."_text,
     [](RunConfig& c) { c.train.fusedKernels = true; }},
    {"optimizer.eps",
     [](const RunConfig& c) {
         return c.optimizer.kind == OptimizerKind::Lion && c.optimizer.eps != OptimizerSpec{}.eps;
     },
     "%1 has no effect with optimizer.kind lion, which uses the sign of its moment without a division; remove it, or choose adamw or muon."_text,
     [](RunConfig& c) { c.optimizer.eps = OptimizerSpec{}.eps; }},
    {"optimizer.schedule.decay_shape",
     [](const RunConfig& c) {
         const LrSchedule& s = c.optimizer.schedule;
         return neverDecays(s) && s.decayShape != LrSchedule{}.decayShape;
     },
     "%1 has no effect with optimizer.schedule.kind wsd and decay_steps 0, whose rate never decays; set decay_steps or remove it."_text,
     [](RunConfig& c) { c.optimizer.schedule.decayShape = LrSchedule{}.decayShape; }},
    {"optimizer.schedule.min_lr_ratio",
     [](const RunConfig& c) {
         const LrSchedule& s = c.optimizer.schedule;
         return neverDecays(s) && s.minLrRatio != LrSchedule{}.minLrRatio;
     },
     "%1 has no effect with optimizer.schedule.kind wsd and decay_steps 0, whose rate never decays; set decay_steps or remove it."_text,
     [](RunConfig& c) { c.optimizer.schedule.minLrRatio = LrSchedule{}.minLrRatio; }},
    {"parallel.dp_shard",
     [](const RunConfig& c) {
         const ParallelLayout& p = c.parallel;
         return p.zeroStage > 0 && p.dp > 1 && p.dpShard && shardRanks(c) == 1;
     },
     "%1 only disables ZeRO when it is 1, since one rank has nothing to shard; raise or remove it, or set parallel.zero_stage to 0."_text,
     [](RunConfig& c) {
         c.parallel.dpShard.reset();
         c.parallel.zeroStage = 0;
     },
     Severity::Warning},
    {"parallel.reduce_dtype",
     [](const RunConfig& c) {
         return c.train.precision == Precision::Fp64 && c.parallel.dp * c.parallel.cp > 1 &&
                c.parallel.reduceDtype != ReduceDtype::Fp32;
     },
     "%1 has no effect with train.precision fp64, whose gradients are reduced in fp64; remove it or choose another precision."_text,
     [](RunConfig& c) { c.parallel.reduceDtype = ReduceDtype::Fp32; }},
    {"parallel.bucket_bytes",
     [](const RunConfig& c) {
         const ParallelLayout& p = c.parallel;
         return p.zeroStage >= 2 && p.dp * p.cp > 1 && shardRanks(c) > 1 &&
                p.bucketBytes != ParallelLayout{}.bucketBytes;
     },
     "%1 has no effect with parallel.zero_stage 2 or 3, where the gradients of each block are one bucket; remove it, or set parallel.zero_stage to 0 or 1."_text,
     [](RunConfig& c) { c.parallel.bucketBytes = ParallelLayout{}.bucketBytes; }, Severity::Warning},
    {"parallel.zero_stage",
     [](const RunConfig& c) { return c.parallel.zeroStage > 0 && c.parallel.dp == 1 && shardRanks(c) == 1; },
     "%1 has no effect while parallel.dp x parallel.cp is 1, since one rank has nothing to shard; the run is the same as with zero_stage 0."_text,
     nullptr, Severity::Warning},
    {"parallel.rank_order",
     [](const RunConfig& c) {
         const ParallelLayout untouched;
         return c.parallel.rankOrder != untouched.rankOrder &&
                orderOf(c.parallel, c.parallel.rankOrder) == orderOf(c.parallel, untouched.rankOrder);
     },
     "%1 has no effect with these degrees: the axes above 1 are in the default order."_text, nullptr,
     Severity::Warning},
};

}  // namespace

Issues idleOptions(const RunConfig& config) {
    Issues issues;
    for (const Rule& rule : kRules)
        if (rule.isIdle(config))
            issues.push_back(issueOf(rule.severity, "no_effect", rule.field, rule.why(std::string(rule.field))));
    return issues;
}

bool isPutBack(const Issue& idleOption) {
    return std::ranges::any_of(
        kRules, [&](const Rule& rule) { return rule.reset != nullptr && idleOption.field == rule.field; });
}

RunConfig withoutIdleOptions(RunConfig config) {
    for (const Rule& rule : kRules)
        if (rule.reset != nullptr && rule.isIdle(config)) rule.reset(config);
    return config;
}

}  // namespace slipway
