#include "core/planner/search/layout_search.h"

#include "core/planner/cost/cost.h"
#include "core/planner/search/layout_evaluator.h"
#include "core/planner/search/pareto_front.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace slipway {

namespace {

/// More devices than any cluster has: a mistyped degree.
constexpr std::int64_t kMaxWorld = 1000000;
/// Candidates that are estimated before the next look at what is already known. A constant, so that what is pruned does
/// not depend on the number of threads.
constexpr std::size_t kBatch = 64;
constexpr std::size_t kNumOffloads = enumNames(Offload{}).size();

using Counts = std::map<std::string, double>;

/// Layouts that differ only in ZeRO stage and offload, at least one of which fits.
struct Candidate {
    Degrees degrees;
    std::int64_t microBatchSize = 1, devices = 1;
    bool sequenceParallel = false;
    RecomputePolicy recompute = RecomputePolicy::None;
    PipelineChoice pipeline;
    std::uint32_t fitting = 0;  ///< bit zeroStage * kNumOffloads + offload
    bool exact = true;          ///< false: `fitting` and smallestBytes are bounds, the schedule decides
    double smallestBytes = 0;   ///< of those that fit
    double boundSeconds = 0;    ///< none is faster
};

struct Judged {
    std::vector<Candidate> candidates;
    Counts counts;
};

/// Judges all layouts of one choice of degrees for legality and memory.
class Judge {
public:
    Judge(const LayoutRequest& request, const SearchSpace& space, const Degrees& degrees, std::int64_t devices)
        : m_request(request),
          m_space(space),
          m_degrees(degrees),
          m_devices(devices),
          m_evaluator(request.config, request.cluster) {}

    Judged run() {
        const auto allowed = [&](SearchAxis axis, std::int64_t value) { return m_request.limits.allows(axis, value); };
        const Degrees& d = m_degrees;
        const double perMicroBatch = m_space.countLayouts(d);
        const double all = perMicroBatch * static_cast<double>(m_space.microBatchSizes.size());
        if (!allowed(SearchAxis::Tp, d.tp) || !allowed(SearchAxis::Pp, d.pp) || !allowed(SearchAxis::Cp, d.cp) ||
            !allowed(SearchAxis::Dp, d.dp) || !allowed(SearchAxis::Ep, d.ep)) {
            count("excluded", all);
            return std::move(m_judged);
        }
        if (!m_request.tpAcrossNodes && m_request.cluster.numNodes > 1 && d.tp > m_request.cluster.devicesPerNode) {
            count("tp_crosses_nodes", all);
            return std::move(m_judged);
        }
        m_pipelines = m_space.pipelines(d.pp);
        for (const std::int64_t microBatchSize : m_space.microBatchSizes) {
            if (!allowed(SearchAxis::MicroBatchSize, microBatchSize)) {
                count("excluded", perMicroBatch);
                continue;
            }
            m_pipelineCodes.clear();
            const int ways = d.tp > 1 ? 2 : 1;
            for (int sequence = 0; sequence < ways; ++sequence) {
                if (!allowed(SearchAxis::SequenceParallel, sequence))
                    count("excluded", perMicroBatch / ways);
                else
                    shapes(microBatchSize, sequence == 1, perMicroBatch / ways);
            }
        }
        return std::move(m_judged);
    }

private:
    void count(const std::string& reason, double layouts) { m_judged.counts[reason] += layouts; }

    /// The first thing that is wrong with the evaluator's config.
    std::string wrong() {
        for (const Issue& issue : validate(m_evaluator.config()))
            if (issue.severity == Severity::Error) return issue.code;
        return {};
    }

    /// The same for a pipeline with these degrees and micro-batches, whatever the other axes.
    const std::string& wrongWith(const PipelineChoice& pipeline) {
        const auto [found, isNew] = m_pipelineCodes.try_emplace({pipeline.schedule, pipeline.virtualStages});
        if (!isNew) return found->second;
        ParallelLayout& p = m_evaluator.config().parallel;
        p.schedule = pipeline.schedule;
        p.virtualStages = pipeline.virtualStages;
        p.zeroStage = 0;
        p.offload = Offload::None;
        return found->second = wrong();
    }

    void shapes(std::int64_t microBatchSize, bool sequenceParallel, double layouts) {
        const std::int64_t chunk = microBatchSize * m_degrees.dp;
        if (m_request.config.train.globalBatchSize % chunk != 0) return count("not_divisible", layouts);
        m_evaluator.setDegrees(m_degrees, microBatchSize, sequenceParallel);
        // What is wrong under 1F1B is wrong under every schedule.
        if (const std::string code = wrong(); !code.empty()) return count(code, layouts);
        Candidate candidate;
        candidate.degrees = m_degrees;
        candidate.microBatchSize = microBatchSize;
        candidate.devices = m_devices;
        candidate.sequenceParallel = sequenceParallel;
        const double perPolicy = layouts / static_cast<double>(enumNames(RecomputePolicy{}).size());
        for (const auto& policy : enumNames(RecomputePolicy{})) {
            if (!m_request.limits.allows(SearchAxis::Recompute, static_cast<std::int64_t>(policy.value))) {
                count("excluded", perPolicy);
                continue;
            }
            candidate.recompute = policy.value;
            m_evaluator.setRecompute(policy.value);
            for (const PipelineChoice& pipeline : m_pipelines)
                pipelineOf(candidate, pipeline, perPolicy / static_cast<double>(m_pipelines.size()));
        }
    }

