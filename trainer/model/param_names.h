// Names of the weights, as in Hugging Face checkpoints.
// GPT-2 there stores queries, keys and values in one matrix, and all its matrices transposed (Conv1D). Here every
// matrix is [outputs, inputs] and the three are separate, named c_attn.q, c_attn.k and c_attn.v; an export joins and
// transposes them.
#pragma once

#include "core/spec/model_spec.h"

#include <cstdint>
#include <string>

namespace slipway::trainer {

/// Names of one block. Matrices and norms lack ".weight" and ".bias".
struct BlockNames {
    std::string norm1, q, k, v, qNorm, kNorm, out, norm2, gate, up, down;
    std::string attention;  ///< prefix of latent attention's parts, named as in DeepSeek
    std::string mlp;        ///< prefix of router, experts and shared experts, named as in DeepSeek and Qwen
};

struct ModelNames {
    std::string embedding;  ///< complete
    std::string positions;  ///< complete
    std::string finalNorm;
    std::string head;  ///< complete
};

inline ModelNames modelNames(Family family) {
    if (family == Family::Gpt2)
        return {"transformer.wte.weight", "transformer.wpe.weight", "transformer.ln_f", "lm_head.weight"};
    return {"model.embed_tokens.weight", "model.embed_positions.weight", "model.norm", "lm_head.weight"};
}

inline BlockNames blockNames(Family family, std::int64_t layer) {
    const std::string number = std::to_string(layer);
    if (family == Family::Gpt2) {
        const std::string h = "transformer.h." + number + ".";
        return {h + "ln_1",        h + "attn.c_attn.q", h + "attn.c_attn.k", h + "attn.c_attn.v", h + "attn.q_norm",
                h + "attn.k_norm", h + "attn.c_proj",   h + "ln_2",          h + "mlp.c_gate",    h + "mlp.c_fc",
                h + "mlp.c_proj",  h + "attn.",         h + "mlp."};
    }
    const std::string l = "model.layers." + number + ".";
    return {l + "input_layernorm",
            l + "self_attn.q_proj",
            l + "self_attn.k_proj",
            l + "self_attn.v_proj",
            l + "self_attn.q_norm",
            l + "self_attn.k_norm",
            l + "self_attn.o_proj",
            l + "post_attention_layernorm",
            l + "mlp.gate_proj",
            l + "mlp.up_proj",
            l + "mlp.down_proj",
            l + "self_attn.",
            l + "mlp."};
}

}  // namespace slipway::trainer
