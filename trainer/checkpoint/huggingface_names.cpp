#include "core/spec/huggingface_document.h"
#include "core/spec/huggingface_support.h"
#include "trainer/checkpoint/huggingface_weights.h"
#include "trainer/model/param_names.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include <array>
#include <utility>

namespace slipway::trainer {
namespace {

constexpr std::string_view kRoutingBias = "gate.e_score_correction_bias";

bool endsWith(const std::string& text, std::string_view end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool replaceFirst(std::string& text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) return false;
    text.replace(at, from.size(), to);
    return true;
}

HuggingFacePlace gpt2Place(std::string name) {
    static constexpr std::array kParts{".c_attn.q.", ".c_attn.k.", ".c_attn.v."};
    HuggingFacePlace place;
    for (std::size_t i = 0; i < kParts.size(); ++i)
        if (replaceFirst(name, kParts[i], ".c_attn.")) {
            place.part = static_cast<std::int64_t>(i);
            place.numParts = 3;
        }
    place.isTransposed =
        endsWith(name, ".c_attn.weight") || endsWith(name, ".c_proj.weight") || endsWith(name, ".c_fc.weight");
    place.name = std::move(name);
    return place;
}

HuggingFacePlace mixtralPlace(std::string name) {
    if (replaceFirst(name, ".mlp.", ".block_sparse_moe.") && name.find(".experts.") != std::string::npos) {
        replaceFirst(name, ".gate_proj.", ".w1.");
        replaceFirst(name, ".up_proj.", ".w3.");
        replaceFirst(name, ".down_proj.", ".w2.");
    }
    return {std::move(name)};
}

HuggingFacePlace deepSeekPlace(const MlaSpec& mla, const std::string& name) {
    HuggingFacePlace place{name};
    const bool isQuery = endsWith(name, mla.qLoraRank > 0 ? ".q_b_proj.weight" : ".q_proj.weight");
    if (!isQuery && !endsWith(name, ".kv_a_proj_with_mqa.weight")) return place;
    place.headRows = (isQuery ? mla.qkNopeHeadDim : mla.kvLoraRank) + mla.qkRopeHeadDim;
    place.pairedRows = mla.qkRopeHeadDim;
    return place;
}

HuggingFacePlace qwen2MoePlace(std::string name) {
    HuggingFacePlace place;
    if (replaceFirst(name, ".shared_experts.", ".shared_expert.") && endsWith(name, ".down_proj.weight"))
        place.scale = 2;
    place.name = std::move(name);
    return place;
}

/// x with the last pairedRows of every headRows rows viewed as [d0, d1] and transposed to [d1, d0].
at::Tensor turned(const HuggingFacePlace& place, const at::Tensor& x, std::int64_t d0, std::int64_t d1) {
    const std::int64_t plain = place.headRows - place.pairedRows, width = x.size(1);
    const at::Tensor heads = x.reshape({-1, place.headRows, width});
    const at::Tensor rotary = heads.narrow(1, plain, place.pairedRows).reshape({-1, d0, d1, width}).transpose(1, 2);
    return at::cat({heads.narrow(1, 0, plain), rotary.reshape({-1, place.pairedRows, width})}, 1).reshape(x.sizes());
}

HuggingFacePlace placeOf(const ModelSpec& model, const std::string& type, const std::string& name) {
    if (model.family == Family::Gpt2) return gpt2Place(name);
    if (model.mla) return deepSeekPlace(*model.mla, name);
    if (type == "mixtral") return mixtralPlace(name);
    if (type == "qwen2_moe") return qwen2MoePlace(name);
    return {name};
}

}  // namespace

HuggingFacePlace huggingFacePlace(const ModelSpec& model, const std::string& name) {
    return placeOf(model, huggingFaceType(model), name);
}

at::Tensor toTheirRows(const HuggingFacePlace& place, const at::Tensor& ours) {
    const at::Tensor scaled = place.scale == 1 ? ours : ours * place.scale;
    return place.pairedRows == 0 ? scaled : turned(place, scaled, 2, place.pairedRows / 2);
}

at::Tensor toOurRows(const HuggingFacePlace& place, const at::Tensor& theirs) {
    const at::Tensor scaled = place.scale == 1 ? theirs : theirs / place.scale;
    return place.pairedRows == 0 ? scaled : turned(place, scaled, place.pairedRows / 2, 2);
}

std::vector<ZeroTensor> huggingFaceZeros(const ModelSpec& model) {
    std::vector<ZeroTensor> zeros;
    if (!model.moe) return zeros;
    const std::string type = huggingFaceType(model);
    const bool hasBias = model.moe->biasUpdateRate > 0;
    for (std::int64_t layer = model.moe->numDenseLayers; layer < model.numLayers; ++layer) {
        const std::string mlp = blockNames(model.family, layer).mlp;
        if (type == "qwen2_moe")
            zeros.push_back({mlp + "shared_expert_gate.weight",
                             {1, model.hiddenSize},
                             "the shared expert is gated, and this model has no such gate"});
        if (hasRoutingBias(type) && !hasBias)
            zeros.push_back(
                {mlp + std::string(kRoutingBias),
                 {model.moe->numExperts},
                 "the choice of experts is biased, and this model has no such bias (model.moe.bias_update_rate is 0)"});
    }
    return zeros;
}

}  // namespace slipway::trainer
