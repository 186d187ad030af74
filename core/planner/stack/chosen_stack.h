// The software of a forecast: the requested one, else the hardware's own stack, else the config's, else typical.
//   auto chosen = chooseStack("", config, hardware);   makePlan(config, chosen->cluster); chosen->text()
#pragma once

#include "core/base/message.h"
#include "core/base/result.h"
#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"

#include <optional>
#include <string>

namespace slipway {

enum class StackReason {
    Asked,           ///< by name
    OfHardware,      ///< the cluster's own, fitted to runs on it
    OfConfig,        ///< RunConfig::software
    NoneNamed,       ///< typical software, because none is named
    BundledTrainer,  ///< on CPUs
};

struct ChosenStack {
    ClusterSpec cluster;  ///< the hardware with the stack in it, for makePlan()
    StackReason reason = StackReason::NoneNamed;

    /// "Megatron-Core, the config's software".
    [[nodiscard]] Message text() const;
    /// The cluster for another config compared with this one: the same software, at its speed in that config's number format.
    [[nodiscard]] ClusterSpec clusterFor(const RunConfig& other) const;
};

/// The choice for every command and the window. `asked` is one of shippedStackNames(), or empty for the default.
/// "usage" for an unknown requested name or a stack requested on CPUs; "bad_config" where the config names one.
Result<ChosenStack> chooseStack(const std::string& asked, const RunConfig& config, ClusterSpec hardware);

/// Problem of RunConfig::software on this cluster: an unknown name is an error, a name without effect (CPUs) a remark.
std::optional<Issue> softwareIssue(const RunConfig& config, const ClusterSpec& cluster);

/// A note on a run of the bundled trainer whose forecast is for other software; empty where the forecast is the trainer's own.
std::optional<Message> otherSoftwareNote(const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
