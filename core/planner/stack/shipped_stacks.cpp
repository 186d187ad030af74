#include "core/planner/stack/shipped_stacks.h"

#include "core/planner/stack/known_software.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace slipway {

// Made at build time from resources/stacks (packaging/cmake/EmbedText.cmake).
std::vector<std::string> embeddedStackFiles();

namespace {

constexpr const char* kTextbook = "textbook";

/// The files are part of the program: a mistake in it is a programming error, caught by tests.
Calibration load() {
    Calibration all;
    for (const std::string& file : embeddedStackFiles()) {
        const auto json = parseJson(file, "resources/stacks");
        Issues issues;
        Calibration one = json ? calibrationFromJson(*json, issues) : Calibration{};
        if (!json || !issues.empty()) {
            std::fprintf(stderr, "resources/stacks: %s\n",
                         json ? issues.front().message.c_str() : json.error().text().c_str());
            std::abort();
        }
        all.stacks.merge(one.stacks);
        all.speeds.merge(one.speeds);
        all.spreads.merge(one.spreads);
    }
    return all;
}

}  // namespace

const Calibration& shippedCalibration() {
    static const Calibration calibration = load();
    return calibration;
}

std::vector<std::string> shippedStackNames() {
    std::vector<std::string> names = {Calibration::kTypical};
    // Software of a single published table has a path as its name.
    for (const auto& [name, stack] : shippedCalibration().stacks)
        if (name != Calibration::kTypical && name != kBundledTrainer && name.find('/') == std::string::npos)
            names.push_back(name);
    names.emplace_back(kTextbook);
    return names;
}

Result<Calibration> calibrationOf(const std::string& name) {
    const Calibration& all = shippedCalibration();
    const auto found = all.stacks.find(name);
    if (found == all.stacks.end()) return fail("usage", unknownStackText(name), name);
    Calibration one;
    one.stacks[Calibration::kTypical] = found->second;
    for (const auto& [key, speed] : all.speeds)
        if (!key.starts_with("group ")) one.speeds[key] = speed;
    return one;
}

Message unknownStackText(const std::string& name) {
    const std::vector<std::string> names = shippedStackNames();
    std::string all;
    for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
    // "megatron" is too far from "megatron-core" for a typo.
    const auto longer = std::find_if(names.begin(), names.end(),
                                     [&](const std::string& one) { return !name.empty() && one.starts_with(name); });
    const std::string near = longer != names.end() ? *longer : nearestKey(name, names);
    return near.empty() ? "No software stack is called %1; there are %2."_text(name, all)
                        : "No software stack is called %1; did you mean %2? There are %3."_text(name, near, all);
}

SoftwareStack bundledTrainerStack(const DeviceSpec& cpu) {
    const SpeedKeys keys{std::string(kBundledTrainer), cpu.name, "", false, ""};
    SoftwareStack stack = shippedCalibration().stackFor(keys);
    // Of one more processor: the speed of a device among devices.
    const SpeedEffect ofDevice = speedEffects(keys).front();
    if (!shippedCalibration().speeds.contains(ofDevice.key))
        for (StackConstant* constant : {&stack.gemmEfficiency, &stack.attentionEfficiency, &stack.memoryEfficiency})
            constant->uncertainty = std::hypot(constant->uncertainty, ofDevice.spread);
    return stack;
}

Result<void> useShippedStack(const std::string& name, const RunConfig& config, ClusterSpec& cluster) {
    std::vector<std::string> names = shippedStackNames();
    const bool isCpu = cluster.device.kind == DeviceKind::Cpu;
    if (isCpu) names.emplace_back(kBundledTrainer);
    if (std::find(names.begin(), names.end(), name) == names.end()) return fail("usage", unknownStackText(name), name);
    if (name == kTextbook) {
        cluster.stack.reset();
        cluster.calibration = kTextbook;
        return {};
    }
    if (name == kBundledTrainer) {
        cluster.stack = bundledTrainerStack(cluster.device);
        cluster.calibration = "calibrated";
        return {};
    }
    if (isCpu)
        return fail("usage", "Software stacks are calibrated on accelerators; a CPU runs the bundled trainer."_text,
                    name);
    cluster.stack = shippedCalibration().stackFor({name, cluster.device.name,
                                                   config.train.precision == Precision::Fp8 ? "fp8" : "16 bit",
                                                   config.model.moe.has_value(), ""});
    cluster.calibration = name == Calibration::kTypical ? Calibration::kTypical : "calibrated";
    return {};
}

}  // namespace slipway
