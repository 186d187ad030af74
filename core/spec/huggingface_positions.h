// Rotary positions of a Hugging Face config.json, read and written.
#pragma once

#include "core/base/json.h"
#include "core/spec/model_spec.h"

#include <optional>
#include <string>

namespace slipway {

/// Contents of rope_scaling or, since transformers 5, of rope_parameters.
struct HuggingFacePositions {
    std::optional<RopeScaling> scaling;
    double turning = 1;   ///< rotary part of each head
    std::string unknown;  ///< an unsupported kind of scaling ("longrope"), or its missing terms
};

/// Where the file omits the rotary part of a head: the default of transformers for its model_type.
HuggingFacePositions huggingFacePositions(const Json& config);

/// Adds rope_scaling and the rotary part of a head, where the model has them.
void addHuggingFacePositions(const ModelSpec& model, Json& config);

}  // namespace slipway
