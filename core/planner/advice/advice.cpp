#include "core/planner/advice/advice.h"

#include "core/base/units.h"
#include "core/planner/advice/lint.h"
#include "core/planner/memory/activations.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/listed_hosts.h"
#include "core/planner/presets.h"
#include "core/planner/time/compute.h"
#include "core/planner/time/group_traffic.h"
#include "core/planner/time/repeated_passes.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

void add(Issues& issues, Severity severity, const char* code, const char* field, std::string message) {
    issues.push_back({severity, code, field, asciiText(message)});
}

std::string number(std::int64_t value) {
    return std::to_string(value);
}

const MemoryBreakdown& worst(const Plan& plan) {
    return plan.memory.at(plan.worstStage).bytes;
}

void doesNotFit(const Plan& plan, Issues& issues) {
    if (!(plan.memoryPeakBytes > plan.memoryCapacityBytes)) return;
    add(issues, Severity::Error, "does_not_fit", "parallel",
        "Stage " + number(plan.memory[plan.worstStage].stage) + " needs " + formatBytes(plan.memoryPeakBytes) +
            " per rank and has " + formatBytes(plan.memoryCapacityBytes) +
            "; shard more (tp, pp, zero_stage), recompute, or use a smaller micro-batch.");
}

void tightFit(const Plan& plan, Issues& issues) {
    if (plan.memoryPeakBytes > plan.memoryCapacityBytes || !(plan.memoryPeakBytes > 0.92 * plan.memoryCapacityBytes))
        return;
    add(issues, Severity::Warning, "tight_fit", "parallel",
        "The worst rank needs " + formatBytes(plan.memoryPeakBytes) + " of " + formatBytes(plan.memoryCapacityBytes) +
            "; fragmentation may break it.");
}

/// What fills a node's memory beside its devices', against what it has.
std::string hostEvidence(const NodeHostMemory& node) {
    const HostMemory& rank = node.ofRank;
    std::string parts;
    for (const auto& [name, bytes] :
         {std::pair{"checkpoint copy", rank.stagingBytes}, std::pair{"optimizer", rank.optimizerBytes},
          std::pair{"activations", rank.activationBytes}})
        if (bytes > 0) parts += (parts.empty() ? "" : ", ") + std::string(name) + " " + formatBytes(bytes);
    return "A node's memory holds " + formatBytes(node.neededBytes()) + " of its " + number(std::llround(node.ranks)) +
           " ranks and has " + formatBytes(node.capacityBytes) + " (each rank: " + parts +
           (node.tensorBytes > 0 ? "; tensors of all: " + formatBytes(node.tensorBytes) : "") + "); ";
}

/// The part that weighs most names the field to change.
const char* hostField(const HostMemory& rank) {
    return rank.stagingBytes > rank.optimizerBytes + rank.activationBytes ? "checkpoint.every_steps"
                                                                          : "parallel.offload";
}

/// Systems with this device beside the one that is planned with, whose nodes hold the bytes or do not.
std::string otherNodes(const std::string& device, double bytes, bool hold) {
    std::string names;
    for (const ListedHost& host : listedHosts())
        if (host.device == device && &host != listedHost(device) && (bytes <= host.bytes) == hold)
            names += (names.empty() ? "" : ", ") + host.system + " (" + formatBytes(host.bytes) + ")";
    return names;
}

void hostMemoryFull(const Plan& plan, Issues& issues) {
    const NodeHostMemory node = nodeHostMemory(plan.config, plan.cluster, plan.memoryPeakBytes);
    // A CPU whose tensors alone are too many is told so by does_not_fit.
    if (!(node.hostBytes() > 0) || node.tensorBytes > node.capacityBytes) return;
    constexpr double kTight = 0.9;  // the system, the data's pages and the ranks' own programs stand there, too
    const std::string& device = plan.cluster.device.name;
    if (!node.fits()) {
        const std::string larger = otherNodes(device, node.neededBytes(), true);
        add(issues, Severity::Error, "host_does_not_fit", hostField(node.ofRank),
            hostEvidence(node) + formatBytes(node.neededBytes() - node.capacityBytes) +
                " too much: " + (plan.config.parallel.offload != Offload::None ? "offload less, " : "") +
                "share the states among more ranks (zero_stage, more nodes), or use nodes with more memory" +
                (larger.empty() ? "" : ": " + larger) + ".");
    } else if (const std::string smaller = otherNodes(device, node.neededBytes(), false); !smaller.empty())
        add(issues, Severity::Warning, "host_tight_fit", hostField(node.ofRank),
            hostEvidence(node) + "other systems with these devices have less: " + smaller + ".");
    else if (node.neededBytes() > kTight * node.capacityBytes)
        add(issues, Severity::Warning, "host_tight_fit", hostField(node.ofRank),
            hostEvidence(node) + "the system and the data's pages need room, too.");
}

