#include "core/planner/search/explain_layout.h"

#include "core/base/units.h"
#include "core/planner/memory/memory.h"
#include "core/planner/search/layout_evaluator.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// The axis of a config as the number SearchLimits knows it by.
std::int64_t valueOf(const RunConfig& c, SearchAxis axis) {
    const ParallelLayout& p = c.parallel;
    switch (axis) {
        case SearchAxis::Dp: return p.dp;
        case SearchAxis::Tp: return p.tp;
        case SearchAxis::Pp: return p.pp;
        case SearchAxis::Cp: return p.cp;
        case SearchAxis::Ep: return p.ep;
        case SearchAxis::ZeroStage: return p.zeroStage;
        case SearchAxis::SequenceParallel: return p.sequenceParallel ? 1 : 0;
        case SearchAxis::Recompute: return static_cast<std::int64_t>(c.train.recompute.policy);
        case SearchAxis::Schedule: return static_cast<std::int64_t>(p.schedule);
        case SearchAxis::VirtualStages: return p.virtualStages;
        case SearchAxis::MicroBatchSize: return c.train.microBatchSize;
        case SearchAxis::Offload: return static_cast<std::int64_t>(p.offload);
    }
    return 0;
}

void setValue(RunConfig& c, SearchAxis axis, std::int64_t value) {
    ParallelLayout& p = c.parallel;
    switch (axis) {
        case SearchAxis::Dp: p.dp = value; break;
        case SearchAxis::Tp: p.tp = value; break;
        case SearchAxis::Pp: p.pp = value; break;
        case SearchAxis::Cp: p.cp = value; break;
        case SearchAxis::Ep: p.ep = value; break;
        case SearchAxis::ZeroStage: p.zeroStage = value; break;
        case SearchAxis::SequenceParallel: p.sequenceParallel = value != 0; break;
        case SearchAxis::Recompute: c.train.recompute.policy = static_cast<RecomputePolicy>(value); break;
        case SearchAxis::Schedule: p.schedule = static_cast<ScheduleKind>(value); break;
        case SearchAxis::VirtualStages: p.virtualStages = value; break;
        case SearchAxis::MicroBatchSize: c.train.microBatchSize = value; break;
        case SearchAxis::Offload: p.offload = static_cast<Offload>(value); break;
    }
}

std::string valueText(SearchAxis axis, std::int64_t value) {
    switch (axis) {
        case SearchAxis::SequenceParallel: return value != 0 ? "true" : "false";
        case SearchAxis::Recompute: return std::string(wordOf(static_cast<RecomputePolicy>(value)));
        case SearchAxis::Schedule: return std::string(wordOf(static_cast<ScheduleKind>(value)));
        case SearchAxis::Offload: return std::string(wordOf(static_cast<Offload>(value)));
        default: return std::to_string(value);
    }
}

/// Values next to the config's on one axis.
std::vector<std::int64_t> neighbours(const LayoutRequest& request, const RunConfig& c, SearchAxis axis) {
    const std::int64_t now = valueOf(c, axis);
    std::vector<std::int64_t> values;
    const auto words = [&](std::size_t count) {
        for (std::int64_t v = 0; v < static_cast<std::int64_t>(count); ++v)
            if (v != now) values.push_back(v);
    };
    switch (axis) {
        case SearchAxis::Dp: break;  // follows from the others
        case SearchAxis::ZeroStage:
            if (c.parallel.dp * c.parallel.cp > 1) words(4);
            break;
        case SearchAxis::SequenceParallel:
            if (c.parallel.tp > 1) words(2);
            break;
        case SearchAxis::Recompute: words(enumNames(RecomputePolicy{}).size()); break;
        case SearchAxis::Schedule:
            if (c.parallel.pp > 1) words(enumNames(ScheduleKind{}).size());
            break;
        case SearchAxis::Offload:
            if (request.cluster.device.kind != DeviceKind::Cpu) words(enumNames(Offload{}).size());
            break;
        default:
            values.push_back(2 * now);
            if (now % 2 == 0) values.push_back(now / 2);
    }
    return values;
}

