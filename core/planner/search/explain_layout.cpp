#include "core/planner/search/explain_layout.h"

#include "core/base/units.h"
#include "core/planner/memory/memory.h"
#include "core/planner/memory/stack_memory.h"
#include "core/planner/plan.h"
#include "core/planner/search/layout_axes.h"
#include "core/planner/search/layout_message.h"
#include "core/planner/time/step.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

std::vector<std::pair<std::string, double>> parts(const StepEstimate& s) {
    return {{"compute", s.computeSeconds}, {"TP", s.tpExposedSeconds},       {"CP", s.cpExposedSeconds},
            {"EP", s.epExposedSeconds},    {"PP", s.ppExposedSeconds},       {"bubble", s.bubbleSeconds},
            {"DP", s.dpExposedSeconds},    {"optimizer", s.optimizerSeconds}};
}

/// A part of the step in words, at the beginning of a sentence.
Message nameOf(const std::string& part) {
    for (const auto& [key, text] :
         {std::pair{"compute", "Compute"_text}, std::pair{"TP", "Tensor-parallel traffic"_text},
          std::pair{"CP", "Context-parallel traffic"_text}, std::pair{"EP", "Expert-parallel traffic"_text},
          std::pair{"PP", "Pipeline traffic"_text}, std::pair{"bubble", "The pipeline bubble"_text},
          std::pair{"DP", "Data-parallel traffic"_text}, std::pair{"optimizer", "The optimizer"_text}})
        if (part == key) return text;
    return Message::name(part);
}

std::vector<std::pair<SourceText, double>> parts(const MemoryBreakdown& b) {
    return {{"weights"_text, b.weightBytes},
            {"gradients"_text, b.gradientBytes},
            {"optimizer states"_text, b.optimizerBytes},
            {"activations"_text, b.activationBytes},
            {"logits"_text, b.logitsBytes},
            {"buffers"_text, b.bufferBytes},
            {"reserve"_text, b.reserveBytes}};
}

std::string bytes(double value) {
    return asciiText(formatBytes(value));
}

std::string percent(double share) {
    return asciiText(formatPercent(share));
}

/// Cause of a long part of the step, in terms of the layout.
Message causeOf(const std::string& part, const RunConfig& c, const RunConfig& best) {
    const ParallelLayout &p = c.parallel, &q = best.parallel;
    if (part == "TP") return "tp is %1 against %2"_text(p.tp, q.tp);
    if (part == "CP") return "cp is %1 against %2"_text(p.cp, q.cp);
    if (part == "EP") return "ep is %1 against %2"_text(p.ep, q.ep);
    if (part == "DP") return "zero_stage is %1 against %2, dp %3 against %4"_text(p.zeroStage, q.zeroStage, p.dp, q.dp);
    if (part == "PP" || part == "bubble")
        return "pp is %1 against %2, micro-batches %3 against %4"_text(p.pp, q.pp, c.numMicroBatches(),
                                                                       best.numMicroBatches());
    if (part == "optimizer")
        return "a rank updates more or keeps its states elsewhere (zero_stage, offload, pp, tp)"_text;
    if (c.train.recompute.policy != best.train.recompute.policy)
        return "recompute is %1 against %2"_text(wordOf(c.train.recompute.policy), wordOf(best.train.recompute.policy));
    return "matrices or the micro-batch are smaller: tp %1 against %2, micro-batch %3 against %4"_text(
        p.tp, q.tp, c.train.microBatchSize, best.train.microBatchSize);
}

