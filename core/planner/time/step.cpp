#include "core/planner/time/step.h"

#include "core/planner/memory/memory.h"
#include "core/planner/schedule/bubble.h"
#include "core/planner/time/communication.h"
#include "core/planner/time/compute.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

double real(std::int64_t value) {
    return static_cast<double>(value);
}

/// Communication inside the passes of one stage for one micro-batch, by axis.
struct StageTraffic {
    PassTraffic tp, cp, ep;
};

void append(Traffic& to, const Traffic& from, double times) {
    for (Operation o : from.operations) {
        o.count *= times;
        if (o.count > 0) to.operations.push_back(o);
    }
}

void append(PassTraffic& to, const PassTraffic& from, double times) {
    append(to.forward, from.forward, times);
    append(to.backward, from.backward, times);
}

class Estimator {
public:
    Estimator(const RunConfig& config, const ClusterSpec& cluster, const PlayedSchedule& played)
        : m_config(config),
          m_cluster(cluster),
          m_played(played),
          m_schedule(played.schedule),
          m_speed(rankSpeed(config, cluster)),
          m_tpLink(groupLink(config, cluster, {Axis::Tp})),
          m_cpLink(groupLink(config, cluster, {Axis::Cp})),
          m_ppLink(groupLink(config, cluster, {Axis::Pp})),
          m_dpLink(groupLink(config, cluster, {Axis::Dp, Axis::Cp})),
          m_worldLink(worldLink(config, cluster)) {
        // Experts are folded over the data-parallel neighbours: their group spans as many devices as ep asks for.
        RunConfig folded = config;
        folded.parallel.tp = config.parallel.ep * config.parallel.tp;
        m_epLink = groupLink(folded, cluster, {Axis::Tp});
        stages();
    }

