#include "core/run/machine.h"

#include "core/base/file.h"
#include "core/base/file_mode.h"
#include "core/base/json.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/launch/computer.h"
#include "core/planner/evidence/calibrate.h"
#include "core/planner/stack/shipped_stacks.h"
#include "core/planner/stack/stack_constants.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace slipway {
namespace {

constexpr double kBenchSeconds = 300;  // seconds on an idle computer, minutes on a busy one

std::filesystem::path profilePath(const Home& home) {
    return home.path / "machine.json";
}

std::optional<double> peak(const Json& json, const char* precision) {
    if (!json.contains("peak_flops") || !json["peak_flops"].is_object() || !json["peak_flops"].contains(precision))
        return {};
    const auto value = numberFromJson(json["peak_flops"][precision], precision);
    if (!value || !(*value > 0)) return {};
    return *value;
}

Json peaksJson(const MachineProfile& profile) {
    Json peaks = Json::object();
    if (profile.peakFp64Flops) peaks["fp64"] = *profile.peakFp64Flops;
    if (profile.peakFp32Flops) peaks["fp32"] = *profile.peakFp32Flops;
    if (profile.peakBf16Flops) peaks["bf16"] = *profile.peakBf16Flops;
    return peaks;
}

// A fit over noisy times may be negative; such a link is unknown.
std::optional<LinkSpec> linkFrom(const Json& json) {
    if (!json.contains("link") || !json["link"].is_object()) return {};
    const auto rate = numberFromJson(json["link"].value("bytes_per_second", Json()), "bytes_per_second");
    const auto latency = numberFromJson(json["link"].value("latency_seconds", Json()), "latency_seconds");
    if (!rate || !latency || !(*rate > 0) || !std::isfinite(*rate) || !(*latency >= 0 && *latency < 1)) return {};
    return LinkSpec{*rate, *latency};
}

std::optional<double> bandwidthFrom(const Json& json) {
    if (!json.contains("memory") || !json["memory"].is_object()) return {};
    const auto rate = numberFromJson(json["memory"].value("bytes_per_second", Json()), "bytes_per_second");
    if (!rate || !(*rate > 0) || !std::isfinite(*rate)) return {};
    return *rate;
}

/// Runs and stack of a stored profile; those that this version cannot read are left out.
void readRuns(const Json& json, MachineProfile& profile) {
    const Json runs = json.value("runs", Json::array());
    for (const Json& row : runs.is_array() ? runs : Json::array()) {
        if (!row.is_object() || !row.contains("config")) continue;
        Issues issues;
        OwnRun run{runConfigFromJson(row["config"], issues), 0};
        const auto seconds = numberFromJson(row.value("step_seconds", Json()), "step_seconds");
        if (hasErrors(issues) || hasErrors(validate(run.config)) || !seconds || !(*seconds > 0)) continue;
        run.stepSeconds = *seconds;
        profile.runs.push_back(std::move(run));
    }
    if (!json.contains("stack")) return;
    Issues issues;
    auto stack = fields::fromJson<SoftwareStack>(json["stack"], issues, "stack");
    if (!hasErrors(issues) && beyondBounds(stack).empty()) profile.stack = std::move(stack);
}

Json profileJson(const MachineProfile& profile) {
    Json json = {{"cpu", profile.cpu},
                 {"cpus", profile.cpus},
                 {"threads", profile.threads},
                 {"memory_bytes", profile.memoryBytes},
                 {"peak_flops", peaksJson(profile)},
                 {"measured_unix_ms", profile.measuredUnixMilliseconds}};
    if (profile.link)
        json["link"] = {{"bytes_per_second", profile.link->bytesPerSecond},
                        {"latency_seconds", profile.link->latencySeconds}};
    if (profile.memoryBytesPerSecond) json["memory"] = {{"bytes_per_second", *profile.memoryBytesPerSecond}};
    if (profile.runs.empty()) return json;
    Json& runs = json["runs"] = Json::array();
    for (const OwnRun& run : profile.runs)
        runs.push_back({{"config", toJson(run.config)}, {"step_seconds", run.stepSeconds}});
    if (profile.stack) json["stack"] = fields::toJson(*profile.stack);
    return json;
}

/// This computer without a stack.
ClusterSpec hardwareOf(const std::optional<MachineProfile>& profile) {
    const ComputerFacts facts = thisComputer();
    ClusterSpec cluster;
    if (!facts.cpu.empty()) cluster.device.name = facts.cpu;
    cluster.device.kind = DeviceKind::Cpu;
    cluster.device.memoryBytes = facts.memoryBytes.value_or(0);
    // Textbook values, not measured here: two DDR4-3200 channels at 60 % for a copy, and Gloo over loopback TCP.
    cluster.device.memoryBytesPerSecond = 0.6 * 2 * 3200e6 * 8;
    cluster.numNodes = 1;
    cluster.devicesPerNode = facts.cpus;
    cluster.intraNode = {2e9, 40e-6};
    if (!profile) return cluster;
    cluster.device.peakFp64Flops = profile->peakFp64Flops;
    cluster.device.peakFp32Flops = profile->peakFp32Flops;
    cluster.device.peakBf16Flops = profile->peakBf16Flops;
    if (profile->link) cluster.intraNode = *profile->link;
    if (profile->memoryBytesPerSecond) cluster.device.memoryBytesPerSecond = *profile->memoryBytesPerSecond;
    cluster.device.source = "slipway-trainer bench --gemm";
    cluster.gemmEfficiency = 0.87;  // of a peak reached by the same library (core/planner/time/compute.cpp)
    return cluster;
}

/// A step of one process, small enough to be measured in a second.
RunConfig benchStep() {
    RunConfig config;
    config.name = "slipway-trainer bench --step";
    config.train.globalBatchSize = 2 * config.train.microBatchSize;
    return config;
}

std::optional<double> stepSecondsFrom(const std::string& printed) {
    const auto json = parseJson(printed, "slipway-trainer bench");
    if (!json || !json->is_object() || !json->contains("step") || !(*json)["step"].is_object()) return {};
    const auto seconds = numberFromJson((*json)["step"].value("seconds", Json()), "seconds");
    if (!seconds || !(*seconds > 0)) return {};
    return *seconds;
}

/// In place of an earlier run of the same config.
void addRun(MachineProfile& profile, OwnRun run) {
    constexpr std::size_t kMostRuns = 12;
    const std::string hash = configHash(run.config);
    std::erase_if(profile.runs, [&](const OwnRun& one) { return configHash(one.config) == hash; });
    profile.runs.push_back(std::move(run));
    if (profile.runs.size() > kMostRuns) profile.runs.erase(profile.runs.begin());
}

/// The trainer's stack for this computer from the runs on it.
void narrowStack(MachineProfile& profile) {
    profile.stack.reset();
    if (profile.runs.empty()) return;
    const ClusterSpec hardware = hardwareOf(profile);
    std::vector<MeasuredRun> runs;
    for (const OwnRun& run : profile.runs) runs.push_back(ownRun(run.config, hardware, run.stepSeconds));
    std::vector<const MeasuredRun*> pointers;
    for (const MeasuredRun& run : runs) pointers.push_back(&run);
    profile.stack = narrowed(bundledTrainerStack(hardware.device), pointers);
}

std::int64_t integer(const Json& json, const char* key, std::int64_t otherwise) {
    return json.contains(key) && json[key].is_number_integer() ? json[key].get<std::int64_t>() : otherwise;
}

}  // namespace