    void pipelineOf(Candidate candidate, const PipelineChoice& pipeline, double layouts) {
        if (!m_request.limits.allows(SearchAxis::Schedule, static_cast<std::int64_t>(pipeline.schedule)) ||
            !m_request.limits.allows(SearchAxis::VirtualStages, pipeline.virtualStages))
            return count("excluded", layouts);
        const std::string& code = wrongWith(pipeline);
        if (!code.empty()) return count(code, layouts);
        m_evaluator.setPipelineForBounds(pipeline);
        candidate.exact = m_evaluator.isExact();
        candidate.pipeline = pipeline;
        for (std::int64_t zero = 0; zero <= SearchSpace::mostZeroStage(m_degrees); ++zero)
            for (const Offload offload : m_space.offloads) variant(candidate, zero, offload);
        if (candidate.fitting == 0) return;
        candidate.boundSeconds = m_evaluator.boundSeconds();
        m_judged.candidates.push_back(candidate);
    }

    void variant(Candidate& candidate, std::int64_t zero, Offload offload) {
        if (!m_request.limits.allows(SearchAxis::ZeroStage, zero) ||
            !m_request.limits.allows(SearchAxis::Offload, static_cast<std::int64_t>(offload)))
            return count("excluded", 1);
        const double peak = m_evaluator.peakBytes(zero, offload);
        if (m_request.onlyRunnable && !trainerSupports(m_evaluator.config()).empty())
            return count("trainer_unsupported", 1);
        if (peak > m_evaluator.capacityBytes()) return count("does_not_fit", 1);
        const bool first = candidate.fitting == 0;
        candidate.fitting |= 1U << (static_cast<std::size_t>(zero) * kNumOffloads + static_cast<std::size_t>(offload));
        candidate.smallestBytes = first ? peak : std::min(candidate.smallestBytes, peak);
    }

    const LayoutRequest& m_request;
    const SearchSpace& m_space;
    Degrees m_degrees;
    std::int64_t m_devices;
    LayoutEvaluator m_evaluator;
    std::vector<PipelineChoice> m_pipelines;
    std::map<std::pair<ScheduleKind, std::int64_t>, std::string> m_pipelineCodes;  ///< for one micro-batch size
    Judged m_judged;
};

/// What estimating a candidate gives.
struct Estimated {
    std::vector<FoundLayout> layouts;
    double tooLarge = 0;  ///< layouts whose bound fits and whose schedule does not
};

/// Time, memory and device-hours of the layouts of a candidate.
Estimated estimateAll(const LayoutRequest& request, const Candidate& c) {
    LayoutEvaluator evaluator(request.config, request.cluster);
    evaluator.setDegrees(c.degrees, c.microBatchSize, c.sequenceParallel);
    evaluator.setRecompute(c.recompute);
    Estimated found;
    if (!evaluator.setPipeline(c.pipeline)) return found;
    for (std::size_t bit = 0; bit < 32; ++bit) {
        if ((c.fitting >> bit & 1U) == 0) continue;
        const auto zero = static_cast<std::int64_t>(bit / kNumOffloads);
        const auto offload = static_cast<Offload>(bit % kNumOffloads);
        FoundLayout layout;
        layout.memoryPeakBytes = evaluator.peakBytes(zero, offload);
        if (layout.memoryPeakBytes > evaluator.capacityBytes()) {
            ++found.tooLarge;
            continue;
        }
        layout.step = evaluator.estimate(zero, offload);
        layout.parallel = evaluator.config().parallel;
        layout.microBatchSize = c.microBatchSize;
        layout.recompute = c.recompute;
        layout.cost = estimateCost(evaluator.config(), request.cluster, layout.step.stepSeconds);
        found.layouts.push_back(std::move(layout));
    }
    return found;
}

const char* reasonText(const std::string& reason) {
    static const std::map<std::string, const char*> texts = {
        {"excluded", "outside the limits that were asked for"},
        {"tp_crosses_nodes", "tensor parallelism over more devices than a node has"},
        {"too_few_devices", "more devices than the cluster has"},
        {"not_divisible", "a degree does not divide heads, widths, experts, sequence or batch"},
        {"bad_schedule", "the schedule's demands on stages and micro-batches are not met"},
        {"too_many_stages", "more pipeline stages than layers"},
        {"trainer_unsupported", "the bundled trainer cannot execute it"},
        {"does_not_fit", "the fullest rank needs more memory than it has"},
        {"fits", "legal, and in memory"},
        {"undecided", "legal, and not ruled out by a bound on memory; its schedule decides"},
        {"no_better", "a lower bound proves that it is neither among the best nor on the front"},
        {"unknown_time", "its time cannot be estimated: peak or bandwidth unknown"},
        {"estimated", "estimated in full"}};
    const auto found = texts.find(reason);
    return found == texts.end() ? "not a valid configuration" : found->second;
}

}  // namespace

