#include "core/planner/search/search_request.h"

#include "core/planner/search/layout_axes.h"

#include <algorithm>

namespace slipway {

namespace {

/// More than anybody would read.
constexpr std::size_t kMostAlternatives = 2000;

/// Allows data and context parallelism and micro-batch of the layout, or of one that swaps the first two.
void allowSwaps(const LayoutRequest& request, const FoundLayout& layout, SearchLimits& limits) {
    const std::int64_t cp = layout.parallel.cp, ranks = layout.parallel.dp * cp;
    AxisLimit dps{0, 0, {}}, cps = dps, sizes = dps;
    for (std::int64_t other = 1; other <= ranks; ++other) {
        const std::int64_t tokens = layout.microBatchSize * other;
        if (ranks % other != 0 || tokens % cp != 0) continue;
        const bool allowed = request.limits.allows(SearchAxis::Dp, ranks / other) &&
                             request.limits.allows(SearchAxis::Cp, other) &&
                             request.limits.allows(SearchAxis::MicroBatchSize, tokens / cp);
        if (other != cp && !allowed) continue;
        dps.values.push_back(ranks / other);
        cps.values.push_back(other);
        sizes.values.push_back(tokens / cp);
    }
    limits.of(SearchAxis::Dp) = std::move(dps);
    limits.of(SearchAxis::Cp) = std::move(cps);
    limits.of(SearchAxis::MicroBatchSize) = std::move(sizes);
}

/// No better by the objective, and with the same forecast.
bool standsBehind(SearchObjective objective, const FoundLayout& layout, const FoundLayout& other) {
    const auto noBetter = [](double mine, double theirs) {
        return theirs >= mine * (1 - 1e-9) && theirs <= mine * (1 + kSameForecast);
    };
    const double mine = layout.step.stepSeconds, theirs = other.step.stepSeconds;
    return objective == SearchObjective::Memory
               ? noBetter(layout.memoryPeakBytes, other.memoryPeakBytes) && theirs >= mine * (1 - kSameForecast)
               : noBetter(mine, theirs);
}

std::int64_t mostDevices(const LayoutRequest& request) {
    if (request.devices.empty()) return request.config.parallel.worldSize();
    return *std::max_element(request.devices.begin(), request.devices.end());
}

}  // namespace

void growCluster(LayoutRequest& request) {
    ClusterSpec& cluster = request.cluster;
    if (cluster.device.kind == DeviceKind::Cpu) return;
    const std::int64_t perNode = std::max<std::int64_t>(1, cluster.devicesPerNode);
    const std::int64_t most = std::max(request.config.parallel.worldSize(), mostDevices(request));
    cluster.numNodes = std::max(cluster.numNodes, (most + perNode - 1) / perNode);
}

void limitMemory(LayoutRequest& request, double bytesPerRank) {
    double& memory = request.cluster.device.memoryBytes;
    double limit = bytesPerRank;
    if (request.cluster.device.kind == DeviceKind::Cpu) {
        // The ranks of a node share one memory, as in capacityPerRank().
        const std::int64_t nodes = std::max<std::int64_t>(1, request.cluster.numNodes);
        limit *= static_cast<double>((mostDevices(request) + nodes - 1) / nodes);
    }
    memory = memory > 0 ? std::min(memory, limit) : limit;
}

std::vector<FoundLayout> alternativesTo(const LayoutRequest& request, const FoundLayout& layout) {
    LayoutRequest family = request;
    const RunConfig config = layout.applied(request.config);
    for (const SearchAxis axis :
         {SearchAxis::Tp, SearchAxis::Pp, SearchAxis::Ep, SearchAxis::Etp, SearchAxis::Schedule, SearchAxis::Recompute})
        family.limits.fix(axis, axisValue(config, axis));
    allowSwaps(request, layout, family.limits);
    family.devices = {layout.parallel.worldSize()};
    family.objective = SearchObjective::Speed;
    family.distinct = false;
    family.limit = kMostAlternatives;
    family.slowestStepSeconds = layout.step.stepSeconds * (1 + kSameForecast);
    std::vector<FoundLayout> members = searchLayouts(family).best;
    const std::string own = configHash(config);
    const LayoutFamily mine = familyOf(layout.parallel, layout.microBatchSize, layout.recompute);
    std::erase_if(members, [&](const FoundLayout& l) {
        const LayoutFamily theirs = familyOf(l.parallel, l.microBatchSize, l.recompute);
        return !(l.step.stepSeconds <= family.slowestStepSeconds) ||  // including unknown
               (theirs != mine && !standsBehind(request.objective, layout, l)) ||
               swapClassOf(theirs) != swapClassOf(mine) || configHash(l.applied(request.config)) == own;
    });
    return members;
}

std::string changesText(const RunConfig& config, const FoundLayout& from, const FoundLayout& to) {
    const RunConfig before = from.applied(config), after = to.applied(config);
    std::string text;
    for (const auto& axis : enumNames(SearchAxis{})) {
        const std::int64_t value = axisValue(after, axis.value);
        if (value == axisValue(before, axis.value)) continue;
        text += (text.empty() ? "" : ", ") + std::string(axis.word) + " " + axisText(axis.value, value);
    }
    return text;
}

std::vector<FoundLayout> layoutsToBenchmark(const LayoutRequest& request, const LayoutSearch& found,
                                            std::size_t count) {
    RunConfig plain = request.config;
    plain.parallel = {};
    plain.train.recompute = {};
    LayoutRequest own = request;
    own.onlyRunnable = request.onlyRunnable || trainerSupports(plain).empty();
    own.distinct = true;
    own.limit = count;
    const bool isThat = request.distinct && own.onlyRunnable == request.onlyRunnable && request.limit >= count;
    std::vector<FoundLayout> layouts = isThat ? found.best : searchLayouts(own).best;
    if (layouts.size() > count) layouts.resize(count);
    return layouts;
}

}  // namespace slipway
