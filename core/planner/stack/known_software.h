// Known training software: its name, the sources of its published runs, and its storage.
#pragma once

#include "core/base/message.h"
#include "core/spec/software_stack.h"

#include <string>
#include <string_view>

namespace slipway {

/// The software behind a published source: "megatron-core", "nemo", "torchtitan", ...; the source's first word for other software.
std::string softwareIdOf(std::string_view source);

/// Storage of the software, from its source code; for others the usual.
SoftwareFacts factsOf(std::string_view softwareId);

/// Display name: "Megatron-Core"; "typical software" for none in particular; other ids are names.
Message softwareTitle(std::string_view softwareId);

}  // namespace slipway
