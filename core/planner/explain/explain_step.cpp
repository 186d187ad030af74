// Seconds of a step and its traffic: formulas are read from the accounts (time/step_account.h), here are their sources
// and related facts.
#include "core/base/real.h"
#include "core/planner/explain/explain_parts.h"
#include "core/planner/memory/memory.h"
#include "core/planner/stack/forecast_basis.h"
#include "core/planner/time/communication.h"
#include "core/planner/time/compute.h"
#include "core/planner/time/step.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slipway {

Explanation explanationOf(const Term& term, std::vector<Message> source) {
    Explanation e;
    e.figure = {"", term.value(), term.unit()};
    e.formula = term.formula();
    for (const Term& operand : term.operands()) e.inputs.push_back({operand.name(), operand.value(), operand.unit()});
    e.source = std::move(source);
    return e;
}

namespace {

/// 0, with the reason.
Explanation nothing(SourceText why, Message source = "definition"_text) {
    Explanation e;
    e.figure = {"", 0, "s"};
    e.state(why);
    e.source = {std::move(source)};
    return e;
}

/// Adds the rank of a part, of several ranks.
void tellRank(const Plan& plan, std::int64_t rank, Explanation& e) {
    if (plan.config.parallel.pp > 1) e.source.emplace_back("largest over the pipeline ranks, here rank %1"_text(rank));
}

/// Traffic with its links.
using Carried = std::vector<std::pair<Traffic, GroupLink>>;

/// Adds the cluster's curves used by these operations, or the reason for not using them.
void tellCurves(const Plan& plan, const Carried& all, std::vector<Message>& source) {
    if (plan.cluster.commCurves.empty()) return;
    std::vector<std::string> told;
    for (const auto& [traffic, link] : all)
        for (const Operation& o : traffic.operations) {
            const auto sentence = curveSentence(link, o.kind, o.ranks);
            if (!sentence || std::find(told.begin(), told.end(), textOf(*sentence)) != told.end()) continue;
            told.push_back(textOf(*sentence));
            source.push_back(*sentence);
        }
}

/// The link of the first of these operations.
LinkSpec linkFor(const Carried& sent) {
    if (sent.empty()) return {};
    const auto& [traffic, link] = sent.front();
    const Operation* first = traffic.operations.begin();
    return traffic.operations.size() == 0 ? LinkSpec(link) : link.of(first->kind, first->ranks);
}

double sentBytes(const PassTraffic& traffic) {
    return traffic.forward.sentBytes() + traffic.backward.sentBytes();
}

}  // namespace

Explanation explainStep(Ledger& ledger) {
    const StepEstimate& s = ledger.plan().step;
    Explanation e = explanationOf(ledger.step().step,
                                  {"parts of the busiest pipeline rank, %1 efficiencies"_text(basisText(s.label))});
    e.figure.unit = "s";
    e.interval = {{s.stepSecondsLow, s.stepSecondsHigh}};
    return e;
}

Explanation explainBubbleSimulated(Ledger& ledger) {
    if (ledger.plan().config.parallel.pp == 1) {
        Explanation e = nothing("0: one stage has nothing to wait for"_text);
        e.figure.unit.clear();
        return e;
    }
    return explanationOf(
        ledger.step().bubbleSimulated,
        {"the schedule simulated pass by pass with this plan's unequal stages and transfers; the drawing shows it"_text});
}

Explanation explainCommBytes(Ledger& ledger) {
    Explanation e = explanationOf(
        ledger.step().commBytes,
        {"sum over all collectives of a step of what one of n ranks sends: all-reduce 2 (n - 1) / n S, gather and "
         "scatter (n - 1) / n S, message S"_text,
         "ring algorithms: Patarasuk 2009, J. Parallel Distrib. Comput. 69(2); the trainer counts the same way"_text});
    e.figure.unit = "B";
    return e;
}

Explanation explainCommSeconds(Ledger& ledger) {
    Explanation e = explanationOf(
        ledger.step().commSeconds,
        {"sum over all collectives of a step, hidden or not, of hops * latency + sent bytes / bandwidth; mean over the "
         "pipeline ranks"_text,
         "alpha-beta model of ring algorithms: Thakur 2005, Int. J. High Perform. Comput. Appl. 19(1)"_text,
         "messages between stages overlap the passes and have no seconds here"_text});
    e.figure.unit = "s";
    return e;
}

