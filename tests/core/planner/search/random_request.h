// Small random searches on which brute force is quick.
#pragma once

#include "core/planner/presets.h"
#include "core/planner/search/layout_search.h"

#include <QtGlobal>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

/// A small random model and cluster on which brute force is quick.
inline LayoutRequest randomRequest(std::mt19937& random) {
    const auto pick = [&](std::initializer_list<std::int64_t> values) {
        return *(values.begin() + static_cast<std::ptrdiff_t>(random() % values.size()));
    };
    LayoutRequest r;
    ModelSpec& m = r.config.model;
    m.numLayers = pick({2, 3, 4, 6});
    m.numHeads = pick({4, 6, 8});
    m.numKvHeads = m.numHeads / pick({1, 2});
    m.hiddenSize = 64 * m.numHeads;
    m.ffnHiddenSize = 192 * m.numHeads;
    m.vocabSize = 4096;
    m.maxSeqLen = 1024;
    m.tieEmbeddings = random() % 2 == 0;
    if (random() % 4 == 0) {
        m.moe = MoeSpec{};
        m.moe->numExperts = 4;
        m.moe->expertFfnHiddenSize = 256;
        m.moe->numDenseLayers = 1;
    }
    r.config.train.seqLen = pick({96, 256});
    r.config.train.globalBatchSize = pick({4, 6, 8});
    r.config.train.precision = Precision::Bf16;
    r.config.train.device = DeviceKind::Gpu;
    r.config.parallel.dp = pick({2, 4, 6, 8});
    r.cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
    r.cluster.numNodes = 4;
    r.cluster.devicesPerNode = pick({2, 4, 8});
    // Some fit and some do not.
    r.cluster.device.memoryBytes = 1.6e9 * (1 + 0.05 * static_cast<double>(random() % 8));
    r.limit = 1 + random() % 12;
    r.objective = static_cast<SearchObjective>(random() % 3);
    const auto limit = [&](const char* text) {
        if (!r.limits.set(text)) qFatal("%s", text);
    };
    // Most axes are narrowed, another few each time, so that plain loops end.
    const auto some = [&](const char* axis, std::initializer_list<const char*> words, std::size_t count) {
        std::vector<const char*> left(words);
        std::string text = std::string(axis) + "=";
        for (std::size_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::ptrdiff_t>(random() % left.size());
            text += (i > 0 ? "," : "") + std::string(left[static_cast<std::size_t>(at)]);
            left.erase(left.begin() + at);
        }
        limit(text.c_str());
    };
    some("schedule", {"afab", "1f1b", "interleaved_1f1b", "zb_h1", "zb_v", "dualpipe", "dualpipe_v"}, 1 + random() % 3);
    some("recompute", {"none", "selective", "full"}, 1 + random() % 2);
    some("offload", {"none", "optimizer", "activations", "all"}, random() % 3 == 0 ? 4 : 1 + random() % 2);
    some("layer_split", {"even", "last_1", "last_2", "ends_1", "ends_2"}, random() % 3 == 0 ? 5 : 2);
    if (random() % 2 == 0) some("cp_kind", {"ring", "all_gather", "ulysses"}, 2);
    if (random() % 4 == 0) limit("tp<=2");
    if (random() % 4 == 0) limit("dp_shard>=2");
    r.tpAcrossNodes = random() % 2 == 0;
    r.onlyRunnable = random() % 8 == 0;
    if (random() % 8 == 0) {
        // A calibrated stack, some of whose layouts wait or gather again.
        r.cluster.stack = SoftwareStack{};
        SoftwareStack& s = *r.cluster.stack;
        s.usableShare.value = random() % 2 == 0 ? 0.8 : 0.95;
        s.facts.keepsGathered = random() % 2 == 0;
        s.facts.rootStays = random() % 2 == 0;
        s.facts.wholeGradientBytes = random() % 2 == 0 ? 4 : 0;
        s.facts.gradientCopyBytes = random() % 2 == 0 ? 2 : 0;
        s.fixedBytes.value = 1e6;
        s.waitChance.value = random() % 2 == 0 ? 0.4 : 1e-6;
        s.layerSeconds.value = 1e-4;
    }
    if (random() % 2 == 0) {
        // Nodes that hold some of what is offloaded and copied.
        r.config.checkpoint.everySteps = pick({0, 10});
        r.nodeBytes = 4e6 * static_cast<double>(1 << (random() % 8));
    }
    if (random() % 3 == 0) {
        // Measured collectives of some groups, in no order of speed.
        for (const auto& name : enumNames(Collective{}))
            for (const auto& [ranks, perNode] :
                 std::initializer_list<std::pair<int, int>>{{2, 2}, {4, 4}, {8, 8}, {2, 1}, {4, 2}, {8, 4}, {32, 8}})
                if (random() % 2 == 0)
                    r.cluster.commCurves.push_back({name.value, ranks, perNode,
                                                    1e-5 * static_cast<double>(random() % 20),
                                                    1e9 * static_cast<double>(1 + random() % 200), "", ""});
    }
    return r;
}

}  // namespace slipway
