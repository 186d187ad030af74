#include "core/spec/huggingface_positions.h"

#include <nlohmann/json.hpp>

namespace slipway {

namespace {

/// The rotary share of a head that a model type implies.
double impliedPart(const std::string& type) {
    if (type == "gpt_neox" || type == "stablelm") return 0.25;
    const bool isHalf = type == "glm" || type == "glm4" || type == "glm4_moe" || type == "nemotron" || type == "phi" ||
                        type == "persimmon";
    return isHalf ? 0.5 : 1;
}

const Json* member(const Json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto at = object.find(key);
    return at == object.end() || at->is_null() ? nullptr : &*at;
}

const char* partKey(const std::string& type) {
    return type == "gpt_neox" ? "rotary_pct" : "partial_rotary_factor";
}

}  // namespace

HuggingFacePositions huggingFacePositions(const Json& config) {
    HuggingFacePositions out;
    const Json none;
    const auto of = [&](const char* key) -> const Json& {
        const Json* found = member(config, key);
        return found != nullptr ? *found : none;
    };
    const Json& type = of("model_type");
    if (type.is_string()) out.turning = impliedPart(type.get<std::string>());
    for (const Json* place : {&config, &of("rope_parameters")})
        for (const char* key : {"partial_rotary_factor", "rotary_pct"})
            if (const Json* part = member(*place, key); part != nullptr && part->is_number())
                out.turning = part->get<double>();

    const Json& terms = of("rope_scaling").is_object() ? of("rope_scaling") : of("rope_parameters");
    const Json* kind = member(terms, "rope_type");
    if (kind == nullptr) kind = member(terms, "type");
    if (kind == nullptr || !kind->is_string() || *kind == "default") return out;
    RopeScaling s;
    if (*kind == "linear")
        s.kind = RopeScalingKind::Linear;
    else if (*kind == "llama3")
        s.kind = RopeScalingKind::Llama3;
    else if (*kind == "yarn")
        s.kind = RopeScalingKind::Yarn;
    else {
        out.unknown = kind->get<std::string>();
        return out;
    }
    const auto read = [&](const char* key, double& value) {
        const Json* term = member(terms, key);
        if (term != nullptr && term->is_number()) value = term->get<double>();
        return term != nullptr && term->is_number();
    };
    double original = 0;
    if (!read("factor", s.factor)) out.unknown = kind->get<std::string>() + " without a factor";
    if (s.kind != RopeScalingKind::Linear) {
        if (!read("original_max_position_embeddings", original))
            for (const char* key : {"max_position_embeddings", "original_max_position_embeddings"})
                if (of(key).is_number()) original = of(key).get<double>();
        if (original >= 1 && original < 1e9) s.originalMaxSeqLen = static_cast<std::int64_t>(original);
    }
    if (s.kind == RopeScalingKind::Llama3) {
        read("low_freq_factor", s.lowFreqFactor);
        read("high_freq_factor", s.highFreqFactor);
    } else if (s.kind == RopeScalingKind::Yarn) {
        read("beta_fast", s.betaFast);
        read("beta_slow", s.betaSlow);
        read("mscale", s.mscale);
        read("mscale_all_dim", s.mscaleAllDim);
        if (double magnitude = 0; read("attention_factor", magnitude)) out.unknown = "yarn with an attention_factor";
        if (const Json* rounded = member(terms, "truncate"); rounded != nullptr && *rounded == false)
            out.unknown = "yarn without truncate";
    }
    if (out.unknown.empty()) out.scaling = s;
    return out;
}

void addHuggingFacePositions(const ModelSpec& m, Json& config) {
    if (m.positionKind() != PositionKind::Rope) return;
    const std::string type = config.value("model_type", "");
    if (!m.mla && impliedPart(type) != 1)  // the other types rotate whole heads, regardless of this key
        config[partKey(type)] = static_cast<double>(m.rotarySize()) / static_cast<double>(m.headSize());
    if (!m.ropeScaling) return;
    const RopeScaling& s = *m.ropeScaling;
    const std::string kind(wordOf(s.kind));
    Json terms{{"rope_type", kind}, {"factor", s.factor}};
    if (m.mla) terms["type"] = kind;  // the key in the models' own code
    if (s.kind != RopeScalingKind::Linear) terms["original_max_position_embeddings"] = s.originalMaxSeqLen;
    if (s.kind == RopeScalingKind::Llama3) {
        terms["low_freq_factor"] = s.lowFreqFactor;
        terms["high_freq_factor"] = s.highFreqFactor;
    } else if (s.kind == RopeScalingKind::Yarn) {
        terms["beta_fast"] = s.betaFast;
        terms["beta_slow"] = s.betaSlow;
        if (s.mscale > 0) terms["mscale"] = s.mscale;
        if (s.mscaleAllDim > 0) terms["mscale_all_dim"] = s.mscaleAllDim;
    }
    config["rope_scaling"] = std::move(terms);
}

}  // namespace slipway
