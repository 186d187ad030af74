#include "core/planner/memory/policy.h"

namespace slipway {

const std::vector<StatePolicy>& statePolicies() {
    static const std::vector<StatePolicy> policies = {
        {"all_16_bit", 2, 2, 4, "weights, gradients and both moments in 16 bit"},
        {"scaling_book", 2, 0, 8, "scaling book, chapter 6: gradients are not counted"},
        {"no_master", 2, 2, 8, "16-bit weights without a master copy, fp32 moments"},
        {"zero_paper", 2, 2, 12, "ZeRO, arXiv 1910.02054, sec. 3.1: K = 12"},
        {"fp32", 4, 4, 8, "everything in fp32"},
        {"fsdp2_fp32", 2, 4, 10, "FSDP2 (torchtitan): fp32 parameters, of which 2 bytes are gathered"},
        {"fp32_gradients", 2, 4, 12, "Megatron-LM, nanotron: gradients accumulate in fp32"},
        {"fp32_accumulation", 2, 6, 12, "16-bit gradients beside an fp32 accumulation buffer (Ultra-Scale Playbook)"},
    };
    return policies;
}

const StatePolicy* findStatePolicy(std::string_view name) {
    for (const StatePolicy& policy : statePolicies())
        if (policy.name == name) return &policy;
    return nullptr;
}

double momentBytes(const TrainSpec& train, const OptimizerSpec& optimizer) {
    if (train.precision == Precision::Fp64) return 8;
    return optimizer.momentDtype == MomentDtype::Bf16 ? 2 : 4;
}

StatePolicy trainerStatePolicy(const TrainSpec& train, const OptimizerSpec& optimizer) {
    const double weight = static_cast<double>(storageBytes(train.precision));
    const double moments = momentBytes(train, optimizer) * (optimizer.kind == OptimizerKind::Lion ? 1 : 2);
    if (train.precision == Precision::Fp64) return {"trainer_fp64", 8, 8, moments, "bundled trainer, all fp64"};
    const double gradient = static_cast<double>(storageBytes(train.gradDtype));
    if (train.precision == Precision::Bf16 && train.stochasticRounding)
        return {"trainer_rounded", weight, gradient, moments,
                "bundled trainer: stochastically rounded bf16 weights without a master copy"};
    const double master = weight < 4 ? 4 : 0;
    return {"trainer", weight, gradient, master + moments,
            "bundled trainer: fp32 master copy of 16-bit weights; moments of optimizer.kind in optimizer.moment_dtype"};
}

StatePolicy withMomentumOnly(StatePolicy policy) {
    policy.optimizerBytes -= 4;
    return policy;
}

StateBytes stateBytes(const StatePolicy& policy, double parameters, int zeroStage, double ranks) {
    const auto share = [&](int fromStage) { return zeroStage >= fromStage ? 1 / ranks : 1.0; };
    return {policy.weightBytes * parameters * share(3), policy.gradientBytes * parameters * share(2),
            policy.optimizerBytes * parameters * share(1)};
}

double zeroSavingFactor(const StatePolicy& policy, int zeroStage, double ranks) {
    return policy.totalBytes() / stateBytes(policy, 1, zeroStage, ranks).total();
}

}  // namespace slipway
