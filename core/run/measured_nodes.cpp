#include "core/run/measured_nodes.h"

#include "core/base/error_of.h"
#include "core/base/file_mode.h"
#include "core/base/own_file.h"
#include "core/base/sha256.h"
#include "core/base/units.h"
#include "core/planner/presets.h"
#include "core/planner/time/curve_sources.h"
#include "core/run/machine.h"
#include "core/spec/run_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr double kStillSame = 0.9;  // of an earlier figure: measurements vary
constexpr std::string_view kMeasuredOn = "measured on ";
constexpr double kProductEfficiency = 0.87;  // of a CPU's measured peak, as for this computer (core/run/machine.cpp)

std::string dayOf(std::int64_t unixMilliseconds) {
    using namespace std::chrono;
    const year_month_day day(floor<days>(sys_time<milliseconds>(milliseconds(unixMilliseconds))));
    char text[32];
    std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                  static_cast<unsigned>(day.day()));
    return text;
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

/// The positive number at a path of a document from another computer.
std::optional<double> figureAt(const Json& json, const char* path) {
    const Json::json_pointer at(path);
    if (!json.contains(at)) return {};
    const auto value = numberFromJson(json[at], path);
    if (!value || !std::isfinite(*value) || !(*value > 0)) return {};
    return *value;
}