void tpCrossesNodes(const Plan& plan, Issues& issues) {
    const std::vector<std::int64_t> group = plan.config.parallel.groupOf(Axis::Tp, 0);  // at most 1,024 ranks
    if (plan.cluster.numNodes < 2 || *std::max_element(group.begin(), group.end()) < plan.cluster.devicesPerNode)
        return;
    add(issues, Severity::Warning, "tp_crosses_nodes", "parallel.tp",
        "Tensor parallelism over " + number(plan.config.parallel.tp) + " ranks leaves the node of " +
            number(plan.cluster.devicesPerNode) + " devices; keep tp inside a node and use pp or dp across.");
}

void bubbleHigh(const Plan& plan, Issues& issues) {
    if (!(plan.step.bubbleSimulated > 0.2)) return;
    add(issues, Severity::Warning, "bubble_high", "train.micro_batch_size",
        "The pipeline is idle " + formatPercent(plan.step.bubbleSimulated) + " of its time with " +
            number(plan.config.numMicroBatches()) + " micro-batches over " + number(plan.config.parallel.pp) +
            " stages; use more micro-batches, fewer stages or interleaving.");
}

void stagesUneven(const Plan& plan, Issues& issues) {
    const double gap = plan.step.bubbleSimulated - plan.step.bubbleTheoretical;
    if (!(gap > 0.08)) return;
    add(issues, Severity::Info, "stages_uneven", "parallel.layers_per_stage",
        "Idle time is " + formatPercent(gap) +
            " above the formula, because stages or transfers are uneven; give the first and last stage fewer layers.");
}

void freeMemory(const Plan& plan, Issues& issues) {
    if (!(plan.memoryPeakBytes < 0.5 * plan.memoryCapacityBytes)) return;
    if (plan.cluster.device.kind == DeviceKind::Cpu) return;
    const RecomputePolicy policy = plan.config.train.recompute.policy;
    if (policy != RecomputePolicy::None)
        add(issues, Severity::Info, "recompute_not_needed", "train.recompute.policy",
            "Only " + formatBytes(plan.memoryPeakBytes) + " of " + formatBytes(plan.memoryCapacityBytes) +
                " are used; less recomputation is faster.");
    else if (plan.config.parallel.worldSize() > 1)
        add(issues, Severity::Info, "free_memory", "train.micro_batch_size",
            "Only " + formatBytes(plan.memoryPeakBytes) + " of " + formatBytes(plan.memoryCapacityBytes) +
                " are used; a larger micro-batch or less sharding may be faster.");
}

void logitsBig(const Plan& plan, Issues& issues) {
    const MemoryBreakdown& b = plan.memory.back().bytes;
    if (!(b.logitsBytes > 0.25 * b.totalBytes()) || b.logitsBytes < kGiB) return;
    add(issues, Severity::Info, "logits_big", "train.micro_batch_size",
        "Logits over a vocabulary of " + formatCount(static_cast<double>(plan.config.model.vocabSize)) + " take " +
            formatBytes(b.logitsBytes) + " on the last stage; use a smaller micro-batch or more tp.");
}

void activationsBig(const Plan& plan, Issues& issues) {
    const MemoryBreakdown& b = worst(plan);
    if (plan.config.train.recompute.policy == RecomputePolicy::Full ||
        !(plan.memoryPeakBytes > plan.memoryCapacityBytes))
        return;
    if (b.activationBytes < 0.4 * b.totalBytes()) return;
    add(issues, Severity::Info, "activations_big", "train.recompute.policy",
        "Activations are " + formatPercent(b.activationBytes / b.totalBytes()) +
            " of the worst rank; full recomputation would leave " +
            formatBytes(b.activationBytes / std::max(1.0, layerActivationBytes(plan.config, false) /
                                                              (static_cast<double>(plan.config.train.microBatchSize *
                                                                                   plan.config.train.seqLen *
                                                                                   plan.config.model.hiddenSize) *
                                                               2))) +
            " for about a third more compute.");
}

void optimizerShardable(const Plan& plan, Issues& issues) {
    const ParallelLayout& p = plan.config.parallel;
    const MemoryBreakdown& b = worst(plan);
    if (p.dp < 2 || p.zeroStage > 0 || b.optimizerBytes < 0.3 * b.totalBytes()) return;
    const double saved = b.optimizerBytes * (1 - 1 / static_cast<double>(p.dp));
    if (saved < 0.1 * plan.memoryCapacityBytes && !(plan.memoryPeakBytes > plan.memoryCapacityBytes)) return;
    add(issues, Severity::Info, "shard_optimizer", "parallel.zero_stage",
        "Every replica holds all optimizer states; zero_stage 1 frees " + formatBytes(saved) +
            " per rank for the same traffic.");
}