Explanation explainComputeSeconds(Ledger& ledger) {
    const Plan& plan = ledger.plan();
    const TimeTable t = makeTimeTable(plan.config, plan.cluster);
    Explanation e = explanationOf(
        ledger.step().compute,
        {"a layer: FLOPs over the reachable peak, elementwise bytes over the reachable bandwidth (roofline, Williams "
         "2009, CACM 52(4))"_text,
         "%1 efficiencies"_text(basisText(t.label))});
    e.inputs.insert(e.inputs.end(), {{"rank_peak_flops", t.speed.peakFlops, "FLOP/s"},
                                     {"gemm_efficiency", t.speed.constants.gemmEfficiency, ""},
                                     {"attention_efficiency", t.speed.constants.attentionEfficiency, ""},
                                     {"rank_memory_bytes_per_second", t.speed.memoryBytesPerSecond, "B/s"},
                                     {"memory_efficiency", t.speed.constants.memoryEfficiency, ""}});
    if (std::isfinite(t.speed.elementwiseBytesPerSecond))
        e.inputs.push_back({"rank_elementwise_bytes_per_second", t.speed.elementwiseBytesPerSecond, "B/s"});
    if (!offloadsActivations(plan.config.parallel.offload)) return e;
    e.inputs.push_back({"host_link_bytes_per_second", kHostLinkBytesPerSecond, "B/s"});
    e.source.emplace_back(
        "exposed time of the copies of activations to the host and back: vDNN, Rhu 2016, arXiv "
        "1602.08124, sec. 3.2"_text);
    return e;
}

Explanation explainGraphSavedSeconds(Ledger& ledger) {
    const Plan& plan = ledger.plan();
    const auto saved = ledger.part("step.graph_saved_seconds");
    if (!saved)
        return nothing(plan.config.train.cudaGraphs ? "0: the bundled trainer captures no graph of this layout"_text
                                                    : "0: train.cuda_graphs is off"_text,
                       "the bundled trainer (trainer/pipeline/micro_batch_graph.h)"_text);
    return explanationOf(
        saved->term,
        {"micro-batches between the first and the last are one launch each, so a kernel shorter than its launch takes its own time "
         "(Gray, Getting Started with CUDA Graphs, NVIDIA 2019: 0.5 us from kernel to kernel)"_text});
}

Explanation explainTpSeconds(Ledger& ledger) {
    const Plan& plan = ledger.plan();
    const TimeTable t = makeTimeTable(plan.config, plan.cluster);
    Carried layer;  // forward, backward
    eachPassTraffic(plan.config, [&](PassPlace place, TrafficGroup group, const PassTraffic& traffic) {
        if (place > PassPlace::MoeLayer || group != TrafficGroup::Tp || !layer.empty()) return;
        layer = {{traffic.forward, t.link(group)}, {traffic.backward, t.link(group)}};
    });
    Explanation e = explanationOf(
        ledger.step().tp,
        {"per collective hops * latency + sent bytes / bandwidth"_text,
         "operations of a layer: Shoeybi 2019, arXiv 1909.08053, sec. 3; with sequence parallelism Korthikanti 2022, "
         "arXiv 2205.05198, sec. 4.2.2"_text});
    const LinkSpec link = linkFor(layer);
    e.inputs.push_back({"tp_latency_seconds", link.latencySeconds, "s"});
    e.inputs.push_back({"tp_bytes_per_second", link.bytesPerSecond, "B/s"});
    tellCurves(plan, layer, e.source);
    if (t.tpLink.wakeSeconds > 0) {
        e.inputs.push_back({"tp_wake_seconds", t.tpLink.wakeSeconds, "s"});
        e.source.emplace_back(
            "the latency includes the wait for each further rank's core: tp_wake_seconds per collective"_text);
    }
    if (!plan.config.parallel.asyncTp) return e;
    const PassCosts& c = plan.config.model.moe ? t.moe : t.dense;
    e.inputs.push_back(
        {"layer_tp_hidden_seconds", c.tpForwardSeconds + c.tpBackwardSeconds - c.tpExposedSeconds(), "s"});
    e.source.emplace_back(
        "overlapped with (tp - 1) / tp of the products, already subtracted: Wang 2022, doi 10.1145/3567955.3567959, "
        "sec. 3"_text);
    return e;
}

Explanation explainCpSeconds(Ledger& ledger) {
    const RunConfig& c = ledger.plan().config;
    if (c.parallel.cp == 1) return nothing("0: parallel.cp is 1"_text);
    Explanation e = explanationOf(
        ledger.step().cp,
        {c.parallel.cpKind == CpKind::Ring
             ? "keys and values pass every rank; the exchange overlaps the attention, which hides up to half of the pass: ring "
               "attention, Liu 2023, arXiv 2310.01889"_text
         : c.parallel.cpKind == CpKind::Ulysses
             ? "four all-to-alls a layer and direction: DeepSpeed-Ulysses, Jacobs 2023, arXiv 2309.14509"_text
             : "keys and values are gathered, their gradients scattered: Llama 3, arXiv 2407.21783, sec. 3.3.2"_text});
    e.inputs.push_back({"layer_bytes_sent", sentBytes(cpLayerTraffic(c)), "B"});
    return e;
}