/// The config with one axis changed; degrees trade against dp. Empty when it cannot be.
std::optional<RunConfig> changed(const RunConfig& config, SearchAxis axis, std::int64_t value) {
    RunConfig c = config;
    ParallelLayout& p = c.parallel;
    const std::int64_t world = p.worldSize();
    setValue(c, axis, value);
    p.layersPerStage.clear();
    if (axis == SearchAxis::Tp || axis == SearchAxis::Pp || axis == SearchAxis::Cp) {
        if (world % (p.tp * p.pp * p.cp) != 0) return {};
        p.dp = world / (p.tp * p.pp * p.cp);
        p.dpShard.reset();
        if (p.tp == 1) p.sequenceParallel = false;
        if (p.dp * p.cp == 1) p.zeroStage = 0;
    }
    if (p.pp == 1) {
        p.schedule = ScheduleKind::OneFOneB;
        p.virtualStages = 1;
    } else if (axis == SearchAxis::Schedule) {
        const bool two = p.schedule == ScheduleKind::InterleavedOneFOneB || p.schedule == ScheduleKind::ZbV ||
                         p.schedule == ScheduleKind::DualPipeV;
        p.virtualStages =
            two ? std::max<std::int64_t>(2, p.schedule == ScheduleKind::InterleavedOneFOneB ? p.virtualStages : 2) : 1;
    }
    if (hasErrors(validate(c))) return {};
    return c;
}

std::vector<std::pair<std::string, double>> parts(const StepEstimate& s) {
    return {{"compute", s.computeSeconds}, {"TP", s.tpExposedSeconds},       {"CP", s.cpExposedSeconds},
            {"EP", s.epExposedSeconds},    {"PP", s.ppExposedSeconds},       {"bubble", s.bubbleSeconds},
            {"DP", s.dpExposedSeconds},    {"optimizer", s.optimizerSeconds}};
}

std::vector<std::pair<std::string, double>> parts(const MemoryBreakdown& b) {
    return {{"weights", b.weightBytes},         {"gradients", b.gradientBytes}, {"optimizer states", b.optimizerBytes},
            {"activations", b.activationBytes}, {"logits", b.logitsBytes},      {"buffers", b.bufferBytes},
            {"reserve", b.reserveBytes}};
}

/// Why a part of the step is long, in terms of the layout.
std::string causeOf(const std::string& part, const RunConfig& c, const RunConfig& best) {
    const auto times = [](std::int64_t a, std::int64_t b) {
        return std::to_string(a) + " against " + std::to_string(b);
    };
    const ParallelLayout &p = c.parallel, &q = best.parallel;
    if (part == "TP") return "tp is " + times(p.tp, q.tp);
    if (part == "CP") return "cp is " + times(p.cp, q.cp);
    if (part == "EP") return "ep is " + times(p.ep, q.ep);
    if (part == "DP") return "zero_stage is " + times(p.zeroStage, q.zeroStage) + ", dp " + times(p.dp, q.dp);
    if (part == "PP" || part == "bubble")
        return "pp is " + times(p.pp, q.pp) + ", micro-batches " + times(c.numMicroBatches(), best.numMicroBatches());
    if (part == "optimizer") return "a rank updates more or keeps its states elsewhere (zero_stage, offload, pp, tp)";
    if (c.train.recompute.policy != best.train.recompute.policy)
        return "recompute is " + std::string(wordOf(c.train.recompute.policy)) + " against " +
               std::string(wordOf(best.train.recompute.policy));
    return "matrices are cut smaller or the micro-batch is smaller: tp " + times(p.tp, q.tp) + ", micro-batch " +
           times(c.train.microBatchSize, best.train.microBatchSize);
}

