// The accounts of a step, each written once: with double they yield the figures of plan and search, with Term the
// formulas of the explanations. For step.cpp.
#pragma once

#include "core/base/real.h"
#include "core/planner/memory/graph_passes.h"
#include "core/planner/time/communication.h"
#include "core/planner/time/repeated_passes.h"
#include "core/planner/time/share_seconds.h"
#include "core/planner/time/step.h"

#include <utility>

namespace slipway {

/// Ring exchange overlaps the attention of the current block (trainer/parallel/context_attention.h); the rest is
/// exposed, and the message that returns the sums always is.
template <class Number>
Number ringExposed(const Number& seconds, const Number& homeSeconds, const Number& computeSeconds) {
    return larger(homeSeconds, seconds - 0.5 * computeSeconds);
}

/// Layers and ends of a pipeline rank.
struct HeldLayers {
    double dense = 0, moe = 0;
    bool embedding = false, head = false;
    HeldLayers(const ModelSpec& model, const Pipeline& pipeline, std::int64_t rank) {
        for (std::int64_t chunk = 0; chunk < pipeline.shape.numChunks(); ++chunk) {
            const auto stage = static_cast<std::size_t>(pipeline.shape.stageOf(rank, chunk));
            const std::int64_t numDense = denseLayers(model, pipeline.ranges[stage]);
            dense += real(numDense);
            moe += real(pipeline.ranges[stage].count - numDense);
            embedding |= stage == 0;
            head |= stage + 1 == pipeline.ranges.size();
        }
    }
    /// Seconds of one micro-batch, from the seconds of a layer of either kind and of the ends.
    template <class Number, class Of>
    Number seconds(const TimeTable& table, std::string_view layerName, std::string_view moeLayerName,
                   std::string_view embeddingName, std::string_view headName, Of of) const {
        Number sum{};
        if (dense > 0)
            sum += quantity<Number>("rank_layers", dense) * quantity<Number>(layerName, of(table.dense), "s");
        if (moe > 0)
            sum += quantity<Number>("rank_moe_layers", moe) * quantity<Number>(moeLayerName, of(table.moe), "s");
        if (embedding && !embeddingName.empty()) sum += quantity<Number>(embeddingName, of(table.embedding), "s");
        if (head && !headName.empty()) sum += quantity<Number>(headName, of(table.head), "s");
        return sum;
    }
};

inline double passSeconds(const StageSeconds& s) {
    return s.forward + s.backwardInput + s.backwardWeight;
}

/// Exposed exchange of context parallelism, all micro-batches.
template <class Number>
Number cpSeconds(const Pipeline& pipeline, const TimeTable& table, const PassPart& part, const HeldLayers& held,
                 const Number& times, std::int64_t rank) {
    if (!table.ringExchange)
        return times *
               held.seconds<Number>(table, "layer_cp_seconds", "layer_cp_seconds", {}, {},
                                    [](const PassCosts& c) { return c.cpForwardSeconds + c.cpBackwardSeconds; });
    Number sum{};
    for (std::int64_t chunk = 0; chunk < pipeline.shape.numChunks(); ++chunk) {
        const std::int64_t stage = pipeline.shape.stageOf(rank, chunk);
        const PassCosts& c = part.stages[static_cast<std::size_t>(stage)];
        const auto of = [&](std::string_view name, double seconds) {
            return quantity<Number>(name, seconds, "s", pipeline.shape.numChunks() > 1 ? stage : -1);
        };
        sum += times *
               (ringExposed(of("ring_forward_seconds", c.cpForwardSeconds), Number{},
                            of("forward_compute_seconds", c.compute.forward)) +
                ringExposed(of("ring_backward_seconds", c.cpBackwardSeconds), of("ring_home_seconds", c.cpHomeSeconds),
                            of("backward_compute_seconds", c.compute.backwardInput)));
    }
    return sum;
}

/// Parts of the passes of a pipeline rank, from partitioned stages and a schedule of known length.
template <class Number>
StepParts<Number> passParts(const RunConfig& config, const Pipeline& pipeline, const TimeTable& table,
                            const PassPart& part, std::int64_t rank) {
    const PipelineShape& shape = pipeline.shape;
    const Number times = quantity<Number>("micro_batches", shape.microBatchesPerChunk());
    const HeldLayers held(config.model, pipeline, rank);
    Number passes{};
    for (std::int64_t chunk = 0; chunk < shape.numChunks(); ++chunk) {
        const std::int64_t stage = shape.stageOf(rank, chunk);
        passes += times * quantity<Number>("pass_seconds", passSeconds(part.seconds[static_cast<std::size_t>(stage)]),
                                           "s", shape.numChunks() > 1 ? stage : -1);
    }
    passes = as(passes, "rank_pass_seconds", "s");
    const Number busy =
        part.busySeconds.empty()
            ? passes
            : quantity<Number>("simulated_pass_seconds", part.busySeconds[static_cast<std::size_t>(rank)], "s");
    StepParts<Number> e;
    e.rank = rank;
    e.compute = times * held.seconds<Number>(table, "layer_seconds", "moe_layer_seconds", "embedding_seconds",
                                             "head_seconds", [](const PassCosts& c) { return c.compute.total(); });
    e.tp = times * held.seconds<Number>(table, "layer_tp_seconds", "moe_layer_tp_seconds", "embedding_tp_seconds",
                                        "head_tp_seconds", [](const PassCosts& c) { return c.tpExposedSeconds(); });
    if (config.parallel.cp > 1) e.cp = cpSeconds<Number>(pipeline, table, part, held, times, rank);
    if (held.moe > 0)
        e.ep = times *
               (quantity<Number>("rank_moe_layers", held.moe) *
                quantity<Number>("layer_ep_seconds", table.moe.epForwardSeconds + table.moe.epBackwardSeconds, "s"));
    if (!part.busySeconds.empty()) {  // time hidden by overlapping pairs, each axis in proportion
        const Number hidden = passes - busy, exposed = as(e.tp + e.cp + e.ep, "collective_seconds", "s");
        if (hidden > 0.0 && exposed > 0.0) {
            const Number share = as(larger(0.0, 1.0 - hidden / exposed), "exposed_share");
            for (Number* axis : {&e.tp, &e.cp, &e.ep}) *axis *= share;
        }
    }
    if (shape.pp == 1) return e;
    const Number whole = quantity<Number>("schedule_seconds", part.scheduleSeconds, "s");
    const Number free = quantity<Number>("free_schedule_seconds", part.freeScheduleSeconds, "s");
    e.pp = larger(0.0, whole - free);
    e.bubble = larger(0.0, free - busy);
    e.bubbleSimulated = 1.0 - quantity<Number>("ranks_pass_seconds", part.ranksBusySeconds, "s") /
                                  (whole * quantity<Number>("parallel.pp", real(shape.pp)));
    return e;
}

/// Wait for messages of one of a rank's chunks, in a step of a waiting run, times its chunks.
inline double waitSecondsOfRank(const RunConfig& config, double secondsOfChunk) {
    const ParallelLayout& p = config.parallel;
    return secondsOfChunk * (p.pp > 1 ? real(chunksPerRank(p.schedule, p.virtualStages)) : 1);
}

/// Adds the effect of offload and CUDA graphs on the computing.
template <class Number>
void finishCompute(const RunConfig& config, const TimeTable& table, const PassPart& part, StepParts<Number>& e) {
    if (offloadsActivations(config.parallel.offload))
        e.compute += quantity<Number>("host_wait_seconds", part.hostWaitSeconds, "s");
    if (const double repeated = table.graphSavedSeconds > 0 ? repeatedMicroBatches(config) : 0; repeated > 0) {
        Number saved{};
        if constexpr (std::is_same_v<Number, Term>)
            saved = graphSavedSeconds<Term>(config, table.speed);
        else
            saved = table.graphSavedSeconds;
        e.compute -= as(quantity<Number>("repeated_micro_batches", repeated) * saved, "step.graph_saved_seconds", "s");
    }
    e.compute = as(e.compute, "step.compute_seconds", "s");
}

/// Adds the cost of ZeRO and optimizer, and fixed costs.
/// @param shares of all pipeline ranks
/// @param rank the rank to account for; without one, each part's slowest
/// @param computeSeconds of the busiest rank, under which gathered weights hide
/// @param sameAsBefore true for a rank with the same contents and costs as the one before it
template <class Number, class SameAsBefore>
void finishParts(const RunConfig& config, const std::vector<RankShare>& shares, const TimeTable& table,
                 const PassPart& part, std::optional<std::int64_t> rank, const Number& computeSeconds,
                 SameAsBefore sameAsBefore, StepParts<Number>& e) {
    double bytes = 0, seconds = 0, allBytes = 0, allSeconds = 0;
    for (std::size_t at = 0; at < shares.size(); ++at) {
        const auto place = static_cast<std::int64_t>(at);
        if (!sameAsBefore(at) || rank == place) {
            const StepTraffic traffic = dpTraffic(config, shares[at]);
            bytes = 0;
            eachStepTraffic(traffic, [&](StepPart, TrafficGroup, const Traffic& sent) { bytes += sent.sentBytes(); });
            seconds = stepSeconds(StepPart::Gradients, traffic, table) +
                      stepSeconds(StepPart::Weights, traffic, table) + stepSeconds(StepPart::Other, traffic, table);
            const auto keepSlowest = [&](Number& most, std::int64_t& of, Number one) {
                if (rank ? rank != place : !(one > most)) return;
                most = std::move(one);
                of = place;
            };
            keepSlowest(
                e.dp, e.dpRank,
                shareSeconds<Number>(config, traffic, table)
                    .exposed(quantity<Number>("backward_seconds", part.windowSeconds[at], "s"), computeSeconds));
            keepSlowest(e.optimizer, e.optimizerRank, optimizerSeconds<Number>(config, table.speed, shares[at]));
        }
        allBytes += bytes;
        allSeconds += seconds;
    }
    // Over all axes, mean over pipeline ranks.
    const Number ranks = quantity<Number>("parallel.pp", real(config.parallel.pp));
    e.commBytes = (quantity<Number>("pass_bytes_sent", part.commBytes, "B") +
                   quantity<Number>("step_bytes_sent", allBytes, "B")) /
                  ranks;
    e.commSeconds = (quantity<Number>("pass_collective_seconds", part.commSeconds, "s") +
                     quantity<Number>("step_collective_seconds", allSeconds, "s")) /
                    ranks;
    if (table.slotSeconds > 0)
        e.pp += quantity<Number>("slots", real(config.numMicroBatches() + config.parallel.pp - 1)) *
                quantity<Number>("slot_seconds", table.slotSeconds, "s");
    if (const double wait = waitSecondsOfRank(config, table.likelyWaitSeconds()); wait > 0)
        e.pp += quantity<Number>("wait_seconds", wait, "s");
    e.fixed = quantity<Number>("seconds_per_step", table.speed.constants.stepFixedSeconds, "s");
    e.step = {};
    StepParts<Number>::eachOf(e, [&](std::string_view name, Number& one) {
        if (&one != &e.compute) one = as(one, name, "s");
        e.step += one;
    });
}

}  // namespace slipway
