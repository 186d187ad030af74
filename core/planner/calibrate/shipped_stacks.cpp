#include "core/planner/calibrate/shipped_stacks.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace slipway {

// Made at build time from resources/stacks (packaging/cmake/EmbedText.cmake).
std::vector<std::string> embeddedStackFiles();

namespace {

constexpr const char* kTextbook = "textbook";

/// The file is part of the program: a mistake in it is a programmer's and the tests' to catch.
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
    // Software of a single published table has a path for a name.
    for (const auto& [name, stack] : shippedCalibration().stacks)
        if (name != Calibration::kTypical && name.find('/') == std::string::npos) names.push_back(name);
    names.emplace_back(kTextbook);
    return names;
}

Result<void> useShippedStack(const std::string& name, const RunConfig& config, ClusterSpec& cluster) {
    const std::vector<std::string> names = shippedStackNames();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        std::string all;
        for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
        return fail("usage", "No stack is called %1; there are %2."_text(name, all), name);
    }
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
    cluster.calibration = "calibrated";
    return {};
}

}  // namespace slipway
