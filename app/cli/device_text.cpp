#include "app/cli/device_text.h"

#include "core/base/own_file.h"
#include "core/base/units.h"
#include "core/remote/node_check.h"
#include "core/run/run_files.h"
#include "core/run/slow_nodes.h"

#include <nlohmann/json.hpp>

#include <functional>

namespace slipway {

std::optional<double> lastOf(const std::vector<MetricSeries>& all, const char* name) {
    for (const MetricSeries& series : all)
        if (series.name == name && !series.empty()) return series.values.back();
    return {};
}

Message devicesText(const std::vector<MetricSeries>& all) {
    std::vector<Message> facts;
    const auto add = [&](const char* name, SourceText text, const std::function<std::string(double)>& format) {
        if (const auto value = lastOf(all, name)) facts.push_back(text(format(*value)));
    };
    const auto whole = [](double v) { return formatFixed(v, 0); };
    add("device_clock_hertz", "%1 GHz (slowest)"_text, [](double v) { return formatFixed(v / 1e9, 2); });
    add("device_power_watts", "%1 W (mean)"_text, whole);
    add("device_temperature_celsius", "%1 °C (hottest)"_text, whole);
    add("device_memory_used_bytes", "%1 in use (fullest)"_text, [](double v) { return formatBytes(v); });
    add("memory_reserved_peak_bytes", "%1 reserved by the allocator (most)"_text,
        [](double v) { return formatBytes(v); });
    if (lastOf(all, "allocator_retries").value_or(0) > 0)
        add("allocator_retries", "%1 allocator retries (worst)"_text, whole);
    add("device_throttled_fraction", "%1 throttled"_text, [](double v) { return formatPercent(v); });
    return listOf(facts);
}

Json preflightOf(const std::filesystem::path& folder) {
    return readOwnJson(folder / "preflight.json").value_or(Json(nullptr));
}

FactLines preflightFacts(const std::filesystem::path& folder) {
    FactLines rows;
    const Json preflight = preflightOf(folder);
    if (!preflight.is_object() || !preflight.contains("nodes") || !preflight["nodes"].is_array()) return rows;
    for (const Json& node : preflight["nodes"]) {
        if (!node.is_object() || !node.contains("node") || !node["node"].is_string()) continue;
        NodeFacts at;
        readHello(node, at);
        readFacts(node, at);
        const Message devices = at.gpus.empty()
                                    ? "%1 CPUs (%2)"_text(at.cpus, at.cpu)
                                    : "%1 GPUs (%2), %3 CPUs"_text(at.gpus.size(), at.gpus.front(), at.cpus);
        rows.emplace_back("Node %1"_text(node["node"].get<std::string>()),
                          "%1: %2, %3 of memory, %4 of disk free at the start"_text(
                              at.host, devices, formatBytes(at.memoryBytes), formatBytes(at.freeDiskBytes)));
        if (!node.contains("issues") || !node["issues"].is_array()) continue;
        for (const Json& issue : node["issues"])
            if (issue.is_object() && issue.contains("text") && issue["text"].is_string())
                rows.emplace_back("Preflight"_text, Message::name(issue["text"].get<std::string>()));
    }
    return rows;
}

FactLines slowNodeFacts(const std::filesystem::path& folder, std::int64_t fromStep) {
    FactLines rows;
    const auto files = readRunFiles(RunDir{folder});
    if (!files || !files->plan || !files->isShapeKnown) return rows;
    for (const SlowNode& node : slowNodesOf(RunDir{folder}, files->config, *files->plan, fromStep))
        rows.emplace_back("Slow node"_text, slowText(node));
    return rows;
}

}  // namespace slipway