void dpExposed(const Plan& plan, Issues& issues) {
    if (!(plan.step.dpExposedSeconds > 0.15 * plan.step.stepSeconds)) return;
    add(issues, Severity::Warning, "dp_exposed", "train.global_batch_size",
        "Gradient reduction is exposed for " + formatSeconds(plan.step.dpExposedSeconds) + " of a step of " +
            formatSeconds(plan.step.stepSeconds) +
            "; use more micro-batches per step, a faster link, or fewer replicas.");
}

void tpExposed(const Plan& plan, Issues& issues) {
    if (!(plan.step.tpExposedSeconds > 0.25 * plan.step.stepSeconds)) return;
    const ParallelLayout& p = plan.config.parallel;
    add(issues, Severity::Warning, "tp_exposed", "parallel.tp",
        "Tensor-parallel communication takes " + formatPercent(plan.step.tpExposedSeconds / plan.step.stepSeconds) +
            " of the step; " +
            (p.sequenceParallel && !p.asyncTp ? "async_tp runs it beside the products, or a smaller tp may be faster."
                                              : "a smaller tp may be faster."));
}

/// Short kernels wait for their launches; graphs of the inner micro-batches do not.
void graphsHelp(const Plan& plan, Issues& issues) {
    if (plan.cluster.device.kind != DeviceKind::Gpu || plan.cluster.stack) return;
    RunConfig on = plan.config;
    on.train.cudaGraphs = true;
    const double repeated = repeatedMicroBatches(on);
    if (repeated <= 0) return;
    const double saved = repeated * graphSavedSeconds(on, rankSpeed(on, plan.cluster)) / plan.cluster.stackEfficiency;
    const double pool = graphPoolBytes(on, plan.cluster);
    constexpr double kWorthwhile = 0.02, kIdle = 0.002;
    if (plan.config.train.cudaGraphs && saved < kIdle * plan.step.stepSeconds)
        add(issues, Severity::Info, "graphs_idle", "train.cuda_graphs",
            "CUDA graphs save " + formatSeconds(saved) + " of a step of " + formatSeconds(plan.step.stepSeconds) +
                ", because kernels are longer than their launches, and take " + formatBytes(pool) +
                "; switch them off.");
    else if (!plan.config.train.cudaGraphs && saved > kWorthwhile * plan.step.stepSeconds &&
             plan.memoryPeakBytes + pool < plan.memoryCapacityBytes)
        add(issues, Severity::Info, "graphs_help", "train.cuda_graphs",
            "Launches of short kernels take " + formatSeconds(saved) + " of a step of " +
                formatSeconds(plan.step.stepSeconds) + "; train.cuda_graphs repeats " + formatCount(repeated) + " of " +
                number(plan.config.numMicroBatches()) + " micro-batches without them, for " + formatBytes(pool) +
                " of memory.");
}

void vocabNotDivisible(const Plan& plan, Issues& issues) {
    const std::int64_t tp = plan.config.parallel.tp;
    if (tp < 2 || plan.config.model.vocabSize % (128 * tp) == 0 || plan.cluster.device.kind == DeviceKind::Cpu) return;
    const std::int64_t padded = (plan.config.model.vocabSize + 128 * tp - 1) / (128 * tp) * 128 * tp;
    add(issues, Severity::Info, "vocab_padding", "model.vocab_size",
        "A vocabulary of " + number(padded) + ", a multiple of 128 x tp, keeps the head's products fast.");
}

void moreRanksThanCores(const Plan& plan, Issues& issues) {
    if (plan.cluster.device.kind != DeviceKind::Cpu) return;
    const double perNode =
        std::ceil(static_cast<double>(plan.config.parallel.worldSize()) / static_cast<double>(plan.cluster.numNodes));
    const double threads = perNode * static_cast<double>(plan.config.train.threadsPerRank);
    if (threads <= static_cast<double>(plan.cluster.devicesPerNode)) return;
    add(issues, Severity::Info, "cores_shared", "train.threads_per_rank",
        formatCount(threads) + " threads share " + number(plan.cluster.devicesPerNode) +
            " cores, so ranks wait for each other; speeds compare layouts, not machines.");
}

void replicaIdle(const Plan& plan, Issues& issues) {
    const std::int64_t world = plan.config.parallel.worldSize();
    if (plan.cluster.device.kind == DeviceKind::Cpu || world >= plan.cluster.numDevices()) return;
    add(issues, Severity::Info, "idle_devices", "parallel.dp",
        number(plan.cluster.numDevices() - world) + " of " + number(plan.cluster.numDevices()) + " devices stay idle.");
}

