// Which models Hugging Face transformers computes exactly as the trainer does, so that weights go over in both
// directions.
#pragma once

#include "core/base/result.h"
#include "core/spec/model_spec.h"

#include <string>

namespace slipway {

/// Model types whose router has a bias in transformers.
bool hasRoutingBias(const std::string& type);

/// "unsupported_model" for a shape that its model type does not compute exactly as we do.
Result<void> checkHuggingFaceModel(const ModelSpec& model);

/// The same, and for types whose code is not part of transformers, which it could not load.
Result<void> checkExportable(const ModelSpec& model);

}  // namespace slipway
