// Training software that Slipway knows: its name, whose published runs show it, and what it stores.
#pragma once

#include "core/base/message.h"
#include "core/spec/software_stack.h"

#include <string>
#include <string_view>

namespace slipway {

/// The software behind a published source: "megatron-core", "nemo", "torchtitan", ...; the source's first word where it is another.
std::string softwareIdOf(std::string_view source);

/// What the software stores, from its source code; for others the usual.
SoftwareFacts factsOf(std::string_view softwareId);

/// The name that people know: "Megatron-Core"; "typical software" of none in particular; other ids are names.
Message softwareTitle(std::string_view softwareId);

}  // namespace slipway