/// Vendors also print peaks for matrices with every second element zero, twice the dense ones.
void sparsePeak(const DeviceSpec& device, Issues& issues) {
    const ClusterSpec* known = findDevicePreset(device.name);
    if (known == nullptr) return;
    for (const auto& [precision, word, help] : enumNames(Precision{})) {
        const std::optional<double> dense = known->device.peakFlops(precision), given = device.peakFlops(precision);
        if (!dense || !given || *given < 1.9 * *dense) continue;
        add(issues, Severity::Error, "sparse_peak", "cluster.device",
            "A " + std::string(word) + " peak of " + formatFlops(*given) +
                " is a figure with sparsity; dense products of " + device.name + " reach " + formatFlops(*dense) +
                " at most.");
        return;
    }
}

void curvesUnused(const Plan& plan, Issues& issues) {
    if (plan.cluster.commCurves.empty() || !plan.cluster.stack) return;
    add(issues, Severity::Info, "curves_unused", "cluster.comm_curves",
        "The calibrated stack " + plan.cluster.stack->name +
            " brings the links it was fitted with, which go before the cluster's measured curves; take the stack out to plan with "
            "them.");
}

void curvesMissing(const Plan& plan, Issues& issues) {
    const ClusterSpec& cluster = plan.cluster;
    if (cluster.commCurves.empty() || cluster.stack) return;
    std::string missing;
    for (const GroupOperation& one :
         groupOperations(plan.config, cluster, rankShare(plan.config, plan.memory[plan.worstStage].stage)))
        if (!curveFor(cluster.commCurves, one.kind, one.ranks, one.link.nodes))
            missing += (missing.empty() ? "" : ", ") + std::string(wordOf(one.kind)) + " of " +
                       number(std::llround(one.ranks)) + " ranks " +
                       (one.link.nodes > 1 ? "over " + number(std::llround(std::ceil(one.link.nodes))) + " nodes"
                                           : "in a node");
    if (missing.empty()) return;
    add(issues, Severity::Info, "curves_missing", "cluster.comm_curves",
        "The cluster's links stand in where no curve was measured: " + missing + ".");
}

}  // namespace

const std::vector<AdviceRule>& adviceRules() {
    static const std::vector<AdviceRule> rules = {
        {"does_not_fit", doesNotFit},
        {"tight_fit", tightFit},
        {"host_does_not_fit", hostMemoryFull},
        {"tp_crosses_nodes", tpCrossesNodes},
        {"bubble_high", bubbleHigh},
        {"stages_uneven", stagesUneven},
        {"dp_exposed", dpExposed},
        {"tp_exposed", tpExposed},
        {"logits_big", logitsBig},
        {"activations_big", activationsBig},
        {"shard_optimizer", optimizerShardable},
        {"free_memory", freeMemory},
        {"graphs_help", graphsHelp},
        {"vocab_padding", vocabNotDivisible},
        {"cores_shared", moreRanksThanCores},
        {"idle_devices", replicaIdle},
        {"curves_unused", curvesUnused},
        {"curves_missing", curvesMissing},
    };
    return rules;
}

Issues clusterIssues(const RunConfig& config, const ClusterSpec& cluster) {
    Issues issues;
    const std::int64_t world = config.parallel.worldSize();
    if (cluster.device.kind != DeviceKind::Cpu && world > cluster.numDevices())
        add(issues, Severity::Error, "too_few_devices", "parallel.dp",
            "The layout needs " + number(world) + " devices; the cluster has " + number(cluster.numDevices()) +
                ". Lower a degree or add nodes.");
    if (!productPeakFlops(cluster.device, config.train.precision))
        add(issues, Severity::Warning, "peak_unknown", "train.precision",
            "The peak of " + cluster.device.name + " in " + std::string(wordOf(config.train.precision)) +
                " is unknown or it has none, so time and MFU cannot be estimated.");
    sparsePeak(cluster.device, issues);
    if (config.train.device != cluster.device.kind)
        add(issues, Severity::Info, "device_differs", "train.device",
            "The config computes on " + std::string(wordOf(config.train.device)) + "; the plan is made for " +
                std::string(wordOf(cluster.device.kind)) + ".");
    return issues;
}

Issues advise(const Plan& plan) {
    Issues issues;
    if (plan.memory.empty()) return issues;
    for (const AdviceRule& rule : adviceRules()) rule.check(plan, issues);
    // Of the mistakes of scripts, those that a checked config can still have.
    for (Issue& issue : lint(runScriptOf(plan.config, plan.cluster)))
        if (issue.code == "interval_never_reached" || issue.code == "few_micro_batches")
            issues.push_back(std::move(issue));
    return issues;
}

}  // namespace slipway