std::optional<double> least(std::optional<double> a, std::optional<double> b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

/// Reduces the curves of several nodes to the slowest of each kind.
void addCurves(std::vector<CommCurve>& all, const CurveTable& table, const std::string& source,
               const std::string& day) {
    for (CommCurve curve : table.curves) {
        if (!(curve.bytesPerSecond >= 1) || !std::isfinite(curve.bytesPerSecond) || !(curve.latencySeconds >= 0))
            continue;
        curve.source = source;
        curve.sourceDate = day;
        const auto same = std::find_if(all.begin(), all.end(), [&](const CommCurve& other) {
            return other.operation == curve.operation && other.ranks == curve.ranks &&
                   other.ranksPerNode == curve.ranksPerNode;
        });
        if (same == all.end()) {
            all.push_back(curve);
            continue;
        }
        same->latencySeconds = std::max(same->latencySeconds, curve.latencySeconds);
        same->bytesPerSecond = std::min(same->bytesPerSecond, curve.bytesPerSecond);
    }
}

std::optional<LinkSpec> linkIn(const Json& json) {
    const auto rate = figureAt(json, "/link/bytes_per_second");
    if (!rate) return {};
    return LinkSpec{*rate, std::min(1.0, figureAt(json, "/link/latency_seconds").value_or(0))};
}

LinkSpec slower(const LinkSpec& a, const LinkSpec& b) {
    return {std::min(a.bytesPerSecond, b.bytesPerSecond), std::max(a.latencySeconds, b.latencySeconds)};
}

/// The library's device for the driver's name: "NVIDIA H100 80GB HBM3" is "NVIDIA H100 SXM 80 GB".
Result<ClusterSpec> deviceOf(const std::string& gpu, const std::string& node) {
    std::string words;
    std::string name = gpu;
    std::replace(name.begin(), name.end(), '-', ' ');
    std::istringstream in(name);
    for (std::string word; in >> word;) {
        if (word.starts_with("HBM")) continue;
        if (word.starts_with("SXM")) word = "SXM";
        words += (words.empty() ? "" : " ") + word;
    }
    const auto found = devicePresetsLike(words, DeviceKind::Gpu);
    if (found.size() == 1) return *found.front();
    return fail(
        "gpu_unknown",
        "The library has no device like the %1 of %2; add it with `slipway devices` and measure again."_text(gpu, node),
        node);
}

Json parsed(const std::string& document, const std::string& node) {
    const auto json = parseJson(document, node);
    return json && json->is_object() ? *json : Json::object();
}

Error badProfile(const std::string& node) {
    return errorOf("bad_profile", "slipway-trainer bench measured no peak on %1."_text(node), node);
}

/// Adds the node's own figures; the cluster then covers it and the previous ones.
Result<void> addCpuNode(const NodesBench::Node& node, MeasuredNode& own, ClusterSpec& cluster, bool isFirst) {
    const auto profile = profileFromBench(node.alone);
    if (!profile) return fail(badProfile(node.name));
    const Json json = parsed(node.alone, node.name);
    own.device = node.facts.cpu;
    own.peakFp32Flops = profile->peakFp32Flops;
    own.peakBf16Flops = profile->peakBf16Flops;
    own.memoryBytesPerSecond = figureAt(json, "/memory/bytes_per_second").value_or(0);
    DeviceSpec& device = cluster.device;
    if (isFirst) {
        device.name = node.facts.cpu.empty() ? "CPU" : node.facts.cpu;
        device.kind = DeviceKind::Cpu;
        device.memoryBytes = node.facts.memoryBytes;
        device.memoryBytesPerSecond = own.memoryBytesPerSecond;
        cluster.devicesPerNode = std::max<std::int64_t>(1, node.facts.cpus);
        cluster.gemmEfficiency = kProductEfficiency;
    }
    device.memoryBytes = std::min(device.memoryBytes, node.facts.memoryBytes);
    device.memoryBytesPerSecond = std::min(device.memoryBytesPerSecond, own.memoryBytesPerSecond);
    cluster.devicesPerNode = std::min(cluster.devicesPerNode, std::max<std::int64_t>(1, node.facts.cpus));
    device.peakFp64Flops = least(device.peakFp64Flops, profile->peakFp64Flops);
    device.peakFp32Flops = least(device.peakFp32Flops, profile->peakFp32Flops);
    device.peakBf16Flops = least(device.peakBf16Flops, profile->peakBf16Flops);
    if (profile->link) cluster.intraNode = isFirst ? *profile->link : slower(cluster.intraNode, *profile->link);
    return {};
}

Result<void> addGpuNode(const NodesBench::Node& node, MeasuredNode& own, ClusterSpec& cluster, bool isFirst) {
    const Json json = parsed(node.alone, node.name);
    own.device = node.facts.gpus.front();
    own.numGpus = static_cast<std::int64_t>(node.facts.gpus.size());
    own.peakFp32Flops = figureAt(json, "/gpu/peak_flops/fp32");
    own.peakBf16Flops = figureAt(json, "/gpu/peak_flops/bf16");
    own.memoryBytesPerSecond = figureAt(json, "/gpu/memory_bytes_per_second").value_or(0);
    if (!own.peakBf16Flops) return fail(badProfile(node.name));
    if (isFirst) {
        auto device = deviceOf(own.device, node.name);
        if (!device) return fail(device.error());
        cluster = std::move(*device);
        cluster.commCurves.clear();
        cluster.gemmEfficiency = 1;
        cluster.devicesPerNode = own.numGpus;
    }
    const double peak = cluster.device.peakBf16Flops.value_or(*own.peakBf16Flops);
    cluster.gemmEfficiency = std::clamp(*own.peakBf16Flops / peak, 0.001, cluster.gemmEfficiency);
    return {};
}

Json toJson(const MeasuredNode& node) {
    return Json{{"node", node.name},
                {"host", node.host},
                {"device", node.device},
                {"trainer_version", node.trainerVersion},
                {"num_gpus", node.numGpus},
                {"peak_fp32_flops", node.peakFp32Flops ? Json(*node.peakFp32Flops) : Json(nullptr)},
                {"peak_bf16_flops", node.peakBf16Flops ? Json(*node.peakBf16Flops) : Json(nullptr)},
                {"memory_bytes_per_second", node.memoryBytesPerSecond}};
}

fs::path folderOf(const Home& home) {
    return home.path / "nodes" / "measured";
}

/// Names may be many and long; the file has them.
fs::path fileOf(const Home& home, std::vector<std::string> names) {
    constexpr std::size_t kDigits = 16;
    std::sort(names.begin(), names.end());
    return folderOf(home) / (sha256Of(joined(names)).substr(0, kDigits) + ".json");
}

std::optional<MeasuredNodes> readMeasured(const fs::path& path) {
    const auto json = readOwnJson(path);
    if (!json || !json->is_object()) return {};
    MeasuredNodes measured;
    try {
        measured.unixMilliseconds = json->at("measured_unix_ms").get<std::int64_t>();
        for (const Json& each : json->at("nodes")) {
            MeasuredNode node;
            node.name = each.at("node").get<std::string>();
            node.host = each.at("host").get<std::string>();
            node.device = each.at("device").get<std::string>();
            node.trainerVersion = each.at("trainer_version").get<std::string>();
            node.numGpus = each.at("num_gpus").get<std::int64_t>();
            node.peakFp32Flops = figureAt(each, "/peak_fp32_flops");
            node.peakBf16Flops = figureAt(each, "/peak_bf16_flops");
            node.memoryBytesPerSecond = figureAt(each, "/memory_bytes_per_second").value_or(0);
            measured.nodes.push_back(std::move(node));
        }
        Issues issues;
        measured.cluster = clusterFromJson(json->at("cluster"), issues);
        if (hasErrors(issues) || measured.nodes.empty()) return {};
    } catch (const nlohmann::json::exception&) {
        return {};
    }
    return measured;
}

}  // namespace

