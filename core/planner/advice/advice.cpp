#include "core/planner/advice/advice.h"

#include "core/base/units.h"
#include "core/planner/advice/lint.h"
#include "core/planner/memory/activations.h"
#include "core/planner/memory/graph_passes.h"
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

void add(Advices& all, Severity severity, const char* code, const char* field, Message sentence) {
    all.push_back({severity, code, field, std::move(sentence)});
}

const MemoryBreakdown& worst(const Plan& plan) {
    return plan.memory.at(plan.worstStage).bytes;
}

void doesNotFit(const Plan& plan, Advices& all) {
    if (!(plan.memoryPeakBytes > plan.memoryCapacityBytes)) return;
    add(all, Severity::Error, "does_not_fit", "parallel",
        "Stage %1 needs %2 per rank and has %3; shard more (tp, pp, zero_stage), recompute, or use a smaller micro-batch."_text(
            plan.memory[plan.worstStage].stage, formatBytes(plan.memoryPeakBytes),
            formatBytes(plan.memoryCapacityBytes)));
}

void tightFit(const Plan& plan, Advices& all) {
    if (plan.memoryPeakBytes > plan.memoryCapacityBytes || !(plan.memoryPeakBytes > 0.92 * plan.memoryCapacityBytes))
        return;
    add(all, Severity::Warning, "tight_fit", "parallel",
        "The worst rank needs %1 of %2; fragmentation may break it."_text(formatBytes(plan.memoryPeakBytes),
                                                                          formatBytes(plan.memoryCapacityBytes)));
}

/// Contents of a node's host memory, against its capacity.
Message hostEvidence(const NodeHostMemory& node) {
    const HostMemory& rank = node.ofRank;
    std::vector<Message> parts;
    for (const auto& [text, bytes] :
         {std::pair{"checkpoint copy %1"_text, rank.stagingBytes}, std::pair{"optimizer %1"_text, rank.optimizerBytes},
          std::pair{"activations %1"_text, rank.activationBytes}})
        if (bytes > 0) parts.push_back(text(formatBytes(bytes)));
    Message what = "each rank: %1"_text(listOf(parts));
    if (node.tensorBytes > 0) what = "%1; all tensors: %2"_text(what, formatBytes(node.tensorBytes));
    return "A node's memory holds %1 of its %2 ranks and has %3 (%4)"_text(
        formatBytes(node.neededBytes()), std::llround(node.ranks), formatBytes(node.capacityBytes), what);
}

/// The largest part determines the field to change.
const char* hostField(const HostMemory& rank) {
    return rank.stagingBytes > rank.optimizerBytes + rank.activationBytes ? "checkpoint.every_steps"
                                                                          : "parallel.offload";
}

/// Other systems with this device whose nodes fit the bytes or, without `hold`, do not.
std::string otherNodes(const std::string& device, double bytes, bool hold) {
    std::string names;
    for (const ListedHost& host : listedHosts())
        if (host.device == device && &host != listedHost(device) && (bytes <= host.bytes) == hold)
            names += (names.empty() ? "" : ", ") + host.system + " (" + formatBytes(host.bytes) + ")";
    return names;
}

/// Remedy for a node that is too small.
Message hostRemedy(const Plan& plan, const std::string& larger) {
    const Message share =
        plan.config.parallel.offload != Offload::None
            ? "offload less, share the states among more ranks (zero_stage, more nodes), or use nodes with more memory"_text
            : "share the states among more ranks (zero_stage, more nodes), or use nodes with more memory"_text;
    return larger.empty() ? share : "%1: %2"_text(share, larger);
}

void hostMemoryFull(const Plan& plan, Advices& all) {
    const NodeHostMemory node = nodeHostMemory(plan.config, plan.cluster, plan.memoryPeakBytes);
    // A CPU whose tensors alone do not fit gets does_not_fit instead.
    if (!(node.hostBytes() > 0) || node.tensorBytes > node.capacityBytes) return;
    constexpr double kTight = 0.9;  // the system, the data's pages and the ranks' own programs also need memory
    const std::string& device = plan.cluster.device.name;
    if (!node.fits()) {
        const std::string larger = otherNodes(device, node.neededBytes(), true);
        add(all, Severity::Error, "host_does_not_fit", hostField(node.ofRank),
            "%1; %2 too much: %3."_text(hostEvidence(node), formatBytes(node.neededBytes() - node.capacityBytes),
                                        hostRemedy(plan, larger)));
    } else if (const std::string smaller = otherNodes(device, node.neededBytes(), false); !smaller.empty())
        add(all, Severity::Warning, "host_tight_fit", hostField(node.ofRank),
            "%1; other systems with these devices have less: %2."_text(hostEvidence(node), smaller));
    else if (node.neededBytes() > kTight * node.capacityBytes)
        add(all, Severity::Warning, "host_tight_fit", hostField(node.ofRank),
            "%1; the system and the data's pages need room, too."_text(hostEvidence(node)));
}

