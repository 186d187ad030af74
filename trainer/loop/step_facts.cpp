#include "trainer/loop/step_facts.h"

#include "trainer/telemetry/tensor_memory.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace slipway::trainer {

std::array<double, StepFacts::kNumFields> StepFacts::pack() const {
    return {stepSeconds,
            forwardSeconds,
            backwardSeconds,
            optimizerSeconds,
            dataSeconds,
            busySeconds,
            firstPass,
            lastPass,
            commBytes,
            commSeconds,
            commExposedSeconds,
            pipelineWaitSeconds,
            tensorPeakBytes,
            rssBytes,
            stop,
            failure,
            checkpointWritten,
            deviceClockHertz,
            devicePowerWatts,
            deviceTemperatureCelsius,
            deviceMemoryUsedBytes,
            deviceThrottled,
            reservedPeakBytes,
            allocatorRetries,
            tpExposedSeconds,
            cpExposedSeconds,
            dpExposedSeconds,
            epExposedSeconds,
            worldExposedSeconds,
            updateExposedSeconds,
            edgeExposedSeconds};
}

StepFacts StepFacts::unpack(const double* f) {
    return {f[0],  f[1],  f[2],  f[3],  f[4],  f[5],  f[6],  f[7],  f[8],  f[9],  f[10],
            f[11], f[12], f[13], f[14], f[15], f[16], f[17], f[18], f[19], f[20], f[21],
            f[22], f[23], f[24], f[25], f[26], f[27], f[28], f[29], f[30]};
}

CommTotals CommTotals::of(const ProcessMesh& mesh) {
    CommTotals totals;
    const auto add = [&](const std::unique_ptr<ProcessGroup>& group, double CommTotals::*exposed) {
        if (group == nullptr) return;
        const CommCounters counters = group->counters();
        totals.bytes += counters.bytes;
        totals.seconds += counters.seconds;
        totals.*exposed += counters.exposedSeconds;
    };
    add(mesh.tp, &CommTotals::tpExposedSeconds);
    add(mesh.cp, &CommTotals::cpExposedSeconds);
    for (const auto* group : {&mesh.dp, &mesh.dpShard, &mesh.dpReplica, &mesh.tied, &mesh.edp})
        add(*group, &CommTotals::dpExposedSeconds);
    for (const auto* group : {&mesh.experts, &mesh.etp}) add(*group, &CommTotals::epExposedSeconds);
    totals.worldExposedSeconds = mesh.world->counters().exposedSeconds;
    const CommCounters pipeline = mesh.pp->counters();
    totals.bytes += pipeline.bytes;
    totals.pipelineWaitSeconds = pipeline.exposedSeconds;
    return totals;
}

void addCommunication(StepFacts& facts, const CommTotals& before, const CommTotals& after) {
    facts.commBytes = after.bytes - before.bytes;
    facts.commSeconds = after.seconds - before.seconds;
    facts.commExposedSeconds = after.exposedSeconds() - before.exposedSeconds();
    facts.pipelineWaitSeconds = after.pipelineWaitSeconds - before.pipelineWaitSeconds;
    facts.tpExposedSeconds = after.tpExposedSeconds - before.tpExposedSeconds;
    facts.cpExposedSeconds = after.cpExposedSeconds - before.cpExposedSeconds;
    facts.dpExposedSeconds = after.dpExposedSeconds - before.dpExposedSeconds;
    facts.epExposedSeconds = after.epExposedSeconds - before.epExposedSeconds;
    facts.worldExposedSeconds = after.worldExposedSeconds - before.worldExposedSeconds;
}

void addLateWaits(StepFacts& facts, const CommTotals& before, const CommTotals& beforeUpdate, double edge) {
    facts.updateExposedSeconds = facts.commExposedSeconds + facts.worldExposedSeconds -
                                 (beforeUpdate.exposedSeconds() - before.exposedSeconds()) -
                                 (beforeUpdate.worldExposedSeconds - before.worldExposedSeconds);
    facts.edgeExposedSeconds = std::min(beforeUpdate.dpExposedSeconds - before.dpExposedSeconds, edge);
}

