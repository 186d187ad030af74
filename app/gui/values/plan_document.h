// The document of the Plan page: a config, its planned hardware, and its initial presets. A value: undo and jobs hold
// copies.
#pragma once

#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/store/run_record.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slipway::gui {

struct PlanDocument {
    RunConfig config;
    ClusterSpec cluster;
    std::string modelPreset;  ///< id; empty: own shape
};

/// The initial document: Llama 3 8B on eight nodes of eight H100, or the tiny model where presets lack it.
PlanDocument startingDocument();
/// A model of about one million parameters for this computer, which trains in about a minute.
PlanDocument tinyDocument(const ClusterSpec& thisMachine);

/// The plan of a run, with its hardware; empty when its config is unreadable.
std::optional<PlanDocument> documentOf(const RunRecord& record);

/// A config file, read like `slipway plan`, on the hardware of `base`; "bad_config" lists every problem.
Result<PlanDocument> documentFromJson(const std::string& text, const std::string& name, const PlanDocument& base);

/// Leaves of config and cluster with their values, for the form.
FieldInfos documentFields(const PlanDocument& document);
/// One edit as typed. Values without effect after it are dropped; errors leave the document unchanged.
Result<PlanDocument> withField(const PlanDocument& document, const std::string& path, const std::string& text);
/// Fields with their texts for setField().
using SwitchedOff = std::map<std::string, std::string>;
/// Options of `before` reset to defaults in `after`, because the edit of `path` removed their effect.
SwitchedOff switchedOff(const PlanDocument& before, const PlanDocument& after, const std::string& path);
/// Restores the options that have an effect again, and removes them from `off`.
PlanDocument withSwitchedOn(PlanDocument document, SwitchedOff& off);
PlanDocument withModelPreset(const PlanDocument& document, const ModelPreset& preset);
/// Keeps the number of nodes when both are devices of nodes.
PlanDocument withCluster(const PlanDocument& document, const ClusterSpec& cluster);
/// The document with the peaks and links of `machine` where its cluster is that computer and lacks them.
PlanDocument withPeaksOf(PlanDocument document, const ClusterSpec& machine);
/// Sets the software of the forecast, one of shippedStackNames(); empty: the default. It replaces a stack of the hardware.
PlanDocument withSoftware(const PlanDocument& document, const std::string& name);
PlanDocument withLayout(const PlanDocument& document, const LayoutChoice& choice);

/// The hardware with the software stack of the forecast (chooseStack()); without one where the config names an unknown
/// one, which is among the plan's issues.
ClusterSpec forecastCluster(const PlanDocument& document);

/// The document for the command line: {"config": ..., "cluster": ...} pretty-printed, and `slipway plan` flags.
std::string documentJson(const PlanDocument& document);

}  // namespace slipway::gui
