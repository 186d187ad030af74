// Subject of plan and search: a config or a model, with its hardware. For a model alone, run, hardware and layout are
// chosen here, and every choice is printed on err.
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
    std::string stack;               ///< a shipped software stack; empty: the choice of chooseStack()
    std::vector<std::string> settings;  ///< as --set
    std::vector<std::int64_t> devices;  ///< as --devices; empty: not given
    bool isSearch = false;              ///< the config's layout is replaced by searched ones

    /// Declares CONFIG, --model, --set, --cluster, --nodes and --stack.
    void declare(Arguments& arguments);
    [[nodiscard]] bool isModelAlone() const { return config.empty(); }
    /// True if --set names a field of the layout, which is then planned unchanged.
    [[nodiscard]] bool setsLayout() const;
};

/// Declares --stack for a command that forecasts.
void declareStack(Arguments& arguments, std::string& stack);

struct PlanSubject {
    RunConfig config;
    ClusterSpec cluster;  ///< with the stack of the forecast
    StackReason stackReason = StackReason::NoneNamed;

    /// Reason for the forecast's software, with the alternatives.
    [[nodiscard]] ChosenStack stack() const { return {cluster, stackReason}; }
};

/// The config and the hardware of a question (its nodes become its cluster), with the nodes for its devices and
/// the software stack of its forecast. For a model alone: the run of defaultRun(), on H100s without named
/// hardware.
Result<PlanSubject> subjectOf(CliContext& context, PlanQuestion& question);

/// A library cluster gets the nodes for this many devices; a file's and this computer stay unchanged.
void giveNodes(const PlanQuestion& question, ClusterSpec& cluster, std::int64_t devices);

/// Candidate numbers of devices: the question's; for a model alone the fewest nodes that hold it, or all devices of a
/// cluster from a file. Empty: the config's.
std::vector<std::int64_t> devicesToSearch(CliContext& context, const PlanQuestion& question, PlanSubject& subject);

/// Gives the subject of `plan` its layout: over the devices of the question, with dp as the remainder of the other
/// degrees; for a model alone the fastest one of a search. "usage" where the devices do not divide.
Result<void> layOut(CliContext& context, const PlanQuestion& question, PlanSubject& subject);

}  // namespace slipway