std::vector<Message> slowerThanBefore(const MeasuredNodes& before, const MeasuredNodes& now) {
    std::vector<Message> slower;
    const std::string day = dayOf(before.unixMilliseconds);
    const auto compare = [&](const std::optional<double>& old, const std::optional<double>& value, const auto& make) {
        if (old && value && *old > 0 && *value < kStillSame * *old)
            slower.push_back(make(formatPercent(1 - *value / *old)));
    };
    for (const MeasuredNode& node : now.nodes) {
        const auto old = std::ranges::find(before.nodes, node.name, &MeasuredNode::name);
        if (old == before.nodes.end()) continue;
        const auto products = [&](const std::string& share) {
            return "Products on %1 are %2 slower than on %3; check clocks, cooling and other programs."_text(
                node.name, share, day);
        };
        const auto memory = [&](const std::string& share) {
            return "The memory of %1 is %2 slower than on %3."_text(node.name, share, day);
        };
        compare(old->peakBf16Flops ? old->peakBf16Flops : old->peakFp32Flops,
                old->peakBf16Flops ? node.peakBf16Flops : node.peakFp32Flops, products);
        compare(old->memoryBytesPerSecond, node.memoryBytesPerSecond, memory);
    }
    if (now.nodes.size() > 1 && now.nodes.size() == before.nodes.size())
        compare(
            before.cluster.interNode.bytesPerSecond, now.cluster.interNode.bytesPerSecond,
            [&](const std::string& share) {
                return "The links between the nodes are %1 slower than on %2; check cables, switches and interfaces."_text(
                    share, day);
            });
    return slower;
}

bool isMeasuredHere(const ClusterSpec& cluster) {
    return cluster.device.source.starts_with(kMeasuredOn);
}

std::vector<std::string> MeasuredNodes::names() const {
    std::vector<std::string> names;
    for (const MeasuredNode& node : nodes) names.push_back(node.name);
    return names;
}

