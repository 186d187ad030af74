// Implicit properties of Hugging Face's model types, beyond their config.json. Private to this room.
#pragma once

#include "core/interop/key_reader.h"
#include "core/spec/model_spec.h"

#include <string_view>
#include <vector>

namespace slipway::interop {

/// Implicit properties of a model type, beyond its config.json.
struct TypeTraits {
    std::string_view name;
    Family family;
    bool gated;  ///< three feed-forward matrices
    bool layerNorm;
    bool tieByDefault;
    SourceText note = {};  ///< differences of the type from ours, if any
};

/// The traits of a type; null for an unknown one.
const TypeTraits* findTypeTraits(std::string_view name);
/// Why Slipway cannot plan a model type, %1, at all; empty for all others.
SourceText whyNoDecoder(std::string_view type);
/// Keys of a config.json without effect on shape or cost of training, or without a field in Slipway.
const std::vector<std::string_view>& huggingFaceOtherKeys();

/// Routing of tokens to experts: the keys of `reader` into `moe`, whose other fields stay unchanged. A router with a bias gets the
/// bias_update_rate of DeepSeek-V3 (arXiv 2412.19437, section 4.2), with a remark: a config.json has none.
void readRouting(const std::string& type, KeyReader& reader, MoeSpec& moe);

}  // namespace slipway::interop