void addSpans(StepFacts& facts, const std::vector<Span>& spans, double offset) {
    facts.firstPass = std::numeric_limits<double>::max();
    for (const Span& span : spans) {
        const double seconds = span.endSeconds - span.startSeconds;
        const bool forward = span.kind == ActionKind::Forward;
        const bool backward = span.kind == ActionKind::BackwardFull || span.kind == ActionKind::BackwardInput ||
                              span.kind == ActionKind::BackwardWeight;
        if (!forward && !backward) continue;
        (forward ? facts.forwardSeconds : facts.backwardSeconds) += seconds;
        facts.busySeconds += seconds;
        facts.firstPass = std::min(facts.firstPass, offset + span.startSeconds);
        facts.lastPass = std::max(facts.lastPass, offset + span.endSeconds);
    }
}

void addDevice(StepFacts& facts, const DeviceSample& sample) {
    facts.deviceClockHertz = sample.clockHertz;
    facts.devicePowerWatts = sample.powerWatts;
    facts.deviceTemperatureCelsius = sample.temperatureCelsius;
    facts.deviceMemoryUsedBytes = sample.memoryUsedBytes;
    facts.deviceThrottled = throttleWords(sample.throttleReasons).empty() ? 0 : 1;
}

void addMemory(StepFacts& facts, const DeviceMemory& memory) {
    facts.tensorPeakBytes = static_cast<double>(memory.peakBytes());
    facts.rssBytes = static_cast<double>(residentBytes());
    const auto known = [](std::optional<std::int64_t> of) {
        return of ? static_cast<double>(*of) : StepFacts::kUnknown;
    };
    facts.reservedPeakBytes = known(memory.reservedPeakBytes());
    facts.allocatorRetries = known(memory.retries());
}

std::vector<StepFacts> gatherFacts(const StepFacts& mine, const ProcessMesh& mesh, at::Device device) {
    const auto fields = mine.pack();
    const auto count = static_cast<std::int64_t>(fields.size());
    at::Tensor part = at::empty({count}, at::kDouble);
    std::memcpy(part.mutable_data_ptr<double>(), fields.data(), sizeof fields);
    part = part.to(device);
    at::Tensor all = at::empty({count * mesh.world->size()}, part.options());
    mesh.world->allGather(all, part)->wait();
    all = all.cpu();
    std::vector<StepFacts> ranks;
    for (int rank = 0; rank < mesh.world->size(); ++rank)
        ranks.push_back(StepFacts::unpack(all.const_data_ptr<double>() + rank * count));
    return ranks;
}

double observedBubble(const std::vector<StepFacts>& ranks, const ParallelLayout& layout) {
    if (layout.pp <= 1) return 0;
    double sum = 0;
    std::int64_t pipelines = 0;
    for (std::int64_t rank = 0; rank < layout.worldSize(); ++rank) {
        const std::vector<std::int64_t> stages = layout.groupOf(Axis::Pp, rank);
        if (stages.front() != rank) continue;
        double first = std::numeric_limits<double>::max(), last = 0, busy = 0;
        for (const std::int64_t stage : stages) {
            const StepFacts& facts = ranks[static_cast<std::size_t>(stage)];
            first = std::min(first, facts.firstPass);
            last = std::max(last, facts.lastPass);
            busy += facts.busySeconds;
        }
        const double window = (last - first) * static_cast<double>(stages.size());
        sum += window > 0 ? 1.0 - busy / window : 0.0;
        ++pipelines;
    }
    return sum / static_cast<double>(pipelines);
}

double imbalance(const std::vector<StepFacts>& ranks, const ParallelLayout& layout) {
    const auto own = [&](std::size_t rank) { return ranks[rank].stepSeconds - ranks[rank].waitSeconds(); };
    std::vector<double> slowest(static_cast<std::size_t>(layout.pp), -std::numeric_limits<double>::max());
    const auto slowestOf = [&](std::size_t rank) -> double& {
        return slowest[static_cast<std::size_t>(layout.coordinates(static_cast<std::int64_t>(rank)).pp)];
    };
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) slowestOf(rank) = std::max(slowestOf(rank), own(rank));
    double sum = 0;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) sum += slowestOf(rank) - own(rank);
    return sum / static_cast<double>(ranks.size());
}

