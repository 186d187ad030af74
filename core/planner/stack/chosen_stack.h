// Which software a forecast is of: the one asked for, else the hardware's own stack, else that of the config, else typical.
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
    OfHardware,      ///< the cluster brought its own, fitted to runs on it
    OfConfig,        ///< RunConfig::software
    NoneNamed,       ///< typical software, because nothing names another
    BundledTrainer,  ///< on CPUs
};

struct ChosenStack {
    ClusterSpec cluster;  ///< the hardware with the stack in it, for makePlan()
    StackReason reason = StackReason::NoneNamed;

    /// "Megatron-Core, the config's software".
    [[nodiscard]] Message text() const;
    /// The cluster for another config that is compared with this one: the same software, as fast as it is with that config's numbers.
    [[nodiscard]] ClusterSpec clusterFor(const RunConfig& other) const;
};

/// Decides for every command and the window. `asked` is one of shippedStackNames(), or empty for the default.
/// "usage" for an unknown name asked for or a stack asked for on CPUs; "bad_config" where the config names one.
Result<ChosenStack> chooseStack(const std::string& asked, const RunConfig& config, ClusterSpec hardware);

/// What is wrong with RunConfig::software on this cluster: an unknown name is an error, a name without effect (CPUs) a remark.
std::optional<Issue> softwareIssue(const RunConfig& config, const ClusterSpec& cluster);

/// A run of the bundled trainer whose forecast is of other software, as a sentence; empty where the forecast is the trainer's own.
std::optional<Message> otherSoftwareNote(const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