Result<MeasuredNodes> clusterOfBench(const std::vector<NodesBench::Node>& nodes, const std::string& between,
                                     std::int64_t unixMilliseconds) {
    MeasuredNodes measured;
    measured.unixMilliseconds = unixMilliseconds;
    ClusterSpec& cluster = measured.cluster;
    std::vector<CommCurve> curves;
    std::vector<std::string> names;
    for (const NodesBench::Node& node : nodes) names.push_back(node.name);
    const std::string source =
        std::string(kMeasuredOn) + joined(names) + ", slipway-trainer " + nodes.front().facts.trainerVersion;
    const std::string day = dayOf(unixMilliseconds);
    for (const NodesBench::Node& node : nodes) {
        MeasuredNode own;
        own.name = node.name;
        own.host = node.facts.host;
        own.trainerVersion = node.facts.trainerVersion;
        const bool isGpu = !node.facts.gpus.empty();
        const auto added = (isGpu ? addGpuNode : addCpuNode)(node, own, cluster, measured.nodes.empty());
        if (!added) return fail(added.error());
        measured.nodes.push_back(std::move(own));
        const std::string& inside = isGpu ? node.inside : node.alone;
        if (!parsed(inside, node.name).contains("comm")) continue;
        const auto table = readCurves(inside, node.name, BandwidthKind::Bus, cluster);
        if (!table) return fail(table.error());
        addCurves(curves, *table, source, day);
        if (const auto link = linkIn(parsed(inside, node.name)); link && isGpu)
            cluster.intraNode = measured.nodes.size() == 1 ? *link : slower(cluster.intraNode, *link);
    }
    cluster.numNodes = static_cast<std::int64_t>(nodes.size());
    if (!between.empty()) {
        const auto table = readCurves(between, nodes.front().name, BandwidthKind::Bus, cluster);
        if (!table) return fail(table.error());
        addCurves(curves, *table, source, day);
        if (const auto link = linkIn(parsed(between, nodes.front().name))) cluster.interNode = *link;
    }
    cluster.commCurves = std::move(curves);
    cluster.device.source = source + (cluster.device.source.empty() ? "" : "; " + cluster.device.source);
    cluster.device.sourceDate = day;
    return measured;
}

Result<void> writeMeasuredNodes(const Home& home, const MeasuredNodes& measured) {
    if (auto made = makePrivateFolder(folderOf(home)); !made) return made;
    Json nodes = Json::array();
    for (const MeasuredNode& node : measured.nodes) nodes.push_back(toJson(node));
    return writeJsonFile(fileOf(home, measured.names()), Json{{"schema", 1},
                                                              {"measured_unix_ms", measured.unixMilliseconds},
                                                              {"nodes", std::move(nodes)},
                                                              {"cluster", toJson(measured.cluster)}});
}

std::vector<MeasuredNodes> measuredNodes(const Home& home) {
    std::vector<MeasuredNodes> all;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folderOf(home), code))
        if (auto one = readMeasured(entry.path())) all.push_back(std::move(*one));
    std::sort(all.begin(), all.end(),
              [](const MeasuredNodes& a, const MeasuredNodes& b) { return a.unixMilliseconds > b.unixMilliseconds; });
    return all;
}

Result<MeasuredNodes> findMeasuredNodes(const Home& home, const std::vector<std::string>& names) {
    if (auto measured = readMeasured(fileOf(home, names))) return std::move(*measured);
    std::optional<MeasuredNodes> fewest;
    for (MeasuredNodes& each : measuredNodes(home)) {
        const std::vector<std::string> known = each.names();
        const bool includesAll = std::ranges::all_of(
            names, [&](const std::string& name) { return std::ranges::find(known, name) != known.end(); });
        if (includesAll && !names.empty() && (!fewest || each.nodes.size() < fewest->nodes.size()))
            fewest = std::move(each);
    }
    if (fewest) {
        fewest->cluster.numNodes = static_cast<std::int64_t>(names.size());
        return std::move(*fewest);
    }
    std::string list = joined(names);
    std::erase(list, ' ');
    return fail(
        "not_measured",
        "The nodes %1 have not been measured together; `slipway nodes bench %2` does it."_text(joined(names), list),
        "--cluster");
}

}  // namespace slipway
