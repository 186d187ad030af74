// What the model types of Hugging Face imply beyond their config.json. Private to this room.
#pragma once

#include "core/interop/key_reader.h"
#include "core/spec/model_spec.h"

#include <string_view>
#include <vector>

namespace slipway::interop {

/// What a model type implies beyond its config.json.
struct TypeTraits {
    std::string_view name;
    Family family;
    bool gated;  ///< three feed-forward matrices
    bool layerNorm;
    bool tieByDefault;
    SourceText note = {};  ///< how the type differs from ours, when it does
};

/// The traits of a type; null for one that is not known.
const TypeTraits* findTypeTraits(std::string_view name);
/// Why Slipway cannot plan a model type, %1, at all; empty for all others.
SourceText whyNoDecoder(std::string_view type);
/// Keys of a config.json without influence on shape or cost of training, or that Slipway has no field for.
const std::vector<std::string_view>& huggingFaceOtherKeys();

/// How tokens are sent to experts: the keys of `reader` into `moe`, whose other fields are unchanged. A router with a bias gets the
/// bias_update_rate of DeepSeek-V3 (arXiv 2412.19437, section 4.2), with a remark: a config.json has none.
void readRouting(const std::string& type, KeyReader& reader, MoeSpec& moe);

}  // namespace slipway::interop
