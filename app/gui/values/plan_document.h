// What the Plan page edits: a config, the hardware it is planned for, and the presets it began with. A value: undo keeps
// copies, jobs take copies.
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

/// The document the page opens with: Llama 3 8B on eight nodes of eight H100, or the tiny model where presets lack it.
PlanDocument startingDocument();
/// A model of about one million parameters for this computer, which trains in about a minute.
PlanDocument tinyDocument(const ClusterSpec& thisMachine);

/// The plan a run was made from, with its hardware; empty when its config cannot be read.
std::optional<PlanDocument> documentOf(const RunRecord& record);

/// A config file as `slipway plan` reads it, on the hardware of `base`; "bad_config" lists every problem.
Result<PlanDocument> documentFromJson(const std::string& text, const std::string& name, const PlanDocument& base);

/// Leaves of config and cluster with their values, for the form.
FieldInfos documentFields(const PlanDocument& document);
/// One edit as typed. Values that lose their effect by it are dropped; errors leave the document as it is.
Result<PlanDocument> withField(const PlanDocument& document, const std::string& path, const std::string& text);
/// Fields with the texts that setField() takes.
using SwitchedOff = std::map<std::string, std::string>;
/// Options of `before` that went back to their defaults in `after`, where the edit of `path` took their effect away.
SwitchedOff switchedOff(const PlanDocument& before, const PlanDocument& after, const std::string& path);
/// The document with those of the options that have an effect in it again; they are taken out of `off`.
PlanDocument withSwitchedOn(PlanDocument document, SwitchedOff& off);
PlanDocument withModelPreset(const PlanDocument& document, const ModelPreset& preset);
/// Keeps the number of nodes when both are devices of nodes.
PlanDocument withCluster(const PlanDocument& document, const ClusterSpec& cluster);
/// The document with the peaks and links of `machine` where its cluster is that computer and lacks them.
PlanDocument withPeaksOf(PlanDocument document, const ClusterSpec& machine);
/// The software that the forecast is of, one of shippedStackNames(); empty: the default. A stack that came with the hardware gives way.
PlanDocument withSoftware(const PlanDocument& document, const std::string& name);
PlanDocument withLayout(const PlanDocument& document, const LayoutChoice& choice);

/// The hardware with the software stack that the forecast uses (chooseStack()); without one where the config names none that exists,
/// which the plan's issues report.
ClusterSpec forecastCluster(const PlanDocument& document);

/// The document as the command line takes it: {"config": ..., "cluster": ...} pretty printed, and `slipway plan` flags.
std::string documentJson(const PlanDocument& document);

}  // namespace slipway::gui
