// Hugging Face config.json: the shape of a published model in, ours out.
//   auto imported = importHuggingFace(json, RunConfig{}, "config.json");   // imported->config.model
// Keys and their defaults: the configuration classes of huggingface/transformers, as documented per model type.
#pragma once

#include "core/interop/translation.h"
#include "core/spec/huggingface_document.h"

namespace slipway::interop {

/// True when the document looks like a config.json: it has "model_type" or "architectures".
bool looksLikeHuggingFace(const Json& document);

/// Replaces `base`'s model. Known model types: gpt2, opt, mpt, gpt_neox, falcon, phi, starcoder2, stablelm, llama,
/// mistral, mixtral, qwen2, qwen3, qwen2_moe, qwen3_moe, deepseek, deepseek_v2, deepseek_v3, kimi_k2, glm4_moe, olmo,
/// olmo2, olmo3, olmoe, phi3, gemma, gemma2, gemma3_text, cohere, smollm3 and wrappers with a text_config; any other
/// type is read by the usual key names with a remark. "bad_config" when the shape cannot be determined.
Result<Imported> importHuggingFace(const Json& document, const RunConfig& base, const std::string& where);

using slipway::huggingFaceDocument;

}  // namespace slipway::interop
