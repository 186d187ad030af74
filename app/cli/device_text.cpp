#include "app/cli/device_text.h"

#include "core/base/own_file.h"
#include "core/base/units.h"
#include "core/remote/node_check.h"

#include <nlohmann/json.hpp>

#include <functional>

namespace slipway {

std::optional<double> lastOf(const std::vector<MetricSeries>& all, const char* name) {
    for (const MetricSeries& series : all)
        if (series.name == name && !series.empty()) return series.values.back();
    return {};
}
std::string devicesText(const std::vector<MetricSeries>& all) {
    std::string text;
    const auto add = [&](const char* name, const std::function<std::string(double)>& format) {
        if (const auto value = lastOf(all, name)) text += (text.empty() ? "" : ", ") + format(*value);
    };
    add("device_clock_hertz", [](double v) { return formatFixed(v / 1e9, 2) + " GHz (slowest)"; });
    add("device_power_watts", [](double v) { return formatFixed(v, 0) + " W (mean)"; });
    add("device_temperature_celsius", [](double v) { return formatFixed(v, 0) + " °C (hottest)"; });
    add("device_memory_used_bytes", [](double v) { return formatBytes(v) + " in use (fullest)"; });
    add("memory_reserved_peak_bytes", [](double v) { return formatBytes(v) + " taken by the allocator (most)"; });
    if (lastOf(all, "allocator_retries").value_or(0) > 0)
        add("allocator_retries", [](double v) { return formatFixed(v, 0) + " allocator retries (worst)"; });
    add("device_throttled_fraction", [](double v) { return formatPercent(v) + " held back"; });
    return text;
}

Json preflightOf(const std::filesystem::path& folder) {
    return readOwnJson(folder / "preflight.json").value_or(Json(nullptr));
}

std::vector<std::pair<std::string, std::string>> preflightFacts(const CliContext& context,
                                                                const std::filesystem::path& folder) {
    std::vector<std::pair<std::string, std::string>> rows;
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
        rows.emplace_back("Node " + node["node"].get<std::string>(),
                          context.text("%1: %2, %3 of memory, %4 of disk free at the start"_text(
                              at.host, devices, formatBytes(at.memoryBytes), formatBytes(at.freeDiskBytes))));
    }
    return rows;
}

}  // namespace slipway
