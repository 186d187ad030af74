// Layouts of models with experts: dense grids with world <= 8 and every expert grid that folds over them. Which other features
// a layout has (shared experts, a first dense layer, GELU, normalised weights, recomputation, documents) follows from its number,
// so that neighbours differ.
#pragma once

#include "tests/trainer/verify/layout_cases.h"

namespace slipway::test {

inline std::vector<LayoutCase> expertCases() {
    std::vector<LayoutCase> cases;
    const std::vector<std::int64_t> degrees{1, 2, 4};
    const auto add = [&](const ParallelLayout& layout) {
        const std::size_t number = cases.size();
        const auto on = [&](std::size_t bit) { return (number * 7 >> bit) % 2 == 1; };
        WalkedPoint point{layout, 2};
        ExtraAxes extra;
        extra.value[1] = on(0) ? 1 : 0;  // tied
        extra.value[4] = on(1) ? 1 : 0;  // recompute
        extra.value[9] = layout.cp > 1 && on(2) ? 1 : 0;
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
        c.model.moe = moe;
        if (on(4)) c.model.activation = Activation::Gelu;
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
                            }
    return cases;
}

}  // namespace slipway::test
