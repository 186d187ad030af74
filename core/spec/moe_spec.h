// MoeSpec: the experts of a model and the routing of tokens to them.
#pragma once

#include "core/base/field_table.h"

#include <array>
#include <cstdint>

namespace slipway {

enum class RouterScore { Softmax, Sigmoid };
constexpr auto enumNames(RouterScore) {
    return std::array{
        EnumName<RouterScore>{RouterScore::Softmax, "softmax", "probabilities over all experts (Mixtral)"_text,
                              "Softmax over all experts"_text},
        EnumName<RouterScore>{RouterScore::Sigmoid, "sigmoid", "each expert alone (DeepSeek-V3)"_text,
                              "Sigmoid of each expert"_text}};
}

/// Mixture of experts.
struct MoeSpec {
    std::int64_t numExperts = 8;
    std::int64_t numSharedExperts = 0;
    std::int64_t topK = 2;
    std::int64_t expertFfnHiddenSize = 0;
    std::int64_t numDenseLayers = 0;
    double auxLossCoefficient = 0.01;
    double zLossCoefficient = 0;
    double biasUpdateRate = 0;
    bool normalizeTopK = true;
    RouterScore routerScore = RouterScore::Softmax;
    double routedScale = 1;
    std::int64_t numExpertGroups = 1;
    std::int64_t topKGroups = 1;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("num_experts")
              .label("Experts"_text)
              .unit("experts"_text)
              .help("Routed experts per MoE layer."_text)
              .range(1, 4096),
          s.numExperts);
        v(field("num_shared_experts")
              .label("Shared experts"_text)
              .unit("experts"_text)
              .help("Experts applied to every token."_text)
              .range(0, 64),
          s.numSharedExperts);
        v(field("top_k")
              .label("Experts per token"_text)
              .unit("experts"_text)
              .help("Routed experts per token."_text)
              .range(1, 64),
          s.topK);
        v(field("expert_ffn_hidden_size")
              .label("Expert size"_text)
              .help("Width of one expert's feed-forward layer."_text)
              .atLeast(1),
          s.expertFfnHiddenSize);
        v(field("num_dense_layers")
              .label("Dense layers"_text)
              .unit("layers"_text)
              .help("Number of leading dense layers."_text)
              .atLeast(0),
          s.numDenseLayers);
        v(field("aux_loss_coefficient")
              .label("Balance loss weight"_text)
              .help("Weight of the load-balancing loss of each sequence and layer."_text)
              .range(0, 10)
              .advanced(),
          s.auxLossCoefficient);
        v(field("z_loss_coefficient")
              .label("Router z-loss weight"_text)
              .help("Weight of the squared log-sum-exp of the router's logits."_text)
              .range(0, 10)
              .advanced(),
          s.zLossCoefficient);
        v(field("bias_update_rate")
              .label("Routing bias step"_text)
              .help(
                  "Balancing without a loss: each step adds this to the routing bias of underloaded experts and subtracts it from the others; 0 disables it."_text)
              .range(0, 1)
              .advanced(),
          s.biasUpdateRate);
        v(field("normalize_top_k")
              .label("Normalise expert weights"_text)
              .help("Scale the weights of a token's chosen experts to a sum of 1."_text)
              .advanced(),
          s.normalizeTopK);
        v(field("router_score")
              .label("Router score"_text)
              .help("Function from router logits to expert weights."_text)
              .advanced(),
          s.routerScore);
        v(field("routed_scale")
              .label("Routed scale"_text)
              .help("Factor of the sum of the routed experts (DeepSeek-V3: 2.5)."_text)
              .range(1e-6, 1000)
              .advanced(),
          s.routedScale);
        v(field("num_expert_groups")
              .label("Expert groups"_text)
              .unit("groups"_text)
              .help("Equal-sized groups of experts from which a token chooses first; 1: no groups."_text)
              .range(1, 4096)
              .advanced(),
          s.numExpertGroups);
        v(field("top_k_groups")
              .label("Groups per token"_text)
              .unit("groups"_text)
              .help("Groups selected per token."_text)
              .range(1, 4096)
              .when(s.numExpertGroups > 1, "num_expert_groups is above 1"_text)
              .advanced(),
          s.topKGroups);
    }
};

}  // namespace slipway
