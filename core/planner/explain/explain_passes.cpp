// Seconds of a step beside computing, tensor and data parallelism: the other axes, the optimizer, what is fixed.
#include "core/base/real.h"
#include "core/planner/explain/explain_parts.h"
#include "core/planner/forecast_basis.h"
#include "core/planner/memory/memory.h"
#include "core/planner/time/communication.h"
#include "core/planner/time/compute.h"

#include <cmath>
#include <limits>

namespace slipway {

namespace {

/// micro_batches * layers * seconds, less what other work hides of it.
Explanation exposedOfLayers(const Plan& plan, double figure, const char* layers, double numLayers,
                            const std::string& seconds, double layerSeconds, double sentBytes) {
    const double all = passesPerChunk(plan) * numLayers * layerSeconds, hidden = all - figure;
    Explanation e;
    e.figure = {"", figure, "s"};
    e.inputs = {{"micro_batches", passesPerChunk(plan), ""}, {layers, numLayers, ""}, {seconds, layerSeconds, "s"}};
    e.formula = std::string("micro_batches * ") + layers + " * " + seconds;
    if (std::fabs(hidden) > 1e-9 * all) {
        e.inputs.push_back({"hidden_seconds", hidden, "s"});
        e.formula += " - hidden_seconds";
    }
    e.inputs.push_back({"layer_bytes_sent", sentBytes, "B"});
    return e;
}

Explanation nothing(SourceText why) {
    Explanation e;
    e.figure = {"", 0, "s"};
    e.state(why);
    e.source = {"definition"_text};
    return e;
}

}  // namespace

double CriticalRank::computeSeconds(const TimeTable& t) const {
    return dense * t.dense.compute.total() + moe * t.moe.compute.total() + embedding * t.embedding.compute.total() +
           head * t.head.compute.total();
}

double passesPerChunk(const Plan& plan) {
    const ParallelLayout& p = plan.config.parallel;
    return real(plan.config.numMicroBatches()) / (p.pp > 1 && p.schedule == ScheduleKind::DualPipe ? 2 : 1);
}

CriticalRank criticalRank(const Plan& plan, const TimeTable& table) {
    const RunConfig& c = plan.config;
    const ParallelLayout& p = c.parallel;
    const std::vector<StageRange> ranges = stageRanges(c);
    const std::int64_t chunks = p.pp > 1 ? chunksPerRank(p.schedule, p.virtualStages) : 1;
    CriticalRank nearest;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t rank = 0; rank < p.pp; ++rank) {
        CriticalRank found;
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            const auto stage = static_cast<std::size_t>(p.pp > 1 ? stageOf(p.schedule, p.pp, rank, chunk) : 0);
            const double dense = real(denseLayers(c.model, ranges[stage]));
            found.dense += dense;
            found.moe += real(ranges[stage].count) - dense;
            found.embedding += stage == 0 ? 1 : 0;
            found.head += stage + 1 == ranges.size() ? 1 : 0;
        }
        const double off = std::fabs(found.computeSeconds(table) * passesPerChunk(plan) - plan.step.computeSeconds);
        if (off < least) {
            least = off;
            nearest = found;
        }
    }
    return nearest;
}

Explanation explainCpSeconds(const Plan& plan) {
    if (plan.config.parallel.cp == 1) return nothing("0: parallel.cp is 1"_text);
    const TimeTable t = makeTimeTable(plan.config, plan.cluster);
    const CriticalRank c = criticalRank(plan, t);
    const PassTraffic traffic = cpLayerTraffic(plan.config);
    Explanation e = exposedOfLayers(plan, plan.step.cpExposedSeconds, "rank_layers", c.dense + c.moe,
                                    "layer_cp_seconds", (t.dense.cpForwardSeconds + t.dense.cpBackwardSeconds),
                                    traffic.forward.sentBytes() + traffic.backward.sentBytes());
    e.source = {
        plan.config.parallel.cpKind == CpKind::Ring
            ? "keys and values pass every rank; the exchange runs beside the attention, which hides up to half of the pass: ring "
              "attention, Liu 2023, arXiv 2310.01889"_text
        : plan.config.parallel.cpKind == CpKind::Ulysses
            ? "four all-to-alls a layer and direction: DeepSpeed-Ulysses, Jacobs 2023, arXiv 2309.14509"_text
            : "keys and values are gathered, their gradients scattered: Llama 3, arXiv 2407.21783, sec. 3.3.2"_text};
    return e;
}

Explanation explainEpSeconds(const Plan& plan) {
    if (!plan.config.model.moe) return nothing("0: the model has no experts"_text);
    if (plan.config.parallel.ep * plan.config.parallel.etp == 1)
        return nothing("0: parallel.ep is 1, so every rank has all experts"_text);
    const TimeTable t = makeTimeTable(plan.config, plan.cluster);
    const PassTraffic traffic = epLayerTraffic(plan.config);
    Explanation e = exposedOfLayers(plan, plan.step.epExposedSeconds, "rank_moe_layers", criticalRank(plan, t).moe,
                                    "layer_ep_seconds", (t.moe.epForwardSeconds + t.moe.epBackwardSeconds),
                                    traffic.forward.sentBytes() + traffic.backward.sentBytes());
    e.source = {
        "tokens go to their experts and back, forward and backward: all-to-all, Lepikhin 2020 (GShard), arXiv 2006.16668, sec. 3.2"_text};
    return e;
}