void tpCrossesNodes(const Plan& plan, Advices& all) {
    const std::vector<std::int64_t> group = plan.config.parallel.groupOf(Axis::Tp, 0);  // at most 1,024 ranks
    if (plan.cluster.numNodes < 2 || *std::max_element(group.begin(), group.end()) < plan.cluster.devicesPerNode)
        return;
    add(all, Severity::Warning, "tp_crosses_nodes", "parallel.tp",
        "Tensor parallelism over %1 ranks leaves the node of %2 devices; keep tp inside a node and use pp or dp across."_text(
            plan.config.parallel.tp, plan.cluster.devicesPerNode));
}

void bubbleHigh(const Plan& plan, Advices& all) {
    if (!(plan.step.bubbleSimulated > kMostBubble)) return;
    add(all, Severity::Warning, "bubble_high", "train.micro_batch_size",
        "The pipeline is idle %1 of its time with %2 micro-batches over %3 stages; use more micro-batches, fewer stages "
        "or interleaving."_text(formatPercent(plan.step.bubbleSimulated), plan.config.numMicroBatches(),
                                plan.config.parallel.pp));
}

void stagesUneven(const Plan& plan, Advices& all) {
    const double gap = plan.step.bubbleSimulated - plan.step.bubbleTheoretical;
    if (!(gap > 0.08)) return;
    add(all, Severity::Info, "stages_uneven", "parallel.layers_per_stage",
        "Idle time is %1 above the formula, because stages or transfers are uneven; give the first and last stage fewer "
        "layers."_text(formatPercent(gap)));
}

void freeMemory(const Plan& plan, Advices& all) {
    if (!(plan.memoryPeakBytes < 0.5 * plan.memoryCapacityBytes)) return;
    if (plan.cluster.device.kind == DeviceKind::Cpu) return;
    const RecomputePolicy policy = plan.config.train.recompute.policy;
    if (policy != RecomputePolicy::None)
        add(all, Severity::Info, "recompute_not_needed", "train.recompute.policy",
            "Only %1 of %2 are used; less recomputation is faster."_text(formatBytes(plan.memoryPeakBytes),
                                                                         formatBytes(plan.memoryCapacityBytes)));
    else if (plan.config.parallel.worldSize() > 1)
        add(all, Severity::Info, "free_memory", "train.micro_batch_size",
            "Only %1 of %2 are used; a larger micro-batch or less sharding may be faster."_text(
                formatBytes(plan.memoryPeakBytes), formatBytes(plan.memoryCapacityBytes)));
}

void logitsBig(const Plan& plan, Advices& all) {
    const MemoryBreakdown& b = plan.memory.back().bytes;
    if (!(b.logitsBytes > 0.25 * b.totalBytes()) || b.logitsBytes < kGiB) return;
    add(all, Severity::Info, "logits_big", "train.micro_batch_size",
        "Logits over a vocabulary of %1 take %2 on the last stage; use a smaller micro-batch or more tp."_text(
            formatCount(static_cast<double>(plan.config.model.vocabSize)), formatBytes(b.logitsBytes)));
}

void activationsBig(const Plan& plan, Advices& all) {
    const MemoryBreakdown& b = worst(plan);
    if (plan.config.train.recompute.policy == RecomputePolicy::Full ||
        !(plan.memoryPeakBytes > plan.memoryCapacityBytes))
        return;
    if (b.activationBytes < 0.4 * b.totalBytes()) return;
    add(all, Severity::Info, "activations_big", "train.recompute.policy",
        "Activations are %1 of the worst rank; full recomputation would leave %2 for about a third more compute."_text(
            formatPercent(b.activationBytes / b.totalBytes()),
            formatBytes(b.activationBytes / std::max(1.0, layerActivationBytes(plan.config, false) /
                                                              (static_cast<double>(plan.config.train.microBatchSize *
                                                                                   plan.config.train.seqLen *
                                                                                   plan.config.model.hiddenSize) *
                                                               2)))));
}

