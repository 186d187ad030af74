#include "core/planner/stack/shipped_stacks.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace slipway {

// Made at build time from resources/stacks (packaging/cmake/EmbedText.cmake).
std::vector<std::string> embeddedStackFiles();

namespace {

constexpr const char* kTextbook = "textbook";

/// The file is part of the program: a mistake in it is a programming error, caught by tests.
Calibration load() {
    const auto json = parseJson(embeddedStackFiles().front(), "resources/stacks");
    Issues issues;
    Calibration calibration = json ? calibrationFromJson(*json, issues) : Calibration{};
    if (json && issues.empty()) return calibration;
    std::fprintf(stderr, "resources/stacks: %s\n", json ? issues.front().message.c_str() : json.error().text().c_str());
    std::abort();
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
        if (name != Calibration::kTypical && name.find('/') == std::string::npos) names.push_back(name);
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

Result<void> useShippedStack(const std::string& name, const RunConfig& config, ClusterSpec& cluster) {
    const std::vector<std::string> names = shippedStackNames();
    if (std::find(names.begin(), names.end(), name) == names.end()) return fail("usage", unknownStackText(name), name);
    if (name == kTextbook) {
        cluster.stack.reset();
        cluster.calibration = kTextbook;
        return {};
    }
    if (cluster.device.kind == DeviceKind::Cpu)
        return fail("usage", "Software stacks are calibrated on accelerators; a CPU runs the bundled trainer."_text,
                    name);
    cluster.stack = shippedCalibration().stackFor({name, cluster.device.name,
                                                   config.train.precision == Precision::Fp8 ? "fp8" : "16 bit",
                                                   config.model.moe.has_value(), ""});
    cluster.calibration = name == Calibration::kTypical ? Calibration::kTypical : "calibrated";
    return {};
}

}  // namespace slipway