void whyNotFitting(const Plan& plan, LayoutExplanation& e) {
    auto held = parts(plan.memory[plan.worstStage].bytes);
    std::stable_sort(held.begin(), held.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    e.verdict = asciiText("It does not fit: pipeline rank " + std::to_string(plan.worstStage) + " needs " +
                          formatBytes(plan.memoryPeakBytes) + ", " +
                          formatBytes(plan.memoryPeakBytes - plan.memoryCapacityBytes) + " more than the " +
                          formatBytes(plan.memoryCapacityBytes) + " it has.");
    for (std::size_t i = 0; i < 3; ++i)
        if (held[i].second > 0.05 * plan.memoryPeakBytes)
            e.reasons.push_back(asciiText(formatBytes(held[i].second) + " of it are " + held[i].first + " (" +
                                          formatPercent(held[i].second / plan.memoryPeakBytes) + ")."));
}

void compare(const RunConfig& config, const RunConfig& bestConfig, const FoundLayout& best, LayoutExplanation& e) {
    const auto mine = parts(e.step), theirs = parts(best.step);
    for (std::size_t i = 0; i < mine.size(); ++i) e.gaps.push_back({mine[i].first, mine[i].second, theirs[i].second});
    std::stable_sort(e.gaps.begin(), e.gaps.end(), [](const PartGap& a, const PartGap& b) {
        return a.seconds - a.bestSeconds > b.seconds - b.bestSeconds;
    });
    const double slower = e.step.stepSeconds / best.step.stepSeconds - 1;
    if (slower <= 1e-9) {
        e.verdict = "No layout of the search is faster.";
        return;
    }
    e.verdict =
        asciiText("It is " + formatPercent(slower) + " slower than the best: " + formatSeconds(e.step.stepSeconds) +
                  " against " + formatSeconds(best.step.stepSeconds) + " with " +
                  layoutText(best.parallel, best.microBatchSize, best.recompute) + ".");
    for (const PartGap& gap : e.gaps) {
        const double loss = gap.seconds - gap.bestSeconds;
        if (loss < 0.02 * (e.step.stepSeconds - best.step.stepSeconds) || e.reasons.size() == 4) break;
        e.reasons.push_back(asciiText(gap.part + " takes " + formatSeconds(loss) + " more (" +
                                      formatSeconds(gap.seconds) + " against " + formatSeconds(gap.bestSeconds) +
                                      "): " + causeOf(gap.part, config, bestConfig) + "."));
    }
}

}  // namespace

Result<RunConfig> layoutFromText(const LayoutRequest& request, const std::string& text) {
    RunConfig c = request.config;
    if (text == "config") return c;
    SearchLimits named;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        if (auto set = named.set(text.substr(from, comma - from)); !set) return fail(set.error());
        from = comma + 1;
    }
    ParallelLayout& p = c.parallel;
    const std::int64_t devices = request.devices.empty() ? p.worldSize() : request.devices.front();
    p.layersPerStage.clear();
    p.dpShard.reset();
    for (const auto& axis : enumNames(SearchAxis{}))
        if (const auto& values = named.of(axis.value).values; !values.empty()) setValue(c, axis.value, values.front());
    const auto isNamed = [&](SearchAxis axis) { return !named.of(axis).values.empty(); };
    if (!isNamed(SearchAxis::Dp))
        p.dp = std::max<std::int64_t>(1, devices / std::max<std::int64_t>(1, p.tp * p.pp * p.cp));
    if (!isNamed(SearchAxis::Schedule) && isNamed(SearchAxis::VirtualStages))
        p.schedule = p.virtualStages > 1 ? ScheduleKind::InterleavedOneFOneB : ScheduleKind::OneFOneB;
    return c;
}