Result<MachineProfile> profileFromBench(const std::string& text) {
    const auto json = parseJson(text, "slipway-trainer bench");
    if (!json) return fail(json.error());
    MachineProfile profile;
    if (!json->is_object()) return fail("bad_profile", "slipway-trainer bench did not print an object."_text);
    profile.threads = integer(*json, "threads", 1);
    profile.link = linkFrom(*json);
    profile.memoryBytesPerSecond = bandwidthFrom(*json);
    profile.peakFp64Flops = peak(*json, "fp64");
    profile.peakFp32Flops = peak(*json, "fp32");
    profile.peakBf16Flops = peak(*json, "bf16");
    if (!profile.peakFp32Flops && !profile.peakFp64Flops && !profile.peakBf16Flops)
        return fail("bad_profile", "slipway-trainer bench measured no peak (peak_flops is empty)."_text);
    return profile;
}

std::optional<MachineProfile> machineProfile(const Home& home) {
    const auto json = readJsonFile(profilePath(home));
    if (!json || !json->is_object()) return {};
    auto profile = profileFromBench(dumpJson(*json, false));
    if (!profile) return {};
    const ComputerFacts facts = thisComputer();
    profile->cpu = json->contains("cpu") && (*json)["cpu"].is_string() ? (*json)["cpu"].get<std::string>() : "";
    profile->cpus = integer(*json, "cpus", 0);
    profile->memoryBytes = facts.memoryBytes.value_or(0);
    profile->measuredUnixMilliseconds = integer(*json, "measured_unix_ms", 0);
    if (profile->cpu != facts.cpu || profile->cpus != facts.cpus) return {};
    readRuns(*json, *profile);
    return *profile;
}

