// Layouts of models with experts: dense grids with world <= 8 and every expert grid that folds over them. Which other
// features a layout has (shared experts, a first dense layer, GELU, normalised weights, sigmoid scores, groups of
// experts, a routed scale, a routing bias, recomputation, documents, latent attention, offload, overlapped tensor
// parallelism) follows from its number, so that neighbours differ. Where there are replicas each layout comes once
// without ZeRO and once with a stage.
#pragma once

#include "tests/trainer/verify/layout_cases.h"

namespace slipway::test {

/// Multi-head latent attention with every part; queries compressed in models with an even number of layers.
inline void useLatentAttention(RunConfig& c) {
    MlaSpec mla;
    mla.qLoraRank = c.model.numLayers % 2 == 0 ? 6 : 0;
    mla.kvLoraRank = 5;
    mla.qkNopeHeadDim = 4;
    mla.qkRopeHeadDim = 2;
    mla.vHeadDim = 3;
    c.model.mla = mla;
    c.model.numKvHeads.reset();
}

inline std::vector<LayoutCase> expertCases() {
    std::vector<LayoutCase> cases;
    const std::vector<std::int64_t> degrees{1, 2, 4};
    const auto add = [&](const ParallelLayout& layout, std::int64_t numMicroBatches = 2) {
        const std::size_t number = cases.size();
        const auto on = [&](std::size_t bit) { return (number * 7 >> bit) % 2 == 1; };
        WalkedPoint point{layout, numMicroBatches};
        ExtraAxes extra;
        extra.value[1] = on(0) ? 1 : 0;  // tied
        extra.value[4] = on(1) ? 1 : 0;  // recompute
        extra.value[9] = layout.cp > 1 && on(2) ? 1 : 0;
        extra.value[12] = on(5) ? 1 : 0;
        extra.value[13] = number % 5 == 2 ? 1 : 0;
        extra.value[14] = number % 3 == 1 ? 1 : 0;
        RunConfig c = configOf(point, extra);
        MoeSpec moe;
        moe.numExperts = 4;
        moe.topK = on(3) ? 1 : 2;
        moe.expertFfnHiddenSize = 4;
        moe.numSharedExperts = on(0) ? 1 : 0;
        moe.numDenseLayers = on(1) ? 1 : 0;
        moe.normalizeTopK = on(2);
        moe.auxLossCoefficient = 0.2;
        moe.zLossCoefficient = on(4) ? 0.05 : 0;
        moe.biasUpdateRate = number % 3 == 0 ? 0.01 : 0;
        if (number % 4 >= 2) {
            moe.routerScore = RouterScore::Sigmoid;
            moe.zLossCoefficient = 0;
        }
        if (number % 5 % 2 == 1) {
            moe.numExperts = 8;
            moe.numExpertGroups = 4;
            moe.topKGroups = 2;
        }
        if (number % 11 < 5) moe.routedScale = 2.5;
        c.model.moe = moe;
        if (on(4)) c.model.activation = Activation::Gelu;
        if (number % 4 == 1) useLatentAttention(c);
        std::string name = nameOf(point, extra) + "_ep" + std::to_string(layout.ep) + "_etp" +
                           std::to_string(layout.etp) + "_" + std::to_string(number);
        cases.push_back({std::move(name), std::move(c)});
    };
    for (const std::int64_t dp : degrees)
        for (const std::int64_t tp : {1, 2})
            for (const std::int64_t cp : {1, 2})
                for (const std::int64_t pp : {1, 2})
                    for (const std::int64_t ep : degrees)
                        for (const std::int64_t etp : {1, 2})
                            for (const bool sequence : {false, true}) {
                                const std::int64_t folded = dp * tp * cp;
                                if (folded * pp > 8 || folded % (ep * etp) != 0 || (sequence && tp == 1)) continue;
                                ParallelLayout layout;
                                layout.dp = dp;
                                layout.tp = tp;
                                layout.cp = cp;
                                layout.pp = pp;
                                layout.ep = ep;
                                layout.etp = etp;
                                layout.sequenceParallel = sequence;
                                layout.schedule = pp > 1 && ep > 1 ? ScheduleKind::ZbH1 : ScheduleKind::OneFOneB;
                                add(layout);
                                if (folded == 1) continue;
                                layout.zeroStage = 1 + static_cast<std::int64_t>(cases.size() / 2 % 3);
                                if (dp == 4 && cases.size() % 4 == 1) layout.dpShard = 2;
                                add(layout);
                            }
    // Both directions of a pipeline at once: every expert stands on two pipeline ranks.
    for (const std::int64_t dp : degrees)
        for (const std::int64_t tp : {1, 2})
            for (const std::int64_t ep : degrees)
                for (const std::int64_t zeroStage : {0, 1, 3}) {
                    if (dp * tp > 4 || dp * tp % ep != 0 || (dp * tp == 1 && zeroStage > 0)) continue;
                    ParallelLayout layout;
                    layout.dp = dp;
                    layout.tp = tp;
                    layout.ep = ep;
                    layout.pp = 2;
                    layout.etp = ep == 1 && tp == 2 ? 2 : 1;
                    layout.zeroStage = zeroStage;
                    layout.sequenceParallel = tp > 1 && zeroStage == 1;
                    layout.schedule = ScheduleKind::DualPipe;
                    add(layout, 4);
                }
    return cases;
}

/// A sample of the walked product, of dense models with latent attention.
inline std::vector<LayoutCase> latentCases(std::size_t size) {
    std::vector<LayoutCase> cases;
    CoveringArray array(7);
    for (const WalkedPoint& point : sampledProduct(size)) {
        ExtraAxes extra = array.next(point);
        extra.value[0] = extra.value[2] = extra.value[3] = 0;  // rotary positions, no groups, norms of its own
        RunConfig c = configOf(point, extra);
        useLatentAttention(c);
        cases.push_back({nameOf(point, extra) + "_mla", std::move(c)});
    }
    return cases;
}

}  // namespace slipway::test
