#include "core/planner/search/search_space.h"

#include "core/planner/time/step.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

constexpr std::int64_t kMaxVirtualStages = 64;  // parallel.virtual_stages' range

/// True when overlapped tensor parallelism changes the planner's forecast time.
bool asyncTpMatters(RunConfig config, const ClusterSpec& cluster) {
    ParallelLayout& p = config.parallel;
    p = {};
    p.tp = 2;
    p.sequenceParallel = true;
    const auto seconds = [&](bool async) {
        p.asyncTp = async;
        return stepLowerBound(config, makePassTable(config, cluster), PipelineKinds{false});
    };
    return std::abs(seconds(true) - seconds(false)) > 0;
}

}  // namespace

std::vector<std::int64_t> divisorsOf(std::int64_t value) {
    std::vector<std::int64_t> low, high;
    for (std::int64_t d = 1; d * d <= value; ++d) {
        if (value % d != 0) continue;
        low.push_back(d);
        if (d * d != value) high.push_back(value / d);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

SearchSpace::SearchSpace(const RunConfig& config, const ClusterSpec& cluster, std::int64_t devices,
                         const SearchLimits& limits)
    : m_numLayers(config.model.numLayers), m_asyncTp(asyncTpMatters(config, cluster)) {
    for (const std::int64_t kind : limits.of(SearchAxis::Schedule).values)
        m_schedules.push_back(static_cast<ScheduleKind>(kind));
    if (m_schedules.empty())
        m_schedules = {ScheduleKind::Afab, ScheduleKind::OneFOneB, ScheduleKind::InterleavedOneFOneB};
    const std::vector<std::int64_t> one{1};
    const std::vector<std::int64_t> experts = config.model.moe ? divisorsOf(config.model.moe->numExperts) : one;
    for (const std::int64_t tp : divisorsOf(devices))
        for (const std::int64_t pp : divisorsOf(devices / tp))
            for (const std::int64_t cp : divisorsOf(devices / tp / pp))
                for (const std::int64_t ep : experts)
                    for (const std::int64_t etp : config.model.moe ? divisorsOf(tp) : one)
                        degrees.push_back({tp, pp, cp, devices / tp / pp / cp, ep, etp});
    for (const Degrees& d : degrees) {
        if (!m_numPipelines.contains(d.pp)) m_numPipelines[d.pp] = pipelines(d.pp).size();
        if (const std::pair ranks(d.dp, d.cp); !m_numShardings.contains(ranks))
            m_numShardings[ranks] = shardings(d).size();
    }
    microBatchSizes = divisorsOf(config.train.globalBatchSize);
    for (const auto& offload : enumNames(Offload{}))
        if (offload.value == Offload::None || cluster.device.kind != DeviceKind::Cpu) offloads.push_back(offload.value);
}

std::optional<std::vector<std::int64_t>> SearchSpace::layersPerStage(std::int64_t numLayers, std::int64_t pp,
                                                                     std::int64_t virtualStages, LayerSplit split) {
    if (split == LayerSplit::Even) return std::vector<std::int64_t>{};
    ParallelLayout even;
    even.pp = pp;
    even.virtualStages = virtualStages;
    std::vector<std::int64_t> layers = even.stageLayers(numLayers);
    const std::size_t stages = layers.size();
    const bool both = split == LayerSplit::Ends1 || split == LayerSplit::Ends2;
    const std::int64_t fewer = split == LayerSplit::Last1 || split == LayerSplit::Ends1 ? 1 : 2;
    if (stages < (both ? 3 : 2) || layers.back() <= fewer || (both && layers.front() <= fewer)) return {};
    layers.back() -= fewer;
    if (both) layers.front() -= fewer;
    for (std::int64_t given = both ? 2 * fewer : fewer; given > 0; --given) {
        std::size_t taker = stages == 2 ? 0 : 1;
        for (std::size_t stage = taker; stage + 1 < stages; ++stage)
            if (layers[stage] <= layers[taker]) taker = stage;
        ++layers[taker];
    }
    return layers;
}

std::vector<PipelineChoice> SearchSpace::pipelines(std::int64_t pp) const {
    if (pp == 1) return {{}};
    std::vector<PipelineChoice> choices;
    const std::int64_t most = std::min(kMaxVirtualStages, m_numLayers / pp);
    const auto add = [&](ScheduleKind kind, std::int64_t virtualStages) {
        for (const auto& split : enumNames(LayerSplit{}))
            if (split.value == LayerSplit::Even || layersPerStage(m_numLayers, pp, virtualStages, split.value))
                choices.push_back({kind, virtualStages, split.value});
    };
    for (const ScheduleKind kind : m_schedules) {
        const bool many = kind == ScheduleKind::InterleavedOneFOneB;
        const bool two = kind == ScheduleKind::ZbV || kind == ScheduleKind::DualPipeV;
        if (!many && !two) add(kind, 1);
        for (std::int64_t v = 2; v <= (many ? most : two ? std::min<std::int64_t>(most, 2) : 1); ++v) add(kind, v);
    }
    return choices;
}

std::vector<LayerOptions> SearchSpace::layerOptions(const Degrees& d) const {
    std::vector<LayerOptions> options;
    for (const auto& kind : enumNames(CpKind{})) {
        if (d.cp == 1 && kind.value != CpKind::Ring) continue;
        options.push_back({false, false, kind.value});
        if (d.tp == 1) continue;
        options.push_back({true, false, kind.value});
        if (m_asyncTp) options.push_back({true, true, kind.value});
    }
    return options;
}

std::vector<Sharding> SearchSpace::shardings(const Degrees& d) const {
    std::vector<Sharding> all{{}};
    if (d.dp * d.cp == 1) return all;
    const std::vector<std::int64_t> parts = divisorsOf(d.dp);
    for (std::int64_t zero = 1; zero <= 3; ++zero) {
        all.push_back({zero, 0});
        for (auto part = parts.rbegin(); part != parts.rend(); ++part)
            if (*part<d.dp&& * part * d.cp> 1) all.push_back({zero, *part});
    }
    return all;
}

double SearchSpace::countLayouts(const Degrees& d) const {
    const std::size_t exchanges = d.cp == 1 ? 1 : enumNames(CpKind{}).size(), edges = d.tp == 1 ? 1 : m_asyncTp ? 3 : 2;
    return static_cast<double>(exchanges * edges * enumNames(RecomputePolicy{}).size() * m_numPipelines.at(d.pp) *
                               m_numShardings.at({d.dp, d.cp}) * offloads.size());
}

}  // namespace slipway