void optimizerShardable(const Plan& plan, Advices& all) {
    const ParallelLayout& p = plan.config.parallel;
    const MemoryBreakdown& b = worst(plan);
    if (p.dp < 2 || p.zeroStage > 0 || b.optimizerBytes < 0.3 * b.totalBytes()) return;
    const double saved = b.optimizerBytes * (1 - 1 / static_cast<double>(p.dp));
    if (saved < 0.1 * plan.memoryCapacityBytes && !(plan.memoryPeakBytes > plan.memoryCapacityBytes)) return;
    add(all, Severity::Info, "shard_optimizer", "parallel.zero_stage",
        "Every replica holds all optimizer states; zero_stage 1 frees %1 per rank for the same traffic."_text(
            formatBytes(saved)));
}

void dpExposed(const Plan& plan, Advices& all) {
    if (!(plan.step.dpExposedSeconds > 0.15 * plan.step.stepSeconds)) return;
    const std::string exposed = formatSeconds(plan.step.dpExposedSeconds), step = formatSeconds(plan.step.stepSeconds);
    // From ZeRO-2 on every micro-batch reduces its gradients.
    if (plan.config.parallel.zeroStage >= 2)
        add(all, Severity::Warning, "dp_exposed", "train.micro_batch_size",
            "Data-parallel traffic is exposed for %1 of a step of %2; use larger micro-batches, a lower zero_stage, a faster link, or fewer replicas."_text(
                exposed, step));
    else
        add(all, Severity::Warning, "dp_exposed", "train.global_batch_size",
            "Gradient reduction is exposed for %1 of a step of %2; use more micro-batches per step, a faster link, or fewer "
            "replicas."_text(exposed, step));
}

void tpExposed(const Plan& plan, Advices& all) {
    if (!(plan.step.tpExposedSeconds > 0.25 * plan.step.stepSeconds)) return;
    const ParallelLayout& p = plan.config.parallel;
    add(all, Severity::Warning, "tp_exposed", "parallel.tp",
        (p.sequenceParallel && !p.asyncTp
             ? "Tensor-parallel communication takes %1 of the step; async_tp overlaps it with the products, or a smaller tp may be faster."_text
             : "Tensor-parallel communication takes %1 of the step; a smaller tp may be faster."_text)(
            formatPercent(plan.step.tpExposedSeconds / plan.step.stepSeconds)));
}

/// Short kernels wait for their launches; graphs of the inner micro-batches do not.
void graphsHelp(const Plan& plan, Advices& all) {
    if (plan.cluster.device.kind != DeviceKind::Gpu || plan.cluster.stack) return;
    RunConfig on = plan.config;
    on.train.cudaGraphs = true;
    const double repeated = repeatedMicroBatches(on);
    if (repeated <= 0) return;
    const double saved = repeated * graphSavedSeconds<double>(on, rankSpeed(on, plan.cluster));
    const double pool = graphPoolBytes(on, plan.cluster);
    constexpr double kWorthwhile = 0.02, kIdle = 0.002;
    if (plan.config.train.cudaGraphs && saved < kIdle * plan.step.stepSeconds)
        add(all, Severity::Info, "graphs_idle", "train.cuda_graphs",
            "CUDA graphs save %1 of a step of %2, because kernels are longer than their launches, and take %3; switch them "
            "off."_text(formatSeconds(saved), formatSeconds(plan.step.stepSeconds), formatBytes(pool)));
    else if (!plan.config.train.cudaGraphs && saved > kWorthwhile * plan.step.stepSeconds &&
             plan.memoryPeakBytes + pool < plan.memoryCapacityBytes)
        add(all, Severity::Info, "graphs_help", "train.cuda_graphs",
            "Launches of short kernels take %1 of a step of %2; train.cuda_graphs repeats %3 of %4 micro-batches without "
            "them, for %5 of memory."_text(formatSeconds(saved), formatSeconds(plan.step.stepSeconds),
                                           formatCount(repeated), plan.config.numMicroBatches(), formatBytes(pool)));
}

void vocabNotDivisible(const Plan& plan, Advices& all) {
    const std::int64_t tp = plan.config.parallel.tp;
    if (tp < 2 || plan.config.model.vocabSize % (128 * tp) == 0 || plan.cluster.device.kind == DeviceKind::Cpu) return;
    const std::int64_t padded = (plan.config.model.vocabSize + 128 * tp - 1) / (128 * tp) * 128 * tp;
    add(all, Severity::Info, "vocab_padding", "model.vocab_size",
        "A vocabulary of %1, a multiple of 128 x tp, keeps the head's products fast."_text(padded));
}

