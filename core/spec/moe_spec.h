// MoeSpec: the experts of a model and how tokens are sent to them.
#pragma once

#include "core/base/field_table.h"

#include <array>
#include <cstdint>

namespace slipway {

enum class RouterScore { Softmax, Sigmoid };
constexpr auto enumNames(RouterScore) {
    return std::array{
        EnumName<RouterScore>{RouterScore::Softmax, "softmax", "probabilities over all experts (Mixtral)"},
        EnumName<RouterScore>{RouterScore::Sigmoid, "sigmoid", "each expert alone (DeepSeek-V3)"}};
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
        v(field("num_experts").unit("experts").help("Routed experts per MoE layer.").range(1, 4096), s.numExperts);
        v(field("num_shared_experts").unit("experts").help("Experts that every token passes.").range(0, 64),
          s.numSharedExperts);
        v(field("top_k").unit("experts").help("Routed experts each token is sent to.").range(1, 64), s.topK);
        v(field("expert_ffn_hidden_size").help("Width of one expert's feed-forward layer.").atLeast(1),
          s.expertFfnHiddenSize);
        v(field("num_dense_layers").unit("layers").help("First layers that stay dense.").atLeast(0), s.numDenseLayers);
        v(field("aux_loss_coefficient")
              .help("Weight of the load-balancing loss of each sequence and layer.")
              .range(0, 10)
              .advanced(),
          s.auxLossCoefficient);
        v(field("z_loss_coefficient")
              .help("Weight of the squared log-sum-exp of the router's logits.")
              .range(0, 10)
              .advanced(),
          s.zLossCoefficient);
        v(field("bias_update_rate")
              .help(
                  "Balance without a loss: each step adds this to the routing bias of experts with few tokens and takes it from the others; 0 switches it off.")
              .range(0, 1)
              .advanced(),
          s.biasUpdateRate);
        v(field("normalize_top_k").help("The weights of a token's chosen experts are scaled to sum to 1.").advanced(),
          s.normalizeTopK);
        v(field("router_score").help("How the router's logits become the weights of experts.").advanced(),
          s.routerScore);
        v(field("routed_scale")
              .help("Factor of the routed experts' sum (DeepSeek-V3: 2.5).")
              .range(1e-6, 1000)
              .advanced(),
          s.routedScale);
        v(field("num_expert_groups")
              .unit("groups")
              .help("Groups of equally many experts among which a token first chooses; 1: no groups.")
              .range(1, 4096)
              .advanced(),
          s.numExpertGroups);
        v(field("top_k_groups")
              .unit("groups")
              .help("Groups from which a token's experts are taken.")
              .range(1, 4096)
              .when(s.numExpertGroups > 1, "num_expert_groups is above 1")
              .advanced(),
          s.topKGroups);
    }
};

}  // namespace slipway
