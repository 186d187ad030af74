// What the model types of Hugging Face imply without saying it in their config.json. Private to this room.
#pragma once

#include "core/spec/model_spec.h"

#include <string_view>
#include <vector>

namespace slipway::interop {

/// What a model type implies without saying it in its config.json.
struct TypeTraits {
    std::string_view name;
    Family family;
    bool gated;  ///< three feed-forward matrices
    bool layerNorm;
    bool tieByDefault;
    const char* note = "";  ///< how the type differs from ours, when it does
};

/// The traits of a type; null for one that is not known.
const TypeTraits* findTypeTraits(std::string_view name);
/// Keys of a config.json that say nothing about shape or cost of training, or that Slipway has no field for.
const std::vector<std::string_view>& huggingFaceOtherKeys();

}  // namespace slipway::interop
