#include "core/planner/stack/chosen_stack.h"

#include "core/base/json.h"
#include "core/planner/stack/forecast_basis.h"
#include "core/planner/stack/known_software.h"
#include "core/planner/stack/shipped_stacks.h"

#include <algorithm>

namespace slipway {

namespace {

bool isShipped(const std::string& name) {
    const std::vector<std::string> names = shippedStackNames();
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool isCpu(const ClusterSpec& cluster) {
    return cluster.device.kind == DeviceKind::Cpu;
}

}  // namespace

Message ChosenStack::text() const {
    const Message name = cluster.stack ? softwareTitle(cluster.stack->name) : "textbook"_text;
    switch (reason) {
        case StackReason::Asked: return "%1, as requested"_text(name);
        case StackReason::OfHardware: return "%1, calibrated with the hardware"_text(name);
        case StackReason::OfConfig: return "%1, the software of the config"_text(name);
        case StackReason::NoneNamed: return "%1, because the config names none"_text(name);
        case StackReason::BundledTrainer: break;
    }
    return cluster.calibration == "fitted" ? "the bundled trainer, fitted to runs of this computer"_text
                                           : "the bundled trainer, fitted to its runs on other computers"_text;
}

ClusterSpec ChosenStack::clusterFor(const RunConfig& other) const {
    ClusterSpec same = cluster;
    // The hardware's own stack, and its absence, do not depend on the config.
    if (same.stack && reason != StackReason::OfHardware && reason != StackReason::BundledTrainer)
        (void)useShippedStack(same.stack->name, other, same);
    return same;
}

Result<ChosenStack> chooseStack(const std::string& asked, const RunConfig& config, ClusterSpec hardware) {
    ChosenStack chosen{std::move(hardware), StackReason::Asked};
    if (const auto issue = softwareIssue(config, chosen.cluster); issue && issue->severity == Severity::Error)
        return fail(issue->code, issue->sentence(), issue->field);
    std::string name = asked;
    if (name.empty() && chosen.cluster.stack) {
        chosen.reason = isOtherSoftware(chosen.cluster) ? StackReason::OfHardware : StackReason::BundledTrainer;
        return chosen;
    }
    if (name.empty() && isCpu(chosen.cluster)) {
        chosen.reason = StackReason::BundledTrainer;
        name = kBundledTrainer;
    }
    if (name.empty()) {
        chosen.reason = config.software.empty() ? StackReason::NoneNamed : StackReason::OfConfig;
        name = config.software.empty() ? Calibration::kTypical : config.software;
    }
    if (auto used = useShippedStack(name, config, chosen.cluster); !used) return fail(used.error());
    return chosen;
}

std::optional<Issue> softwareIssue(const RunConfig& config, const ClusterSpec& cluster) {
    const std::string& software = config.software;
    if (software.empty() || software == softwareOf(cluster)) return {};
    if (software == kBundledTrainer && isCpu(cluster)) return {};
    if (!isShipped(software)) return issueOf(Severity::Error, "bad_config", "software", unknownStackText(software));
    if (isCpu(cluster))
        return issueOf(Severity::Info, "software_without_effect", "software",
                       "software is %1; on CPUs the forecast is of the bundled trainer."_text(softwareTitle(software)));
    return {};
}

std::optional<Message> otherSoftwareNote(const RunConfig& config, const ClusterSpec& cluster) {
    if (config.software.empty() || !isOtherSoftware(cluster)) return {};
    return "The bundled trainer runs this config; the forecast is of other software: %1."_text(
        softwareTitle(cluster.stack->name));
}

}  // namespace slipway
