// Hugging Face config.json of a model: part of exports of weights and of configs.
#pragma once

#include "core/base/json.h"
#include "core/spec/model_spec.h"

namespace slipway {

/// The nearest model type of transformers: "llama", "qwen3", ...; "deepseek" exists only as remote code.
std::string huggingFaceType(const ModelSpec& model);
/// The model as config.json of the nearest model type (text only; without the other sections of a run's config).
Json huggingFaceDocument(const ModelSpec& model);

}  // namespace slipway