    StepEstimate run(bool withTimeline) {
        StepEstimate e;
        passes(e, withTimeline);
        dataParallel(e);
        communication(e);
        e.optimizerSeconds = 0;
        for (std::int64_t rank = 0; rank < m_config.parallel.pp; ++rank)
            e.optimizerSeconds = std::max(e.optimizerSeconds, optimizerSeconds(m_config, m_speed, rank));
        e.fixedSeconds = m_speed.constants.stepFixedSeconds;
        e.stepSeconds = e.computeSeconds + e.tpExposedSeconds + e.cpExposedSeconds + e.epExposedSeconds +
                        e.ppExposedSeconds + e.bubbleSeconds + e.dpExposedSeconds + e.optimizerSeconds + e.fixedSeconds;
        rates(e);
        return e;
    }

private:
    void stages() {
        const std::vector<StageRange> ranges = stageRanges(m_config);
        const PassSeconds dense = layerSeconds(m_config, m_speed, false);
        const PassSeconds moe = m_config.model.moe ? layerSeconds(m_config, m_speed, true) : PassSeconds{};
        const double message = pipelineMessageBytes(m_config);
        const double transfer = collectiveSeconds(Collective::Send, 2, message, m_ppLink);
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            const bool first = i == 0, last = i + 1 == ranges.size();
            PassSeconds compute;
            StageTraffic traffic;
            for (std::int64_t layer = ranges[i].first; layer < ranges[i].first + ranges[i].count; ++layer)
                compute += isMoeLayer(m_config.model, layer) ? moe : dense;
            const std::int64_t numDense =
                m_config.model.moe
                    ? std::clamp<std::int64_t>(m_config.model.moe->numDenseLayers - ranges[i].first, 0, ranges[i].count)
                    : ranges[i].count;
            const double numMoe = real(ranges[i].count - numDense);
            append(traffic.tp, tpLayerTraffic(m_config, false), real(numDense));
            append(traffic.tp, tpLayerTraffic(m_config, true), numMoe);
            append(traffic.cp, cpLayerTraffic(m_config), real(ranges[i].count));
            append(traffic.ep, epLayerTraffic(m_config), numMoe);
            if (first) {
                compute += embeddingSeconds(m_config, m_speed);
                append(traffic.tp, tpEmbeddingTraffic(m_config), 1);
            }
            if (last) {
                compute += headSeconds(m_config, m_speed);
                append(traffic.tp, tpHeadTraffic(m_config), 1);
            }
            const double forwardComm = traffic.tp.forward.seconds(m_tpLink) +
                                       cpExposed(traffic.cp.forward, compute.forward) +
                                       traffic.ep.forward.seconds(m_epLink);
            const double backwardComm = traffic.tp.backward.seconds(m_tpLink) +
                                        cpExposed(traffic.cp.backward, compute.backwardInput) +
                                        traffic.ep.backward.seconds(m_epLink);
            StageSeconds seconds;
            seconds.forward = compute.forward + forwardComm;
            seconds.backwardInput = compute.backwardInput + backwardComm;
            seconds.backwardWeight = compute.backwardWeight;
            seconds.sendForward = last ? 0 : transfer;
            seconds.sendBackward = first ? 0 : transfer;
            m_compute.push_back(compute);
            m_traffic.push_back(std::move(traffic));
            m_seconds.push_back(seconds);
        }
    }

    /// Ring exchange runs beside the attention of the block at hand; what does not fit under it is exposed.
    double cpExposed(const Traffic& traffic, double computeSeconds) const {
        const double seconds = traffic.seconds(m_cpLink);
        return m_config.parallel.cpKind == CpKind::Ring ? std::max(0.0, seconds - 0.5 * computeSeconds) : seconds;
    }

    /// Stages of a pipeline rank, by chunk.
    std::vector<std::size_t> stagesOf(std::int64_t rank) const {
        std::vector<std::size_t> stages;
        for (std::int64_t chunk = 0; chunk < m_schedule.numChunks(); ++chunk)
            stages.push_back(static_cast<std::size_t>(m_schedule.stageOf(rank, chunk)));
        return stages;
    }

    /// Each of DualPipe's two directions has one half of the micro-batches.
    double microBatchesPerChunk() const {
        return real(m_played.numMicroBatches) / (m_schedule.kind == ScheduleKind::DualPipe ? 2 : 1);
    }

    /// Length of the pipeline's part of the step.
    double makespan(const std::vector<StageSeconds>& seconds, SimulatedSchedule& kept, bool keepSpans) const {
        kept = simulateSchedule(m_schedule, seconds, keepSpans);
        if (!m_played.shorter) return kept.totalSeconds;
        return m_played.extrapolate(kept.totalSeconds,
                                    simulateSchedule(*m_played.shorter, seconds, false).totalSeconds);
    }

    void passes(StepEstimate& e, bool withTimeline) {
        const double m = real(m_played.numMicroBatches);
        const std::int64_t pp = m_config.parallel.pp;
        SimulatedSchedule played, ignored;
        m_pipelineSeconds = makespan(m_seconds, played, withTimeline);
        std::vector<StageSeconds> free = m_seconds;
        for (StageSeconds& s : free) s.sendForward = s.sendBackward = 0;
        const double withoutTransfers = pp > 1 ? makespan(free, ignored, false) : m_pipelineSeconds;
        // The critical rank is the busiest; ties go to the first.
        std::vector<double> busy(static_cast<std::size_t>(pp), 0);
        for (std::int64_t rank = 0; rank < pp; ++rank)
            for (const std::size_t stage : stagesOf(rank))
                busy[static_cast<std::size_t>(rank)] +=
                    microBatchesPerChunk() *
                    (m_seconds[stage].forward + m_seconds[stage].backwardInput + m_seconds[stage].backwardWeight);
        m_critical = static_cast<std::int64_t>(std::max_element(busy.begin(), busy.end()) - busy.begin());
        e.computeSeconds = e.tpExposedSeconds = e.cpExposedSeconds = e.epExposedSeconds = 0;
        double sum = 0;
        for (const double b : busy) sum += b;
        for (const std::size_t stage : stagesOf(m_critical)) {
            const StageTraffic& t = m_traffic[stage];
            const double times = microBatchesPerChunk();
            e.computeSeconds += times * m_compute[stage].total();
            e.tpExposedSeconds += times * (t.tp.forward.seconds(m_tpLink) + t.tp.backward.seconds(m_tpLink));
            e.cpExposedSeconds += times * (cpExposed(t.cp.forward, m_compute[stage].forward) +
                                           cpExposed(t.cp.backward, m_compute[stage].backwardInput));
            e.epExposedSeconds += times * (t.ep.forward.seconds(m_epLink) + t.ep.backward.seconds(m_epLink));
        }
        e.ppExposedSeconds = std::max(0.0, m_pipelineSeconds - withoutTransfers);
        e.bubbleSeconds = std::max(0.0, withoutTransfers - busy[static_cast<std::size_t>(m_critical)]);
        e.bubbleTheoretical = pp > 1 ? bubbleFraction(m_schedule.kind, real(pp), m, real(m_schedule.virtualStages)) : 0;
        e.bubbleSimulated = pp > 1 ? 1 - sum / (m_pipelineSeconds * real(pp)) : 0;
        e.timeline = std::move(played.spans);
    }

    void dataParallel(StepEstimate& e) {
        e.dpExposedSeconds = 0;
        for (std::int64_t rank = 0; rank < m_config.parallel.pp; ++rank) {
            const StepTraffic traffic = dpTraffic(m_config, rank);
            const double gradients = traffic.gradients.seconds(m_dpLink);
            double exposed = gradients;
            if (m_config.parallel.overlapGradReduce && gradients > 0 && overlapIsFree()) {
                // Buckets go out while the last micro-batch still runs backward; the last bucket has nothing to hide under.
                double window = 0, bytes = 0;
                for (const std::size_t stage : stagesOf(rank))
                    window += m_seconds[stage].backwardInput + m_seconds[stage].backwardWeight;
                for (const Operation& o : traffic.gradients.operations) bytes += o.bytes;
                const double lastBucket = gradients * std::min(1.0, real(m_config.parallel.bucketBytes) / bytes);
                exposed = std::max(gradients - window, lastBucket);
            }
            const double weights = m_config.parallel.zeroStage == 3
                                       ? std::max(0.0, traffic.weights.seconds(m_dpLink) - 0.8 * e.computeSeconds)
                                       : traffic.weights.seconds(m_dpLink);
            e.dpExposedSeconds = std::max(e.dpExposedSeconds, exposed + weights + otherSeconds(traffic));
        }
    }

    double otherSeconds(const StepTraffic& t) const {
        return t.tied.seconds(m_ppLink) + t.tpGradients.seconds(m_tpLink) + t.scalars.seconds(m_worldLink);
    }

    /// On a CPU the copies of a reduction need cores; they run beside the passes only where a core is idle.
    bool overlapIsFree() const {
        if (m_cluster.device.kind != DeviceKind::Cpu) return true;
        const double ranksPerNode = std::ceil(real(m_config.parallel.worldSize()) / real(m_cluster.numNodes));
        return ranksPerNode * real(m_config.train.threadsPerRank) < real(m_cluster.devicesPerNode);
    }

    /// Bytes over all axes and seconds of collectives, mean over pipeline ranks. Pipeline messages have no seconds here:
    /// they run beside the passes, and what is waited for is exposed or bubble. The trainer counts the same way.
    void communication(StepEstimate& e) const {
        const double m = real(m_played.numMicroBatches);
        const double pp = real(m_config.parallel.pp);
        double bytes = 0, seconds = 0;
        for (const StageTraffic& t : m_traffic) {
            for (const auto& [traffic, link] :
                 {std::pair{&t.tp, &m_tpLink}, std::pair{&t.cp, &m_cpLink}, std::pair{&t.ep, &m_epLink}}) {
                bytes += m * (traffic->forward.sentBytes() + traffic->backward.sentBytes());
                seconds += m * (traffic->forward.seconds(*link) + traffic->backward.seconds(*link));
            }
        }
        double boundaries = 0;
        for (std::int64_t stage = 0; stage + 1 < m_schedule.numStages; ++stage)
            if (!m_schedule.isHandOver(stage)) ++boundaries;
        if (pp > 1) bytes += 2 * m * boundaries * pipelineMessageBytes(m_config);
        for (std::int64_t rank = 0; rank < m_config.parallel.pp; ++rank) {
            const StepTraffic t = dpTraffic(m_config, rank);
            bytes += t.gradients.sentBytes() + t.weights.sentBytes() + t.tied.sentBytes() + t.tpGradients.sentBytes() +
                     t.scalars.sentBytes();
            seconds += t.gradients.seconds(m_dpLink) + t.weights.seconds(m_dpLink) + otherSeconds(t);
        }
        e.commBytes = bytes / pp;
        e.commSeconds = seconds / pp;
    }

    void rates(StepEstimate& e) const {
        const double devices = real(m_config.parallel.worldSize());
        e.tokensPerSecond = real(m_config.tokensPerStep()) / e.stepSeconds;
        e.tokensPerSecondPerDevice = e.tokensPerSecond / devices;
        e.mfuRule = std::string(wordOf(kDefaultFlopsRule));
        const double flops = modelFlopsPerToken(m_config.model, m_config.train.seqLen);
        const std::optional<double> peak = runPeakFlops(m_config, m_cluster);
        e.mfu = mfu(flops, e.tokensPerSecond, peak, 1);
        double extra = 0;
        const double attention =
            real(m_config.model.numLayers) * attentionForwardFlopsPerToken(m_config.model, m_config.train.seqLen, true);
        if (m_config.train.recompute.policy == RecomputePolicy::Full)
            extra = flops / 3 - 2 * countEnds(m_config.model).table;
        if (m_config.train.recompute.policy == RecomputePolicy::Selective) extra = attention;
        e.hfu = mfu(flops + extra, e.tokensPerSecond, peak, 1);
        e.label = m_cluster.calibration;
        // Widths from planner.md 3.5 (textbook constants miss by 36 to 71 %, a calibrated model by 12 % on average).
        // On a CPU the efficiencies were measured with the bundled trainer and its peak comes from bench --gemm.
        const double textbook = m_cluster.device.kind == DeviceKind::Cpu ? 1.4 : 1.7;
        const double width = e.label == "textbook" ? textbook : 1.2;
        e.stepSecondsLow = e.stepSeconds / width;
        e.stepSecondsHigh = e.stepSeconds * width;
    }

    const RunConfig& m_config;
    const ClusterSpec& m_cluster;
    const PlayedSchedule& m_played;
    const PipelineSchedule& m_schedule;
    RankSpeed m_speed;
    LinkSpec m_tpLink, m_cpLink, m_ppLink, m_dpLink, m_worldLink, m_epLink;
    std::vector<PassSeconds> m_compute;
    std::vector<StageTraffic> m_traffic;
    std::vector<StageSeconds> m_seconds;
    double m_pipelineSeconds = 0;
    std::int64_t m_critical = 0;
};

}  // namespace

StepEstimate estimateStep(const RunConfig& config, const ClusterSpec& cluster, const PlayedSchedule& played,
                          bool withTimeline) {
    return Estimator(config, cluster, played).run(withTimeline);
}

}  // namespace slipway