Explanation explainEpSeconds(Ledger& ledger) {
    const RunConfig& c = ledger.plan().config;
    if (!c.model.moe) return nothing("0: the model has no experts"_text);
    if (c.parallel.ep * c.parallel.etp == 1) return nothing("0: parallel.ep is 1, so every rank has all experts"_text);
    const Term& ep = ledger.step().ep;
    if (!ep.isComputed()) return nothing("0: the rank holds no layer with experts"_text);
    Explanation e = explanationOf(
        ep,
        {"tokens go to their experts and back, forward and backward: all-to-all, Lepikhin 2020 (GShard), arXiv 2006.16668, sec. 3.2"_text});
    e.inputs.push_back({"layer_bytes_sent", sentBytes(epLayerTraffic(c)), "B"});
    return e;
}

Explanation explainPpSeconds(Ledger& ledger) {
    const Plan& plan = ledger.plan();
    const Term& pp = ledger.step().pp;
    if (!pp.isComputed()) return nothing("0: one stage sends nothing"_text);
    const TimeTable t = makeTimeTable(plan.config, plan.cluster);
    Explanation e = explanationOf(
        pp, {"length of the schedule, simulated pass by pass, with transfers less its length without them"_text});
    if (plan.cluster.stack)
        e.source.emplace_back(
            "announcements of messages in each slot of the schedule, and where the network of the calibrated "
            "software stack stalls (docs/validation.md)"_text);
    e.inputs.push_back({"pipeline_message_bytes", t.messageBytes, "B"});
    e.inputs.push_back({"transfer_seconds", t.transferSeconds, "s"});
    return e;
}

Explanation explainBubbleSeconds(Ledger& ledger) {
    const Term& bubble = ledger.step().bubble;
    if (!bubble.isComputed()) return nothing("0: one stage has nothing to wait for"_text);
    return explanationOf(
        bubble,
        {"length of the schedule, simulated pass by pass with free transfers, less the passes of the busiest rank"_text});
}

Explanation explainDpSeconds(Ledger& ledger) {
    const RunConfig& c = ledger.plan().config;
    const StepParts<Term>& step = ledger.step();
    if (!step.dp.isComputed()) return nothing("0: no other rank has gradients or weights to exchange"_text);
    const TimeTable t = makeTimeTable(c, ledger.plan().cluster);
    Carried sent;
    double gradientBytes = 0;
    eachStepTraffic(dpTraffic(c, rankShare(c, step.dpRank)),
                    [&](StepPart part, TrafficGroup group, const Traffic& one) {
                        if (part != StepPart::Other && one.operations.size() > 0) sent.emplace_back(one, t.link(group));
                        if (part == StepPart::Gradients) gradientBytes += one.sentBytes();
                    });
    Explanation e = explanationOf(
        step.dp,
        {!t.overlapIsFree ? "nothing hides gradients and weights: no core is idle to send them during the passes"_text
         : c.parallel.zeroStage < 2
             ? "the backward pass of the last micro-batch hides gradient_seconds, all but the last bucket; weights follow the optimizer"_text
         : c.parallel.zeroStage == 2
             ? "backward passes hide gradient_seconds, each micro-batch its own, all but the last bucket; weights follow the optimizer"_text
             : "backward passes hide gradient_seconds, each micro-batch its own, all but the last bucket; the passes hide weight_seconds"_text,
         "bucketed overlap: Li 2020 (PyTorch DDP), arXiv 2006.15704, sec. 3.2.3"_text,
         "ZeRO traffic: arXiv 1910.02054, sec. 7"_text});
    if (c.parallel.zeroStage >= 2 && c.train.device == DeviceKind::Cpu)
        e.source.emplace_back(
            "ZeRO-2 and 3 send one message for each block, the final norm and each table in every pass"_text);
    const LinkSpec link = linkFor(sent);
    e.inputs.push_back({"gradient_bytes_sent", gradientBytes, "B"});
    e.inputs.push_back({"dp_latency_seconds", link.latencySeconds, "s"});
    e.inputs.push_back({"dp_bytes_per_second", link.bytesPerSecond, "B/s"});
    tellCurves(ledger.plan(), sent, e.source);
    tellRank(ledger.plan(), step.dpRank, e);
    return e;
}

Explanation explainOptimizerSeconds(Ledger& ledger) {
    const RunConfig& c = ledger.plan().config;
    Explanation e = explanationOf(
        ledger.step().optimizer,
        {"the update reads and writes gradients, moments and weights of the rank's shard at the memory's usable bandwidth"_text,
         "norm, clipping and clearing pass over all of its gradients"_text});
    if (c.optimizer.kind == OptimizerKind::Muon)
        e.source.emplace_back("Muon's products are in the update (Jordan et al. 2024)"_text);
    if (offloadsOptimizer(c.parallel.offload))
        e.source.emplace_back(
            "offloaded, gradients go to the host, which updates, and weights come back: ZeRO-Offload, Ren 2021, arXiv "
            "2101.06840"_text);
    tellRank(ledger.plan(), ledger.step().optimizerRank, e);
    return e;
}

Explanation explainFixedSeconds(Ledger& ledger) {
    return explanationOf(ledger.step().fixed,
                         {"data, logging and synchronisation once a step"_text, basisText(ledger.plan().step.label)});
}

}  // namespace slipway