std::vector<LayoutChange> layoutChanges(const LayoutRequest& request, const RunConfig& config) {
    std::vector<LayoutChange> changes;
    for (const auto& axis : enumNames(SearchAxis{}))
        for (const std::int64_t value : neighbours(request, config, axis.value)) {
            if (!request.limits.allows(axis.value, value)) continue;
            auto c = changed(config, axis.value, value);
            if (!c || (request.onlyRunnable && !trainerSupports(*c).empty())) continue;
            if (!request.tpAcrossNodes && request.cluster.numNodes > 1 &&
                c->parallel.tp > request.cluster.devicesPerNode)
                continue;
            LayoutChange change;
            change.axis = axis.value;
            change.text = std::string(axis.word) + " " + valueText(axis.value, valueOf(config, axis.value)) + " -> " +
                          valueText(axis.value, value);
            LayoutEvaluator evaluator(*c, request.cluster);
            const ParallelLayout& p = c->parallel;
            evaluator.setDegrees({p.tp, p.pp, p.cp, p.dp, p.ep}, c->train.microBatchSize, p.sequenceParallel);
            evaluator.setRecompute(c->train.recompute.policy);
            if (!evaluator.setPipeline({p.schedule, p.virtualStages})) continue;
            change.memoryPeakBytes = evaluator.peakBytes(p.zeroStage, p.offload);
            change.stepSeconds = evaluator.estimate(p.zeroStage, p.offload).stepSeconds;
            change.fits = !(change.memoryPeakBytes > evaluator.capacityBytes());
            change.config = std::move(*c);
            changes.push_back(std::move(change));
        }
    std::stable_sort(changes.begin(), changes.end(), [](const LayoutChange& a, const LayoutChange& b) {
        if (a.fits != b.fits) return a.fits;
        return a.fits ? a.stepSeconds < b.stepSeconds : a.memoryPeakBytes < b.memoryPeakBytes;
    });
    return changes;
}

LayoutExplanation explainLayout(const LayoutRequest& request, const RunConfig& config,
                                const std::vector<FoundLayout>& best) {
    LayoutExplanation e;
    const Issues issues = validate(config);
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error) e.reasons.push_back(issue.message);
    const std::int64_t world = config.parallel.worldSize();
    const std::vector<std::int64_t>& devices = request.devices;
    const bool asked = devices.empty() ? world == request.config.parallel.worldSize()
                                       : std::find(devices.begin(), devices.end(), world) != devices.end();
    if (!asked)
        e.reasons.push_back("dp x tp x pp x cp is " + std::to_string(world) +
                            ", not the number of devices of the search.");
    if (!e.reasons.empty()) {
        e.verdict = "It is not legal.";
        return e;
    }
    e.legal = true;
    const Plan plan = makePlan(config, request.cluster);
    if (plan.memory.empty()) {
        e.legal = false;
        e.verdict = "It is not legal.";
        for (const Issue& issue : plan.issues)
            if (issue.severity == Severity::Error) e.reasons.push_back(issue.message);
        return e;
    }
    e.step = plan.step;
    e.memoryPeakBytes = plan.memoryPeakBytes;
    e.memoryCapacityBytes = plan.memoryCapacityBytes;
    e.fits = !(plan.memoryPeakBytes > plan.memoryCapacityBytes);
    if (!e.fits)
        whyNotFitting(plan, e);
    else if (best.empty())
        e.verdict = "It fits, and the search has nothing to compare it with.";
    else
        compare(config, best.front().applied(request.config), best.front(), e);
    const ParallelLayout& p = config.parallel;
    if (!request.tpAcrossNodes && request.cluster.numNodes > 1 && p.tp > request.cluster.devicesPerNode)
        e.reasons.push_back("The search leaves it out: tp " + std::to_string(p.tp) + " is more than the " +
                            std::to_string(request.cluster.devicesPerNode) + " devices of a node.");
    for (const auto& axis : enumNames(SearchAxis{}))
        if (!request.limits.allows(axis.value, valueOf(config, axis.value)))
            e.reasons.push_back("The search leaves it out: " + std::string(axis.word) + " = " +
                                valueText(axis.value, valueOf(config, axis.value)) +
                                " is outside the limits asked for.");
    for (LayoutChange& change : layoutChanges(request, config)) {
        const bool helps = e.fits ? change.fits && change.stepSeconds < e.step.stepSeconds * (1 - 1e-9)
                                  : change.memoryPeakBytes < e.memoryPeakBytes;
        if (helps && e.changes.size() < 3) e.changes.push_back(std::move(change));
    }
    return e;
}

}  // namespace slipway
