// Routing of the experts in a config.json. Keys and each type's defaults without them: configuration classes of
// transformers and of deepseek-ai's model repositories.
#include "core/interop/huggingface_types.h"

#include <algorithm>
#include <array>

namespace slipway::interop {
namespace {

constexpr double kPublishedBiasRate = 0.001;

}  // namespace

void readRouting(const std::string& type, KeyReader& r, MoeSpec& moe) {
    static constexpr std::array<std::string_view, 5> kAsTheyAre{"deepseek", "deepseek_v2", "qwen2_moe", "qwen3_moe",
                                                                "olmoe"};
    const bool isV3 = type == "deepseek_v3" || type == "kimi_k2";
    const bool isSigmoidType = isV3 || type == "glm4_moe";
    moe.normalizeTopK = r.flag({"norm_topk_prob"}).value_or(std::ranges::find(kAsTheyAre, type) == kAsTheyAre.end());
    const std::string score = r.text({"scoring_func"}).value_or(isSigmoidType ? "sigmoid" : "softmax");
    if (score != "sigmoid" && score != "softmax")
        r.approximated("scoring_func", "Unknown score; the experts are planned with a softmax."_text);
    if (score == "sigmoid") moe.routerScore = RouterScore::Sigmoid;
    moe.routedScale = r.real({"routed_scaling_factor"}).value_or(isV3 ? 2.5 : 1.0);
    const bool isSigmoid = moe.routerScore == RouterScore::Sigmoid;
    const std::string method = r.text({"topk_method"}).value_or(isSigmoid ? "noaux_tc" : "greedy");
    if (isSigmoid || method != "greedy") {
        const std::int64_t groups = r.integer({"n_group"}).value_or(isV3 ? 8 : 1);
        const std::int64_t chosen = r.integer({"topk_group"}).value_or(isV3 ? 4 : 1);
        // Choosing all groups is no restriction.
        if (groups > 1 && chosen < groups) {
            moe.numExpertGroups = groups;
            moe.topKGroups = chosen;
        }
    }
    if (method != "noaux_tc") return;
    moe.biasUpdateRate = kPublishedBiasRate;
    r.approximated(
        "topk_method",
        "The routing biases are counted; the file does not give their update rate, so bias_update_rate is DeepSeek-V3's."_text);
}

}  // namespace slipway::interop