Result<MachineProfile> measureMachine(const Home& home, const Programs& programs, std::int64_t nowUnixMilliseconds) {
    if (programs.trainer.empty())
        return fail("program_missing", "slipway-trainer was not found, so this computer cannot be measured."_text,
                    "slipway-trainer");
    const std::string program = programs.trainer.string();
    if (const auto made = makePrivateFolder(home.path); !made) return fail(made.error());
    const RunConfig step = benchStep();
    const std::filesystem::path stepFile = home.path / "bench_step.json";
    if (const auto written = writeJsonFile(stepFile, toJson(step)); !written) return fail(written.error());
    std::vector<std::string> command = {program,           "bench",   "--gemm", "--memory", "--step",
                                        stepFile.string(), "--steps", "9",      "--json",   "--comm"};
    auto printed = programOutput(command, kBenchSeconds);
    // A trainer without Gloo cannot measure the link; the peak matters more.
    if (!printed && printed.error().code == "program_failed") {
        command.pop_back();
        printed = programOutput(command, kBenchSeconds);
    }
    std::error_code ignored;
    std::filesystem::remove(stepFile, ignored);
    if (!printed) return fail(printed.error());
    auto profile = profileFromBench(*printed);
    if (!profile) return fail(profile.error());
    const ComputerFacts facts = thisComputer();
    profile->cpu = facts.cpu;
    profile->cpus = facts.cpus;
    profile->memoryBytes = facts.memoryBytes.value_or(0);
    profile->measuredUnixMilliseconds = nowUnixMilliseconds;
    const auto seconds = stepSecondsFrom(*printed);
    if (auto before = machineProfile(home)) profile->runs = std::move(before->runs);
    if (seconds) addRun(*profile, {step, *seconds});
    narrowStack(*profile);
    const auto written = writeJsonFile(profilePath(home), profileJson(*profile));
    if (!written) return fail(written.error());
    return *profile;
}

Result<MachineProfile> ensureMachineProfile(const Home& home, const Programs& programs,
                                            std::int64_t nowUnixMilliseconds) {
    if (const auto stored = machineProfile(home)) return *stored;
    return measureMachine(home, programs, nowUnixMilliseconds);
}

Message busyText(double load, std::int64_t cpus) {
    if (!(load > 0.5 * static_cast<double>(cpus))) return {};
    return "Other programs ran while this computer was measured (load %1 on %2 CPUs): its peaks may be too low and MFU too high. Measure again when it is idle: slipway machine --measure."_text(
        asciiText(formatFixed(load, 1)), cpus);
}

Result<void> learnFromRun(const Home& home, const RunConfig& config, double stepSeconds, double load) {
    auto profile = machineProfile(home);
    if (!profile || !(stepSeconds > 0)) return {};
    const auto threads = static_cast<double>(config.parallel.worldSize() * config.train.threadsPerRank);
    if (!busyText(load - threads, profile->cpus).empty()) return {};
    addRun(*profile, {config, stepSeconds});
    narrowStack(*profile);
    return writeJsonFile(profilePath(home), profileJson(*profile));
}

ClusterSpec thisMachine(const Home& home) {
    const auto profile = machineProfile(home);
    ClusterSpec cluster = hardwareOf(profile);
    const bool isFitted = profile && profile->stack;
    cluster.stack = isFitted ? *profile->stack : bundledTrainerStack(cluster.device);
    cluster.calibration = isFitted ? "fitted" : "calibrated";
    return cluster;
}

}  // namespace slipway