void whyNotFitting(const Plan& plan, LayoutExplanation& e) {
    auto held = parts(plan.memory[plan.worstStage].bytes);
    std::stable_sort(held.begin(), held.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    e.verdict = "It does not fit: pipeline rank %1 needs %2, %3 more than its %4."_text(
        plan.worstStage, bytes(plan.memoryPeakBytes), bytes(plan.memoryPeakBytes - plan.memoryCapacityBytes),
        bytes(plan.memoryCapacityBytes));
    for (std::size_t i = 0; i < 3; ++i)
        if (held[i].second > 0.05 * plan.memoryPeakBytes)
            e.reasons.push_back("%1 of it are %2 (%3)."_text(bytes(held[i].second), held[i].first,
                                                             percent(held[i].second / plan.memoryPeakBytes)));
}

void whyNotInNodes(LayoutExplanation& e) {
    const NodeHostMemory& node = e.node;
    e.verdict = "It does not fit: a node needs %1 of host memory, %2 more than its %3."_text(
        bytes(node.neededBytes()), bytes(node.neededBytes() - node.capacityBytes), bytes(node.capacityBytes));
    const HostMemory& rank = node.ofRank;
    for (const auto& [size, what] : {std::pair{rank.stagingBytes, "copied for a checkpoint"_text},
                                     std::pair{rank.optimizerBytes, "offloaded optimizer states"_text},
                                     std::pair{rank.activationBytes, "offloaded activations"_text}})
        if (size > 0)
            e.reasons.push_back("%1 of each of its %2 ranks are %3."_text(bytes(size), std::llround(node.ranks), what));
}

/// A node of the search, filled by this layout.
NodeHostMemory filledNode(const LayoutRequest& request, const RunConfig& config, double peakBytes) {
    NodeHostMemory node = nodeHostMemory(config, request.cluster, peakBytes);
    node.capacityBytes = request.nodeBytes.value_or(node.capacityBytes);
    return node;
}

void compare(const RunConfig& config, const RunConfig& bestConfig, const FoundLayout& best, LayoutExplanation& e) {
    const auto mine = parts(e.step), theirs = parts(best.step);
    for (std::size_t i = 0; i < mine.size(); ++i) e.gaps.push_back({mine[i].first, mine[i].second, theirs[i].second});
    std::stable_sort(e.gaps.begin(), e.gaps.end(), [](const PartGap& a, const PartGap& b) {
        return a.seconds - a.bestSeconds > b.seconds - b.bestSeconds;
    });
    const double slower = e.step.stepSeconds / best.step.stepSeconds - 1;
    if (slower <= 1e-9) {
        e.verdict = "No layout of the search is faster."_text;
        return;
    }
    e.verdict = "It is %1 slower than the best: %2 against %3 with %4."_text(
        percent(slower), Seconds{e.step.stepSeconds}, Seconds{best.step.stepSeconds},
        layoutMessage(best.parallel, best.microBatchSize, best.recompute));
    for (const PartGap& gap : e.gaps) {
        const double loss = gap.seconds - gap.bestSeconds;
        if (loss < 0.02 * (e.step.stepSeconds - best.step.stepSeconds) || e.reasons.size() == 4) break;
        e.reasons.push_back("%1 takes %2 more (%3 against %4): %5."_text(nameOf(gap.part), Seconds{loss},
                                                                         Seconds{gap.seconds}, Seconds{gap.bestSeconds},
                                                                         causeOf(gap.part, config, bestConfig)));
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
        if (const auto& values = named.of(axis.value).values; !values.empty()) setAxis(c, axis.value, values.front());
    const auto isNamed = [&](SearchAxis axis) { return !named.of(axis).values.empty(); };
    if (!isNamed(SearchAxis::Dp))
        p.dp = std::max<std::int64_t>(1, devices / std::max<std::int64_t>(1, p.tp * p.pp * p.cp));
    if (!isNamed(SearchAxis::Schedule) && isNamed(SearchAxis::VirtualStages))
        p.schedule = p.virtualStages > 1 ? ScheduleKind::InterleavedOneFOneB : ScheduleKind::OneFOneB;
    // The partition of layers depends on the stages, the shard group on dp.
    for (const SearchAxis axis : {SearchAxis::LayerSplit, SearchAxis::DpShard})
        if (isNamed(axis)) setAxis(c, axis, named.of(axis).values.front());
    return c;
}

namespace {

/// Memory and time of a config without errors, at the cost of both; absent when its schedule is impossible.
std::optional<LayoutChange> evaluated(const LayoutRequest& request, const RunConfig& config) {
    const ClusterSpec& cluster = request.cluster;
    LayoutChange change;
    change.config = config;
    Pipeline pipeline = makePipeline(config);
    std::optional<ScheduleSample> sample;
    if (!hasRecursion(pipeline.shape)) {
        const PipelineShape& shape = pipeline.shape;
        auto made = sampleSchedule(shape.kind, shape.pp, shape.numMicroBatches, shape.virtualStages);
        if (!made) return {};
        sample = std::move(*made);
        pipeline = makePipeline(config, *sample);
    }
    change.memoryPeakBytes = 0;
    for (const StageMemory& stage : stageMemory(config, cluster, pipeline))
        change.memoryPeakBytes = std::max(change.memoryPeakBytes, stage.bytes.totalBytes());
    change.stepSeconds = estimateStep(config, cluster, pipeline).stepSeconds;
    const double capacity = capacityPerRank(config, cluster);
    change.fits = !(change.memoryPeakBytes > capacity) && filledNode(request, config, change.memoryPeakBytes).fits();
    return change;
}

}  // namespace

std::vector<LayoutChange> layoutChanges(const LayoutRequest& request, const RunConfig& config) {
    std::vector<LayoutChange> changes;
    for (const auto& axis : enumNames(SearchAxis{}))
        for (const std::int64_t value : axisNeighbours(request, config, axis.value)) {
            if (!request.limits.allows(axis.value, value)) continue;
            const auto c = withAxis(config, axis.value, value);
            if (!c || (request.onlyRunnable && !trainerSupports(*c).empty())) continue;
            if (!request.tpAcrossNodes && request.cluster.numNodes > 1 &&
                c->parallel.tp > request.cluster.devicesPerNode)
                continue;
            auto change = evaluated(request, *c);
            if (!change) continue;
            change->axis = axis.value;
            change->from = axisValue(config, axis.value);
            change->to = value;
            change->text = std::string(axis.word) + " " + axisText(axis.value, change->from) + " -> " +
                           axisText(axis.value, change->to);
            changes.push_back(std::move(*change));
        }
    std::stable_sort(changes.begin(), changes.end(), [](const LayoutChange& a, const LayoutChange& b) {
        if (a.fits != b.fits) return a.fits;
        return a.fits ? a.stepSeconds < b.stepSeconds : a.memoryPeakBytes < b.memoryPeakBytes;
    });
    return changes;
}

Message changeSentence(const std::string& words, const LayoutChange& change) {
    return (change.fits ? "%1: %2 per step, %3"_text : "%1: %2 per step, %3, does not fit either"_text)(
        words, Seconds{change.stepSeconds}, formatBytes(change.memoryPeakBytes));
}

LayoutExplanation explainLayout(const LayoutRequest& request, const RunConfig& config,
                                const std::vector<FoundLayout>& best) {
    LayoutExplanation e;
    const Issues issues = validate(config);
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error) e.reasons.push_back(issue.sentence());
    const std::int64_t world = config.parallel.worldSize();
    const std::vector<std::int64_t>& devices = request.devices;
    const bool asked = devices.empty() ? world == request.config.parallel.worldSize()
                                       : std::find(devices.begin(), devices.end(), world) != devices.end();
    if (!asked) {
        std::string all = std::to_string(devices.empty() ? request.config.parallel.worldSize() : devices.front());
        for (std::size_t i = 1; i < devices.size(); ++i) all += ", " + std::to_string(devices[i]);
        e.reasons.push_back("dp x tp x pp x cp is %1; the devices of the search are %2."_text(world, all));
    }
    if (!e.reasons.empty()) {
        e.verdict = "It is not legal."_text;
        return e;
    }
    e.legal = true;
    const Plan plan = makePlan(config, request.cluster);
    if (plan.memory.empty()) {
        e.legal = false;
        e.verdict = "It is not legal."_text;
        for (const Issue& issue : plan.issues)
            if (issue.severity == Severity::Error) e.reasons.push_back(issue.sentence());
        return e;
    }
    e.step = plan.step;
    e.memoryPeakBytes = plan.memoryPeakBytes;
    e.memoryCapacityBytes = plan.memoryCapacityBytes;
    const bool devicesFit = !(plan.memoryPeakBytes > plan.memoryCapacityBytes);
    e.node = filledNode(request, config, plan.memoryPeakBytes);
    e.fits = devicesFit && e.node.fits();
    if (!devicesFit)
        whyNotFitting(plan, e);
    else if (!e.fits)
        whyNotInNodes(e);
    else if (best.empty())
        e.verdict = "It fits; the search has found nothing to compare it with."_text;
    else
        compare(config, best.front().applied(request.config), best.front(), e);
    const ParallelLayout& p = config.parallel;
    if (!request.tpAcrossNodes && request.cluster.numNodes > 1 && p.tp > request.cluster.devicesPerNode)
        e.reasons.push_back("The search skips it: tp %1 is more than the %2 devices of a node."_text(
            p.tp, request.cluster.devicesPerNode));
    for (const auto& axis : enumNames(SearchAxis{}))
        if (const std::int64_t value = axisValue(config, axis.value); !request.limits.allows(axis.value, value))
            e.reasons.push_back(
                "The search skips it: %1 = %2 is outside its limits."_text(axis.word, axisText(axis.value, value)));
    for (LayoutChange& change : layoutChanges(request, config)) {
        const bool helps = e.fits ? change.fits && change.stepSeconds < e.step.stepSeconds * (1 - 1e-9)
                                  : change.fits || (!devicesFit && change.memoryPeakBytes < e.memoryPeakBytes);
        if (helps && e.changes.size() < 3) e.changes.push_back(std::move(change));
    }
    return e;
}

}  // namespace slipway
