#include "core/run/machine.h"

#include "core/base/file.h"
#include "core/base/file_mode.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/launch/computer.h"

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
    return *profile;
}

Result<MachineProfile> measureMachine(const Home& home, const Programs& programs, std::int64_t nowUnixMilliseconds) {
    if (programs.trainer.empty())
        return fail("program_missing", "slipway-trainer was not found, so this computer cannot be measured."_text,
                    "slipway-trainer");
    const std::string program = programs.trainer.string();
    auto printed = programOutput({program, "bench", "--gemm", "--comm", "--json"}, kBenchSeconds);
    // A trainer without Gloo cannot measure the link; the peak matters more.
    if (!printed && printed.error().code == "program_failed")
        printed = programOutput({program, "bench", "--gemm", "--json"}, kBenchSeconds);
    if (!printed) return fail(printed.error());
    auto profile = profileFromBench(*printed);
    if (!profile) return fail(profile.error());
    const ComputerFacts facts = thisComputer();
    profile->cpu = facts.cpu;
    profile->cpus = facts.cpus;
    profile->memoryBytes = facts.memoryBytes.value_or(0);
    profile->measuredUnixMilliseconds = nowUnixMilliseconds;
    if (const auto made = makePrivateFolder(home.path); !made) return fail(made.error());
    Json json = {{"cpu", profile->cpu},
                 {"cpus", profile->cpus},
                 {"threads", profile->threads},
                 {"memory_bytes", profile->memoryBytes},
                 {"peak_flops", peaksJson(*profile)},
                 {"measured_unix_ms", profile->measuredUnixMilliseconds}};
    if (profile->link)
        json["link"] = {{"bytes_per_second", profile->link->bytesPerSecond},
                        {"latency_seconds", profile->link->latencySeconds}};
    const auto written = writeJsonFile(profilePath(home), json);
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

ClusterSpec thisMachine(const Home& home) {
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
    if (const auto profile = machineProfile(home)) {
        cluster.device.peakFp64Flops = profile->peakFp64Flops;
        cluster.device.peakFp32Flops = profile->peakFp32Flops;
        cluster.device.peakBf16Flops = profile->peakBf16Flops;
        if (profile->link) cluster.intraNode = *profile->link;
        cluster.device.source = "slipway-trainer bench --gemm";  // the peak is measured, the efficiencies stay textbook
        cluster.gemmEfficiency = 0.87;  // of a peak reached by the same library (core/planner/time/compute.cpp)
    }
    return cluster;
}

}  // namespace slipway
