#include "core/planner/memory/memory.h"
#include "core/planner/plan.h"
#include "core/planner/time/step.h"

#include <algorithm>
#include <tuple>

namespace slipway {

namespace {

std::vector<std::int64_t> divisors(std::int64_t value) {
    std::vector<std::int64_t> low, high;
    for (std::int64_t d = 1; d * d <= value; ++d) {
        if (value % d != 0) continue;
        low.push_back(d);
        if (d * d != value) high.push_back(value / d);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

/// A ranking plays less of each schedule than a plan does.
constexpr std::int64_t kRankedPasses = 256;
/// More devices than any cluster has: a mistyped degree.
constexpr std::int64_t kMaxWorld = 1000000;

/// The legal variants of one choice of degrees.
std::vector<RunConfig> variants(RunConfig c) {
    std::vector<RunConfig> result;
    ParallelLayout& p = c.parallel;
    const bool trainer = trainerSupports(c).empty();
    for (const std::int64_t zero : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}}) {
        if (zero > 0 && p.dp * p.cp == 1) continue;
        if (zero == 3 && (p.pp > 1 || trainer)) continue;
        p.zeroStage = zero;
        for (const bool sp : {false, true}) {
            if (sp && p.tp == 1) continue;
            p.sequenceParallel = sp;
            for (const RecomputePolicy policy : {RecomputePolicy::None, RecomputePolicy::Full}) {
                c.train.recompute.policy = policy;
                if (validate(c).empty()) result.push_back(c);
            }
        }
    }
    return result;
}

}  // namespace

std::vector<LayoutChoice> rankLayouts(const RunConfig& config, const ClusterSpec& cluster, std::size_t limit) {
    const std::int64_t world = config.parallel.worldSize();
    const double capacity = capacityPerRank(config, cluster);
    std::vector<LayoutChoice> choices;
    if (config.parallel.dp > kMaxWorld || world < 1 || world > kMaxWorld) return choices;
    for (const std::int64_t tp : divisors(world))
        for (const std::int64_t pp : divisors(world / tp)) {
            const std::int64_t rest = world / tp / pp;
            if (rest % config.parallel.cp != 0 || (cluster.numNodes > 1 && tp > cluster.devicesPerNode)) continue;
            for (std::int64_t micro = 1; micro <= config.train.globalBatchSize; micro *= 2) {
                RunConfig base = config;
                base.parallel.tp = tp;
                base.parallel.pp = pp;
                base.parallel.dp = rest / config.parallel.cp;
                base.parallel.virtualStages = 1;
                base.parallel.schedule = ScheduleKind::OneFOneB;
                base.parallel.layersPerStage.clear();
                base.parallel.dpShard.reset();
                base.train.microBatchSize = micro;
                if (config.train.globalBatchSize % (micro * base.parallel.dp) != 0) continue;
                for (const RunConfig& c : variants(base)) {
                    const auto schedule =
                        makePlayedSchedule(c.parallel.schedule, pp, c.numMicroBatches(), 1, kRankedPasses);
                    if (!schedule) continue;
                    double peak = 0;
                    for (const StageMemory& stage : stageMemory(c, cluster, *schedule))
                        peak = std::max(peak, stage.bytes.totalBytes());
                    if (peak > capacity) continue;
                    const StepEstimate step = estimateStep(c, cluster, *schedule, false);
                    if (!(step.stepSeconds > 0)) continue;
                    choices.push_back(
                        {c.parallel, micro, c.train.recompute.policy, step.stepSeconds, step.tokensPerSecond, peak});
                }
            }
        }
    const auto key = [](const LayoutChoice& c) {
        return std::tuple(c.stepSeconds, c.memoryPeakBytes, c.parallel.tp, c.parallel.pp, c.parallel.zeroStage,
                          c.parallel.sequenceParallel, c.microBatchSize);
    };
    std::sort(choices.begin(), choices.end(),
              [&](const LayoutChoice& a, const LayoutChoice& b) { return key(a) < key(b); });
    if (choices.size() > limit) choices.resize(limit);
    return choices;
}

}  // namespace slipway
