// Models that Hugging Face transformers computes exactly like the trainer, so that weights can be converted in both
// directions.
#pragma once

#include "core/base/result.h"
#include "core/spec/model_spec.h"

#include <string>

namespace slipway {

/// Whether the router of a model type has a bias in transformers.
bool hasRoutingBias(const std::string& type);

/// "unsupported_model" for a shape that its model type does not compute exactly like the trainer.
Result<void> checkHuggingFaceModel(const ModelSpec& model);

/// The same, and for types outside transformers' own code, which it could not load.
Result<void> checkExportable(const ModelSpec& model);

}  // namespace slipway