void moreRanksThanCores(const Plan& plan, Advices& all) {
    if (plan.cluster.device.kind != DeviceKind::Cpu) return;
    const double perNode =
        std::ceil(static_cast<double>(plan.config.parallel.worldSize()) / static_cast<double>(plan.cluster.numNodes));
    const double threads = perNode * static_cast<double>(plan.config.train.threadsPerRank);
    if (threads <= static_cast<double>(plan.cluster.devicesPerNode)) return;
    add(all, Severity::Info, "cores_shared", "train.threads_per_rank",
        "%1 threads share %2 cores, so ranks wait for each other; speeds compare layouts, not machines."_text(
            formatCount(threads), plan.cluster.devicesPerNode));
}

void replicaIdle(const Plan& plan, Advices& all) {
    const std::int64_t world = plan.config.parallel.worldSize();
    if (plan.cluster.device.kind == DeviceKind::Cpu || world >= plan.cluster.numDevices()) return;
    add(all, Severity::Info, "idle_devices", "parallel.dp",
        "%1 of %2 devices stay idle."_text(plan.cluster.numDevices() - world, plan.cluster.numDevices()));
}

/// Vendors also print peaks for structured sparsity, twice the dense ones.
void sparsePeak(const DeviceSpec& device, Advices& all) {
    const ClusterSpec* known = findDevicePreset(device.name);
    if (known == nullptr) return;
    for (const auto& [precision, word, help, label] : enumNames(Precision{})) {
        const std::optional<double> dense = known->device.peakFlops(precision), given = device.peakFlops(precision);
        if (!dense || !given || *given < 1.9 * *dense) continue;
        add(all, Severity::Error, "sparse_peak", "cluster.device",
            "A %1 peak of %2 is a figure with sparsity; dense products of %3 reach %4 at most."_text(
                std::string(word), formatFlops(*given), device.name, formatFlops(*dense)));
        return;
    }
}

void curvesMissing(const Plan& plan, Advices& all) {
    const ClusterSpec& cluster = plan.cluster;
    if (cluster.commCurves.empty()) return;
    std::vector<Message> missing;
    for (const GroupOperation& one :
         groupOperations(plan.config, cluster, rankShare(plan.config, plan.memory[plan.worstStage].stage)))
        if (!curveFor(cluster.commCurves, one.kind, one.ranks, one.link.nodes))
            missing.push_back(one.link.nodes > 1
                                  ? "%1 of %2 ranks over %3 nodes"_text(wordOf(one.kind), std::llround(one.ranks),
                                                                        std::llround(std::ceil(one.link.nodes)))
                                  : "%1 of %2 ranks in a node"_text(wordOf(one.kind), std::llround(one.ranks)));
    if (missing.empty()) return;
    add(all, Severity::Info, "curves_missing", "cluster.comm_curves",
        "Where no curve was measured, the cluster's links are used: %1."_text(listOf(missing)));
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
        {"curves_missing", curvesMissing},
    };
    return rules;
}

Issue issueOf(const Advice& advice) {
    Issue issue = issueOf(advice.severity, advice.code, advice.field, advice.sentence);
    issue.message = asciiText(issue.message);
    return issue;
}

Advices clusterAdvice(const RunConfig& config, const ClusterSpec& cluster) {
    Advices all;
    const std::int64_t world = config.parallel.worldSize();
    if (cluster.device.kind != DeviceKind::Cpu && world > cluster.numDevices())
        add(all, Severity::Error, "too_few_devices", "parallel.dp",
            "The layout needs %1 devices; the cluster has %2. Lower a degree or add nodes."_text(world,
                                                                                                 cluster.numDevices()));
    if (!productPeakFlops(cluster.device, config.train.precision))
        add(all, Severity::Warning, "peak_unknown", "train.precision",
            "The peak of %1 in %2 is unknown or it has none, so time and MFU cannot be estimated."_text(
                cluster.device.name, std::string(wordOf(config.train.precision))));
    sparsePeak(cluster.device, all);
    if (config.train.device != cluster.device.kind)
        add(all, Severity::Info, "device_differs", "train.device",
            "The config computes on %1; the plan is made for %2."_text(std::string(wordOf(config.train.device)),
                                                                       std::string(wordOf(cluster.device.kind))));
    return all;
}

Advices advise(const Plan& plan) {
    Advices all;
    if (plan.memory.empty()) return all;
    for (const AdviceRule& rule : adviceRules()) rule.check(plan, all);
    // The script mistakes that a checked config can still have.
    const RunScript script = runScriptOf(plan.config, plan.cluster);
    for (const LintRule& rule : lintRules())
        if (const std::string_view code = rule.code; code == "interval_never_reached" || code == "few_micro_batches")
            rule.check(script, all);
    return all;
}

}  // namespace slipway
