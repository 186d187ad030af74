#include "core/playbook/plan_figures.h"

#include "core/planner/count/parameters.h"

namespace slipway {
namespace {

using Figure = std::optional<double> (*)(const RunConfig&, const ClusterSpec&);

double whole(std::int64_t value) {
    return static_cast<double>(value);
}

std::optional<double> known(double value) {
    return value > 0 ? std::optional(value) : std::nullopt;
}

double parameters(const RunConfig& c) {
    return countParameters(c.model).total;
}

double tokens(const RunConfig& c) {
    return whole(c.tokensPerStep()) * whole(c.train.numSteps);
}

constexpr std::pair<const char*, Figure> kFigures[] = {
    {"parameters", [](const RunConfig& c, const ClusterSpec&) { return known(parameters(c)); }},
    {"tokens", [](const RunConfig& c, const ClusterSpec&) { return known(tokens(c)); }},
    {"flops", [](const RunConfig& c, const ClusterSpec&) { return known(6 * parameters(c) * tokens(c)); }},
    {"batch_tokens", [](const RunConfig& c, const ClusterSpec&) { return known(whole(c.tokensPerStep())); }},
    {"micro_batches", [](const RunConfig& c, const ClusterSpec&) { return known(whole(c.numMicroBatches())); }},
    {"layers_per_stage",
     [](const RunConfig& c, const ClusterSpec&) { return known(whole(c.model.numLayers) / whole(c.parallel.pp)); }},
    {"devices", [](const RunConfig& c, const ClusterSpec&) { return known(whole(c.parallel.worldSize())); }},
    {"nodes", [](const RunConfig&, const ClusterSpec& cluster) { return known(whole(cluster.numNodes)); }},
    {"peak_flops",
     [](const RunConfig& c, const ClusterSpec& cluster) { return cluster.device.peakFlops(c.train.precision); }},
    {"memory_bytes_per_second",
     [](const RunConfig&, const ClusterSpec& cluster) { return known(cluster.device.memoryBytesPerSecond); }},
    {"device_bytes", [](const RunConfig&, const ClusterSpec& cluster) { return known(cluster.device.memoryBytes); }},
    {"link_bytes_per_second", [](const RunConfig&, const ClusterSpec& cluster) {
         return known((cluster.numNodes > 1 ? cluster.interNode : cluster.intraNode).bytesPerSecond);
     }}};

}  // namespace

std::vector<std::string> planFigureNames() {
    std::vector<std::string> names;
    for (const auto& figure : kFigures) names.emplace_back(figure.first);
    return names;
}

std::optional<double> planFigure(const std::string& name, const RunConfig& config, const ClusterSpec& cluster) {
    if (config.parallel.dp < 1 || config.parallel.pp < 1 || config.train.microBatchSize < 1) return {};
    for (const auto& [known, compute] : kFigures)
        if (name == known) return compute(config, cluster);
    return {};
}

}  // namespace slipway
