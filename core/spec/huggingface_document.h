// Hugging Face config.json of a model: what exports carry, of weights as well as of configs.
#pragma once

#include "core/base/json.h"
#include "core/spec/model_spec.h"

namespace slipway {

/// The nearest model type of transformers: "llama", "qwen3", ...; "deepseek" is one of remote code only.
std::string huggingFaceType(const ModelSpec& model);
/// The model as config.json of the nearest model type (text only; the other sections of a run's config have no place there).
Json huggingFaceDocument(const ModelSpec& model);

}  // namespace slipway
