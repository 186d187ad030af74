#include "core/planner/search/layout_axes.h"

#include "core/spec/idle_options.h"

#include <algorithm>

namespace slipway {

namespace {

bool isInterleaved(ScheduleKind kind) {
    return kind == ScheduleKind::InterleavedOneFOneB;
}
bool hasTwoChunks(ScheduleKind kind) {
    return kind == ScheduleKind::ZbV || kind == ScheduleKind::DualPipeV;
}

std::int64_t splitOf(const RunConfig& c) {
    const ParallelLayout& p = c.parallel;
    if (p.pp == 1 || p.layersPerStage.empty()) return static_cast<std::int64_t>(LayerSplit::Even);
    ParallelLayout even = p;
    even.layersPerStage.clear();
    if (p.layersPerStage == even.stageLayers(c.model.numLayers)) return static_cast<std::int64_t>(LayerSplit::Even);
    for (const auto& split : enumNames(LayerSplit{}))
        if (SearchSpace::layersPerStage(c.model.numLayers, p.pp, p.virtualStages, split.value) == p.layersPerStage)
            return static_cast<std::int64_t>(split.value);
    return -1;
}

/// Resets options without effect to their defaults.
void dropIdle(RunConfig& c) {
    c = withoutIdleOptions(std::move(c));
    ParallelLayout& p = c.parallel;
    if (p.tp == 1) p.sequenceParallel = false;
    if (!p.sequenceParallel) p.asyncTp = false;
    if (p.cp == 1) p.cpKind = CpKind::Ring;
    if (p.dp * p.cp == 1) p.zeroStage = 0;
    if (p.zeroStage == 0 || (p.dpShard && (*p.dpShard == p.dp || p.dp % *p.dpShard != 0))) p.dpShard.reset();
    if (p.pp > 1) return;
    p.schedule = ScheduleKind::OneFOneB;
    p.virtualStages = 1;
    p.layersPerStage.clear();
}

}  // namespace

std::int64_t axisValue(const RunConfig& c, SearchAxis axis) {
    const ParallelLayout& p = c.parallel;
    switch (axis) {
        case SearchAxis::Dp: return p.dp;
        case SearchAxis::Tp: return p.tp;
        case SearchAxis::Pp: return p.pp;
        case SearchAxis::Cp: return p.cp;
        case SearchAxis::Ep: return p.ep;
        case SearchAxis::Etp: return p.etp;
        case SearchAxis::CpKind: return static_cast<std::int64_t>(p.cpKind);
        case SearchAxis::ZeroStage: return p.zeroStage;
        case SearchAxis::DpShard: return p.zeroStage > 0 ? p.dpShard.value_or(p.dp) : p.dp;
        case SearchAxis::SequenceParallel: return p.sequenceParallel ? 1 : 0;
        case SearchAxis::AsyncTp: return p.asyncTp ? 1 : 0;
        case SearchAxis::Recompute: return static_cast<std::int64_t>(c.train.recompute.policy);
        case SearchAxis::Schedule: return static_cast<std::int64_t>(p.schedule);
        case SearchAxis::VirtualStages: return p.virtualStages;
        case SearchAxis::LayerSplit: return splitOf(c);
        case SearchAxis::MicroBatchSize: return c.train.microBatchSize;
        case SearchAxis::Offload: return static_cast<std::int64_t>(p.offload);
    }
    return 0;
}

void setAxis(RunConfig& c, SearchAxis axis, std::int64_t value) {
    ParallelLayout& p = c.parallel;
    switch (axis) {
        case SearchAxis::Dp: p.dp = value; break;
        case SearchAxis::Tp: p.tp = value; break;
        case SearchAxis::Pp: p.pp = value; break;
        case SearchAxis::Cp: p.cp = value; break;
        case SearchAxis::Ep: p.ep = value; break;
        case SearchAxis::Etp: p.etp = value; break;
        case SearchAxis::CpKind: p.cpKind = static_cast<CpKind>(value); break;
        case SearchAxis::ZeroStage: p.zeroStage = value; break;
        case SearchAxis::DpShard: p.dpShard = value == p.dp ? std::nullopt : std::optional(value); break;
        case SearchAxis::SequenceParallel: p.sequenceParallel = value != 0; break;
        case SearchAxis::AsyncTp: p.asyncTp = value != 0; break;
        case SearchAxis::Recompute: c.train.recompute.policy = static_cast<RecomputePolicy>(value); break;
        case SearchAxis::Schedule: p.schedule = static_cast<ScheduleKind>(value); break;
        case SearchAxis::VirtualStages: p.virtualStages = value; break;
        case SearchAxis::LayerSplit:
            p.layersPerStage =
                SearchSpace::layersPerStage(c.model.numLayers, p.pp, p.virtualStages, static_cast<LayerSplit>(value))
                    .value_or(std::vector<std::int64_t>{});
            break;
        case SearchAxis::MicroBatchSize: c.train.microBatchSize = value; break;
        case SearchAxis::Offload: p.offload = static_cast<Offload>(value); break;
    }
}

std::vector<std::int64_t> axisNeighbours(const LayoutRequest& request, const RunConfig& c, SearchAxis axis) {
    const std::int64_t now = axisValue(c, axis);
    const ParallelLayout& p = c.parallel;
    std::vector<std::int64_t> values;
    const auto words = [&](bool effect, std::size_t count) {
        for (std::int64_t v = 0; effect && v < static_cast<std::int64_t>(count); ++v)
            if (v != now) values.push_back(v);
    };
    const auto halfAndTwice = [&](bool effect) {
        if (!effect) return;
        values.push_back(2 * now);
        if (now % 2 == 0) values.push_back(now / 2);
    };
    switch (axis) {
        case SearchAxis::Dp: break;  // follows from the others
        case SearchAxis::Ep: halfAndTwice(c.model.moe.has_value()); break;
        case SearchAxis::Etp: halfAndTwice(c.model.moe && p.tp > 1); break;
        case SearchAxis::CpKind: words(p.cp > 1, enumNames(CpKind{}).size()); break;
        case SearchAxis::ZeroStage: words(p.dp * p.cp > 1, 4); break;
        case SearchAxis::DpShard: halfAndTwice(p.zeroStage > 0 && p.dp > 1); break;
        case SearchAxis::SequenceParallel: words(p.tp > 1, 2); break;
        case SearchAxis::AsyncTp:
            words(p.sequenceParallel && SearchSpace(c, request.cluster, 1).overlapsTp(), 2);
            break;
        case SearchAxis::Recompute: words(true, enumNames(RecomputePolicy{}).size()); break;
        case SearchAxis::Schedule: words(p.pp > 1, enumNames(ScheduleKind{}).size()); break;
        case SearchAxis::LayerSplit: words(p.pp > 1, enumNames(LayerSplit{}).size()); break;
        case SearchAxis::Offload:
            words(request.cluster.device.kind != DeviceKind::Cpu, enumNames(Offload{}).size());
            break;
        case SearchAxis::VirtualStages: halfAndTwice(p.pp > 1); break;
        default: halfAndTwice(true);
    }
    return values;
}

std::optional<RunConfig> withAxis(const RunConfig& config, SearchAxis axis, std::int64_t value) {
    RunConfig c = config;
    ParallelLayout& p = c.parallel;
    const std::int64_t world = p.worldSize();
    if (axis == SearchAxis::DpShard && (value > p.dp || p.dp % value != 0 || value * p.cp == 1)) return {};
    if (axis == SearchAxis::LayerSplit &&
        !SearchSpace::layersPerStage(c.model.numLayers, p.pp, p.virtualStages, static_cast<LayerSplit>(value)))
        return {};
    setAxis(c, axis, value);
    if (axis == SearchAxis::Tp || axis == SearchAxis::Pp || axis == SearchAxis::Cp) {
        if (p.tp * p.pp * p.cp < 1 || world % (p.tp * p.pp * p.cp) != 0) return {};
        p.dp = world / (p.tp * p.pp * p.cp);
        p.dpShard.reset();
        p.etp = std::min(p.etp, p.tp);
    }
    if (axis == SearchAxis::Schedule)
        p.virtualStages = isInterleaved(p.schedule)  ? std::max<std::int64_t>(2, p.virtualStages)
                          : hasTwoChunks(p.schedule) ? 2
                                                     : 1;
    // A manual partition of layers belongs to its stages.
    if (axis == SearchAxis::Pp || axis == SearchAxis::VirtualStages || axis == SearchAxis::Schedule) {
        p.layersPerStage.clear();
        const std::int64_t split = axisValue(config, SearchAxis::LayerSplit);
        if (p.pp > 1 && split > 0) setAxis(c, SearchAxis::LayerSplit, split);
    }
    dropIdle(c);
    if (hasErrors(validate(c))) return {};
    return c;
}

}  // namespace slipway
