#include "core/spec/huggingface_document.h"
#include "trainer/checkpoint/huggingface_weights.h"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace slipway::trainer {
namespace {

std::string typeOf(const ModelSpec& model) {
    return huggingFaceDocument(model).at("model_type").get<std::string>();
}

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

}  // namespace

HuggingFacePlace huggingFacePlace(const ModelSpec& model, const std::string& name) {
    if (model.family == Family::Gpt2) return gpt2Place(name);
    if (model.moe && typeOf(model) == "mixtral") return mixtralPlace(name);
    return {name};
}

Result<void> checkHuggingFaceModel(const ModelSpec& m) {
    const std::string type = typeOf(m);
    const auto refuse = [&](const std::string& why) {
        return fail("unsupported_model", "Transformers has no model type that computes this model: " + why + ".", type);
    };
    if (type == "gpt2") {
        if (m.family != Family::Gpt2 || m.normKind() != NormKind::LayerNorm) return refuse("its family is not gpt2");
        if (!m.hasBias() || !m.hasQkvBias()) return refuse("GPT-2 has biases everywhere");
        if (m.kvHeads() != m.numHeads || m.headSize() * m.numHeads != m.hiddenSize)
            return refuse("GPT-2 has one key-value head per query head, of width hidden_size / num_heads");
        if (m.qkNorm || m.slidingWindow || m.moe || m.mla) return refuse("GPT-2 has no such layers");
        return {};
    }
    const bool isQwenMoe = type == "qwen3_moe";
    if (type != "llama" && type != "mistral" && type != "qwen2" && type != "qwen3" && type != "mixtral" &&
        type != "deepseek" && !isQwenMoe)
        return refuse("its nearest, " + type + ", differs in what it computes");
    if (m.family != Family::Llama) return refuse("its family is gpt2, its layers are not");
    if (m.hasQkvBias() != m.hasBias() && type != "qwen2") return refuse("only some of its layers have biases");
    if (m.hasBias() && type != "llama") return refuse(type + " has no biases");
    if (m.slidingWindow && type != "mistral" && type != "mixtral")
        return refuse("in " + type + " the sliding window holds for some layers only");
    if (type == "mixtral" && !m.moe->normalizeTopK) return refuse("mixtral scales the weights of the chosen experts");
    if (isQwenMoe && (m.moe->numSharedExperts > 0)) return refuse("qwen3_moe has no shared experts");
    return {};
}

}  // namespace slipway::trainer