Explanation explainPpSeconds(const Plan& plan) {
    const TimeTable t = makeTimeTable(plan.config, plan.cluster);
    const double figure = plan.step.ppExposedSeconds;
    if (plan.config.parallel.pp == 1 && figure == 0) return nothing("0: one stage sends nothing"_text);
    const double slots = real(plan.config.numMicroBatches() + plan.config.parallel.pp - 1);
    const double slot = t.slotSeconds, rest = figure - slots * slot;
    Explanation e;
    e.figure = {"", figure, "s"};
    e.inputs = {{plan.cluster.stack ? "wait_seconds" : "transfer_wait_seconds", rest, "s"}};
    e.formula = e.inputs.front().name;
    if (slot > 0) {
        e.inputs.push_back({"slots", slots, ""});
        e.inputs.push_back({"slot_seconds", slot, "s"});
        e.formula += " + slots * slot_seconds";
    }
    e.inputs.push_back({"pipeline_message_bytes", t.messageBytes, "B"});
    e.inputs.push_back({"transfer_seconds", t.transferSeconds, "s"});
    e.source = {plan.cluster.stack
                    ? "announcements of messages in each slot of the schedule, and where the network of the calibrated "
                      "software stack stalls (docs/validation.md)"_text
                    : "length of the schedule, played pass by pass, with transfers less its length without them"_text};
    return e;
}

Explanation explainOptimizerSeconds(const Plan& plan) {
    const RunConfig& c = plan.config;
    const TimeTable t = makeTimeTable(c, plan.cluster);
    const ShardRanks ranks = shardRanks(c.parallel);
    RankShare longest;
    double most = -1;
    for (std::int64_t rank = 0; rank < c.parallel.pp; ++rank) {
        const RankShare share = rankShare(c, rank);
        const double seconds = optimizerSeconds(c, t.speed, share);
        if (seconds > most) {
            most = seconds;
            longest = share;
        }
    }
    const TimeConstants& constants = t.speed.constants;
    const double bandwidth = t.speed.memoryBytesPerSecond * constants.memoryEfficiency;
    const double shard = c.parallel.zeroStage >= 1
                             ? (longest.parameters - longest.experts) / ranks.dense + longest.experts / ranks.experts
                             : longest.parameters;
    const double update =
        plan.step.optimizerSeconds - longest.parameters * constants.gradientBytesPerParameter / bandwidth;
    Explanation e;
    e.figure = {"", plan.step.optimizerSeconds, "s"};
    e.inputs = {{"update_seconds", update, "s"},
                {"rank_parameters", longest.parameters, ""},
                {"gradient_pass_bytes_per_parameter", constants.gradientBytesPerParameter, "B"},
                {"usable_memory_bytes_per_second", bandwidth, "B/s"},
                {"rank_shard_parameters", shard, ""},
                {"update_bytes_per_shard_parameter", update * bandwidth / shard, "B"}};
    e.formula = "update_seconds + rank_parameters * gradient_pass_bytes_per_parameter / usable_memory_bytes_per_second";
    e.source = {
        "the update reads and writes gradients, moments and weights of the rank's shard at the memory's usable bandwidth"_text,
        "norm, clipping and clearing pass over all of its gradients"_text};
    if (c.optimizer.kind == OptimizerKind::Muon)
        e.source.emplace_back("Muon's products are in update_seconds (Jordan et al. 2024)"_text);
    if (offloadsOptimizer(c.parallel.offload))
        e.source.emplace_back(
            "offloaded, update_seconds are the copies to the host and back and the update there: ZeRO-Offload, Ren 2021, "
            "arXiv 2101.06840"_text);
    return e;
}

Explanation explainFixedSeconds(const Plan& plan) {
    const TimeTable t = makeTimeTable(plan.config, plan.cluster);
    Explanation e;
    e.figure = {"", plan.step.fixedSeconds, "s"};
    e.inputs = {{"seconds_per_step", t.speed.constants.stepFixedSeconds, "s"}};
    e.formula = "seconds_per_step";
    e.source = {"data, logging and synchronisation once a step"_text, basisText(t.label)};
    return e;
}

Explanation explainCommSeconds(const Plan& plan) {
    const TimeTable t = makeTimeTable(plan.config, plan.cluster);
    Explanation e;
    e.figure = {"", plan.step.commSeconds, "s"};
    e.inputs = {{"comm_bytes", plan.step.commBytes, "B"},
                {"num_micro_batches", real(plan.config.numMicroBatches()), ""},
                {"layer_tp_seconds", t.dense.tpForwardSeconds + t.dense.tpBackwardSeconds, "s"},
                {"layer_cp_seconds", t.dense.cpForwardSeconds + t.dense.cpBackwardSeconds, "s"},
                {"layer_ep_seconds", t.moe.epForwardSeconds + t.moe.epBackwardSeconds, "s"}};
    e.state(
        "sum over all collectives of a step, hidden or not, of hops * latency + sent bytes / bandwidth; mean over the "
        "pipeline ranks"_text);
    e.source = {"alpha-beta model of ring algorithms: Thakur 2005, Int. J. High Perform. Comput. Appl. 19(1)"_text,
                "messages between stages run beside the passes and have no seconds here"_text};
    return e;
}

}  // namespace slipway
