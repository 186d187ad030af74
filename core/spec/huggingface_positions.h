// Rotary positions of a Hugging Face config.json, read and written.
#pragma once

#include "core/base/json.h"
#include "core/spec/model_spec.h"

#include <optional>
#include <string>

namespace slipway {

/// Stands in rope_scaling or, since transformers 5, in rope_parameters.
struct HuggingFacePositions {
    std::optional<RopeScaling> scaling;
    double turning = 1;   ///< part of each head that turns with the position
    std::string unknown;  ///< a kind of scaling that is none of ours ("longrope"), or what its terms lack
};

/// Where the file is silent about the part of a head that turns: what transformers takes for its model_type.
HuggingFacePositions huggingFacePositions(const Json& config);

/// Adds rope_scaling and the part of a head that turns, where the model has them.
void addHuggingFacePositions(const ModelSpec& model, Json& config);

}  // namespace slipway
