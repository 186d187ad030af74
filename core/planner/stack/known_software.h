// Known training software: its name, the sources of its published runs, and its storage.
#pragma once

#include "core/base/message.h"
#include "core/spec/cluster_spec.h"

#include <string>
#include <string_view>

namespace slipway {

/// Name of the bundled trainer's stack; on CPUs only.
constexpr std::string_view kBundledTrainer = "slipway-trainer";

/// Operations of a dense layer's passes that each cost a CPU host time: 12 products, 2 attention cores, 45 passes over activations.
constexpr double kLayerOperations = 59;

/// True for the stack of software whose memory is described by SoftwareFacts and the memory constants. The bundled trainer's is counted
/// tensor by tensor; its stack has time constants only.
inline bool isOtherSoftware(const ClusterSpec& cluster) {
    return cluster.stack && cluster.stack->name != kBundledTrainer;
}

/// The software behind a published source: "megatron-core", "nemo", "torchtitan", ...; the source's first word for other software.
std::string softwareIdOf(std::string_view source);

/// Storage of the software, from its source code; for others the usual.
SoftwareFacts factsOf(std::string_view softwareId);

/// The constants of a software before any of its runs.
SoftwareStack priorOf(std::string_view softwareId);

/// Display name: "Megatron-Core"; "typical software" for none in particular; other ids are names.
Message softwareTitle(std::string_view softwareId);

}  // namespace slipway