std::vector<std::pair<std::string, double>> factMetrics(const std::vector<StepFacts>& ranks,
                                                        const ParallelLayout& layout) {
    const auto mean = [&](double StepFacts::*field) {
        double sum = 0;
        for (const StepFacts& facts : ranks) sum += facts.*field;
        return sum / static_cast<double>(ranks.size());
    };
    const auto worst = [&](double StepFacts::*field) {
        double most = 0;
        for (const StepFacts& facts : ranks) most = std::max(most, facts.*field);
        return most;
    };
    std::vector<std::pair<std::string, double>> metrics{
        {"step_seconds", worst(&StepFacts::stepSeconds)},
        {"memory_peak_bytes", worst(&StepFacts::tensorPeakBytes)},
        {"memory_rss_bytes", worst(&StepFacts::rssBytes)},
        {"comm_bytes", mean(&StepFacts::commBytes)},
        {"comm_seconds", mean(&StepFacts::commSeconds)},
        {"comm_exposed_seconds", mean(&StepFacts::commExposedSeconds)},
        {"pipeline_wait_seconds", mean(&StepFacts::pipelineWaitSeconds)},
        {"forward_seconds", mean(&StepFacts::forwardSeconds)},
        {"backward_seconds", mean(&StepFacts::backwardSeconds)},
        {"optimizer_seconds", mean(&StepFacts::optimizerSeconds)},
        {"data_seconds", mean(&StepFacts::dataSeconds)},
        {"bubble_observed", observedBubble(ranks, layout)}};
    const auto addMean = [&](bool isThere, const char* name, double StepFacts::*field) {
        if (isThere) metrics.emplace_back(name, mean(field));
    };
    addMean(layout.tp > 1, "tp_exposed_seconds", &StepFacts::tpExposedSeconds);
    addMean(layout.cp > 1, "cp_exposed_seconds", &StepFacts::cpExposedSeconds);
    addMean(ranks.size() > 1, "dp_exposed_seconds", &StepFacts::dpExposedSeconds);
    addMean(layout.ep > 1, "ep_exposed_seconds", &StepFacts::epExposedSeconds);
    addMean(ranks.size() > 1, "world_exposed_seconds", &StepFacts::worldExposedSeconds);
    if (ranks.size() > 1) {
        metrics.emplace_back("imbalance_seconds", imbalance(ranks, layout));
        metrics.emplace_back("finish_wait_seconds", worst(&StepFacts::stepSeconds) - mean(&StepFacts::stepSeconds));
    }
    // Over the ranks with a known value: a run without GPUs has none of these.
    const auto add = [&](const char* name, double StepFacts::*field, auto&& reduce) {
        std::vector<double> known;
        for (const StepFacts& facts : ranks)
            if (std::isfinite(facts.*field)) known.push_back(facts.*field);
        if (!known.empty()) metrics.emplace_back(name, reduce(known));
    };
    const auto lowest = [](const std::vector<double>& of) { return *std::min_element(of.begin(), of.end()); };
    const auto highest = [](const std::vector<double>& of) { return *std::max_element(of.begin(), of.end()); };
    const auto middle = [](const std::vector<double>& of) {
        return std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size());
    };
    if (ranks.size() > 1) {
        add("update_exposed_seconds", &StepFacts::updateExposedSeconds, middle);
        add("edge_exposed_seconds", &StepFacts::edgeExposedSeconds, middle);
    }
    add("device_clock_hertz", &StepFacts::deviceClockHertz, lowest);
    add("device_power_watts", &StepFacts::devicePowerWatts, middle);
    add("device_temperature_celsius", &StepFacts::deviceTemperatureCelsius, highest);
    add("device_memory_used_bytes", &StepFacts::deviceMemoryUsedBytes, highest);
    add("device_throttled_fraction", &StepFacts::deviceThrottled, middle);
    add("memory_reserved_peak_bytes", &StepFacts::reservedPeakBytes, highest);
    add("allocator_retries", &StepFacts::allocatorRetries, highest);
    return metrics;
}

}  // namespace slipway::trainer