RunConfig FoundLayout::applied(RunConfig config) const {
    config.parallel = parallel;
    config.train.microBatchSize = microBatchSize;
    config.train.recompute.policy = recompute;
    return config;
}

namespace {

/// Legality and memory of the whole space, one choice of degrees a task.
std::vector<Candidate> judgeAll(const LayoutRequest& request, const ParallelFor& run, Counts& counts,
                                double& numLayouts) {
    std::vector<std::int64_t> devices = request.devices;
    const ParallelLayout& mine = request.config.parallel;
    if (devices.empty() && mine.dp <= kMaxWorld) devices = {mine.worldSize()};
    std::erase_if(devices, [](std::int64_t world) { return world < 1 || world > kMaxWorld; });
    struct Task {
        const SearchSpace* space;
        Degrees degrees;
        std::int64_t devices;
    };
    std::vector<SearchSpace> spaces;
    spaces.reserve(devices.size());
    std::vector<Task> tasks;
    for (const std::int64_t world : devices) {
        const SearchSpace& space = spaces.emplace_back(request.config, request.cluster, world, request.limits);
        for (const Degrees& d : space.degrees) {
            tasks.push_back({&space, d, world});
            numLayouts += space.countLayouts(d) * static_cast<double>(space.microBatchSizes.size());
        }
    }
    std::vector<Judged> judged(tasks.size());
    run(tasks.size(), [&](std::size_t i) {
        if (!request.stop.stop_requested())
            judged[i] = Judge(request, *tasks[i].space, tasks[i].degrees, tasks[i].devices).run();
    });
    std::vector<Candidate> candidates;
    for (Judged& j : judged) {
        for (const auto& [reason, layouts] : j.counts) counts[reason] += layouts;
        candidates.insert(candidates.end(), j.candidates.begin(), j.candidates.end());
    }
    return candidates;
}

ParallelFor runnerOf(const LayoutRequest& request) {
    if (request.run) return request.run;
    return [](std::size_t count, const std::function<void(std::size_t)>& body) {
        for (std::size_t i = 0; i < count; ++i) body(i);
    };
}

/// Reasons, the most frequent first.
std::vector<SearchCount> listed(const Counts& counts) {
    std::vector<SearchCount> list;
    for (const auto& [reason, layouts] : counts) list.push_back({reason, reasonText(reason), layouts});
    std::stable_sort(list.begin(), list.end(),
                     [](const SearchCount& a, const SearchCount& b) { return a.layouts > b.layouts; });
    return list;
}

}  // namespace

LayoutSearch judgeLayouts(const LayoutRequest& request) {
    LayoutSearch result;
    Counts counts;
    for (const Candidate& c : judgeAll(request, runnerOf(request), counts, result.numLayouts))
        counts[c.exact ? "fits" : "undecided"] += static_cast<double>(std::popcount(c.fitting));
    result.counts = listed(counts);
    result.stopped = request.stop.stop_requested();
    return result;
}

LayoutSearch searchLayouts(const LayoutRequest& request) {
    LayoutSearch result;
    const ParallelFor run = runnerOf(request);
    Counts counts;
    std::vector<Candidate> candidates = judgeAll(request, run, counts, result.numLayouts);

    // Estimates, the most promising first, as long as a bound does not say that nothing better can come.
    SearchRanking ranking(request.objective, request.limit);
    const auto boundOf = [](const Candidate& c) {
        return LayoutFigures{c.boundSeconds, c.smallestBytes, c.boundSeconds * static_cast<double>(c.devices)};
    };
    std::stable_sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
        return ranking.key(boundOf(a)) < ranking.key(boundOf(b));
    });
    std::vector<const Candidate*> batch;
    std::vector<Estimated> found(kBatch);
    for (std::size_t next = 0; next < candidates.size() && !request.stop.stop_requested();) {
        for (batch.clear(); batch.size() < kBatch && next < candidates.size(); ++next) {
            const Candidate& c = candidates[next];
            if (request.prune && ranking.cannotEnter(boundOf(c)))
                counts["no_better"] += static_cast<double>(std::popcount(c.fitting));
            else
                batch.push_back(&c);
        }
        run(batch.size(), [&](std::size_t i) { found[i] = estimateAll(request, *batch[i]); });
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (found[i].tooLarge > 0) counts["does_not_fit"] += found[i].tooLarge;
            for (FoundLayout& layout : found[i].layouts) {
                const bool known = layout.step.stepSeconds > 0;
                counts[known ? "estimated" : "unknown_time"] += 1;
                if (known) ranking.offer(std::move(layout));
            }
        }
    }
    result.stopped = request.stop.stop_requested();
    result.best = ranking.takeBest();
    result.front = ranking.takeFront();
    result.counts = listed(counts);
    return result;
}

}  // namespace slipway
