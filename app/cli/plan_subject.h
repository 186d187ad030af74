// Subject of plan and search: a config or a model, and on which hardware. Where a model alone is named, its run, hardware and
// layout are chosen here, and every choice is printed on err.
#pragma once

#include "app/cli/command.h"
#include "core/planner/stack/chosen_stack.h"
#include "core/spec/run_config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slipway {

struct PlanQuestion {
    std::string config;              ///< file; empty: a model alone
    std::string model;               ///< preset, config.json of Hugging Face, its URL, hf:ORG/NAME; empty: the config's
    std::string cluster;             ///< as --cluster
    std::vector<std::string> nodes;  ///< as --nodes; empty: not given
    std::string stack;               ///< a shipped software stack; empty: as chooseStack() decides
    std::vector<std::string> settings;  ///< as --set
    std::vector<std::int64_t> devices;  ///< as --devices; empty: not given
    bool isSearch = false;              ///< the config's layout is replaced by those that are searched

    /// Declares CONFIG, --model, --set, --cluster, --nodes and --stack.
    void declare(Arguments& arguments);
    [[nodiscard]] bool isModelAlone() const { return config.empty(); }
    /// --set names a field of the layout, which is then planned as it is.
    [[nodiscard]] bool setsLayout() const;
};

/// Declares --stack for a command that forecasts.
void declareStack(Arguments& arguments, std::string& stack);

struct PlanSubject {
    RunConfig config;
    ClusterSpec cluster;  ///< with the stack that the forecast uses
    StackReason stackReason = StackReason::NoneNamed;

    /// Why the forecast is of this software, and what else it could be of.
    [[nodiscard]] ChosenStack stack() const { return {cluster, stackReason}; }
};

/// The config and the hardware that a question is about (its nodes become its cluster), with the nodes that its devices need and
/// the software stack of its forecast.
/// Of a model alone: the run of defaultRun(), on H100s where no hardware is named.
Result<PlanSubject> subjectOf(CliContext& context, PlanQuestion& question);

/// A cluster of the library gets the nodes that so many devices need; a file's and this computer stay as they are.
void giveNodes(const PlanQuestion& question, ClusterSpec& cluster, std::int64_t devices);

/// Numbers of devices to lay out over: those of the question; of a model alone the fewest nodes that hold it, or all devices of a
/// cluster that a file describes. Empty: the config's.
std::vector<std::int64_t> devicesToSearch(CliContext& context, const PlanQuestion& question, PlanSubject& subject);

/// Gives the subject of `plan` its layout: over the devices of the question, with what the other degrees leave to dp; of a model alone
/// the fastest that a search finds. "usage" where the devices do not divide.
Result<void> layOut(CliContext& context, const PlanQuestion& question, PlanSubject& subject);

}  // namespace slipway
