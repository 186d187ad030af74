#include "core/planner/search/search_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace slipway {

namespace {

/// More devices than any cluster has: a mistyped degree.
constexpr std::int64_t kMaxWorld = 1000000;

/// The first thing that is wrong with a config.
/// @param pipeline false: leave out what its schedule and stages demand
std::string wrongWith(const RunConfig& config, bool pipeline) {
    for (const Issue& issue : validate(config)) {
        if (issue.severity != Severity::Error) continue;
        if (pipeline || (issue.code != "bad_schedule" && issue.code != "too_many_stages")) return issue.code;
    }
    return {};
}

/// The pipelines of pp ranks for one batch per micro-batch index (micro-batch size x dp), legal or not.
struct PipelineTable {
    LegalPipelines legal;
    std::map<std::string, double> refused;  ///< choices by reason
    double numChoices = 0;
};

PipelineTable makePipelineTable(const LayoutRequest& request, const SearchSpace& space, std::int64_t pp,
                                std::int64_t chunk) {
    PipelineTable table;
    RunConfig config = request.config;
    ParallelLayout& p = config.parallel;
    // Schedules look at ranks and micro-batches alone, so the plainest layout that has as many of both stands for all.
    p = {};
    p.pp = pp;
    p.dp = chunk;
    config.train.microBatchSize = 1;
    std::map<std::pair<ScheduleKind, std::int64_t>, std::string> codes;
    for (const PipelineChoice& choice : space.pipelines(pp)) {
        ++table.numChoices;
        if (!request.limits.allows(SearchAxis::Schedule, static_cast<std::int64_t>(choice.schedule)) ||
            !request.limits.allows(SearchAxis::VirtualStages, choice.virtualStages) ||
            !request.limits.allows(SearchAxis::LayerSplit, static_cast<std::int64_t>(choice.split))) {
            ++table.refused["excluded"];
            continue;
        }
        p.schedule = choice.schedule;
        p.virtualStages = choice.virtualStages;
        p.layersPerStage.clear();
        const auto [code, isNew] = codes.try_emplace({choice.schedule, choice.virtualStages});
        if (isNew) code->second = wrongWith(config, true);
        if (!code->second.empty()) {
            ++table.refused[code->second];
            continue;
        }
        table.legal.add(DealtPipeline(config.model, pp, choice),
                        {choice.schedule, pp, config.numMicroBatches(), choice.virtualStages});
    }
    return table;
}

/// By pipeline ranks and micro-batch size x dp.
using PipelineTables = std::map<std::pair<std::int64_t, std::int64_t>, PipelineTable>;

/// What the groups with the same degrees share.
struct Variants {
    std::vector<Sharding> shardings;
    std::vector<Offload> offloads;
    double all = 0;                                               ///< with those that are excluded
    std::map<std::pair<std::int64_t, bool>, ShareBounds> bounds;  ///< by micro-batch size and sequence parallelism
};

/// The groups of one choice of degrees.
class Grouping {
public:
    Grouping(const LayoutRequest& request, const SearchSpace& space, const PipelineTables& pipelines,
             const Degrees& degrees, std::int64_t devices)
        : m_request(request), m_space(space), m_pipelines(pipelines), m_degrees(degrees), m_devices(devices) {}

    /// Groups the smallest micro-batch size that is allowed; when it is called again, all others.
    /// @param known null: no layouts are known that could rule a group out
    void run(const Incumbents* known) {
        if (m_next == m_space.microBatchSizes.size()) return;
        const Degrees& d = m_degrees;
        const double perMicroBatch = m_space.countLayouts(d);
        const bool isFirst = m_next == 0;
        if (isFirst) {
            if (const char* reason = refused()) {
                m_next = m_space.microBatchSizes.size();
                return count(reason, perMicroBatch * static_cast<double>(m_next));
            }
            setVariants();
        }
        m_known = known;
        m_evaluator.emplace(m_request.config, m_request.cluster);
        const std::vector<LayerOptions> options = m_space.layerOptions(d);
        const double perOption = perMicroBatch / static_cast<double>(options.size());
        for (bool isDone = false; m_next < m_space.microBatchSizes.size() && !isDone;) {
            const std::int64_t microBatchSize = m_space.microBatchSizes[m_next++];
            if (!allows(SearchAxis::MicroBatchSize, microBatchSize)) {
                count("excluded", perMicroBatch);
                continue;
            }
            const std::int64_t chunk = microBatchSize * d.dp;
            if (m_request.config.train.globalBatchSize % chunk != 0) {
                count("not_divisible", perMicroBatch);
                continue;
            }
            const PipelineTable& pipelines = m_pipelines.at({d.pp, chunk});
            for (std::size_t i = 0; i < options.size(); ++i)
                withOptions(i, options[i], microBatchSize, pipelines, perOption);
            isDone = isFirst;
        }
        m_evaluator.reset();
    }

    std::vector<LayoutGroup> groups;
    LayoutCounts counts;

private:
    [[nodiscard]] bool allows(SearchAxis axis, std::int64_t value) const {
        return m_request.limits.allows(axis, value);
    }
    void count(const std::string& reason, double layouts) {
        if (layouts > 0) counts[reason] += layouts;
    }

    /// What rules these degrees out, whatever goes with them.
    [[nodiscard]] const char* refused() const {
        const Degrees& d = m_degrees;
        const std::pair<SearchAxis, std::int64_t> axes[] = {{SearchAxis::Tp, d.tp}, {SearchAxis::Pp, d.pp},
                                                            {SearchAxis::Cp, d.cp}, {SearchAxis::Dp, d.dp},
                                                            {SearchAxis::Ep, d.ep}, {SearchAxis::Etp, d.etp}};
        for (const auto& [axis, value] : axes)
            if (!allows(axis, value)) return "excluded";
        if (!m_request.tpAcrossNodes && m_request.cluster.numNodes > 1 && d.tp > m_request.cluster.devicesPerNode)
            return "tp_crosses_nodes";
        return nullptr;
    }

    void setVariants() {
        const std::vector<Sharding> all = m_space.shardings(m_degrees);
        for (const Sharding& s : all)
            if (allows(SearchAxis::ZeroStage, s.zeroStage) &&
                allows(SearchAxis::DpShard, s.dpShard > 0 ? s.dpShard : m_degrees.dp))
                m_variants.shardings.push_back(s);
        for (const Offload offload : m_space.offloads)
            if (allows(SearchAxis::Offload, static_cast<std::int64_t>(offload))) m_variants.offloads.push_back(offload);
        m_variants.all = static_cast<double>(all.size()) * static_cast<double>(m_space.offloads.size());
    }

    /// What is wrong with these degrees and options, whatever the pipeline. Sizes of the batch matter only to a ramp.
    std::string wrong(std::size_t index, std::int64_t microBatchSize, const LayerOptions& options) {
        const bool ramped = m_request.config.train.batchRamp.initial != 0;
        if (const auto known = m_wrong.find(index); known != m_wrong.end() && !ramped) return known->second;
        m_evaluator->setLayers(m_degrees, microBatchSize, options);
        return m_wrong[index] = wrongWith(m_evaluator->config(), false);
    }

    void withOptions(std::size_t index, const LayerOptions& options, std::int64_t microBatchSize,
                     const PipelineTable& pipelines, double layouts) {
        if (!allows(SearchAxis::SequenceParallel, options.sequenceParallel ? 1 : 0) ||
            !allows(SearchAxis::AsyncTp, options.asyncTp ? 1 : 0) ||
            !allows(SearchAxis::CpKind, static_cast<std::int64_t>(options.cpKind)))
            return count("excluded", layouts);
        if (const std::string code = wrong(index, microBatchSize, options); !code.empty()) return count(code, layouts);
        const double perPolicy = layouts / static_cast<double>(enumNames(RecomputePolicy{}).size());
        m_plainSeconds.reset();
        for (const auto& policy : enumNames(RecomputePolicy{})) {
            if (!allows(SearchAxis::Recompute, static_cast<std::int64_t>(policy.value))) {
                count("excluded", perPolicy);
                continue;
            }
            LayoutGroup group;
            group.degrees = m_degrees;
            group.microBatchSize = microBatchSize;
            group.devices = m_devices;
            group.options = options;
            group.pipelines = &pipelines.legal;
            group.shardings = &m_variants.shardings;
            group.offloads = &m_variants.offloads;
            group.options.recompute = policy.value;
            for (const auto& [reason, choices] : pipelines.refused) count(reason, choices * m_variants.all);
            count("excluded",
                  static_cast<double>(pipelines.legal.choices.size()) * (m_variants.all - group.numVariants()));
            if (group.numLayouts() > 0 && !isRuledOut(group, index)) add(group, index);
        }
    }

    /// True, and counted, where what is known rules a group out before its own bounds are made: its passes take at least as long as
    /// without recomputation, and it needs at least what it does with the smallest micro-batch.
    bool isRuledOut(LayoutGroup group, std::size_t index) {
        const std::int64_t numMicroBatches =
            m_request.config.train.globalBatchSize / (group.microBatchSize * m_degrees.dp);
        if (numMicroBatches < m_degrees.pp) return false;  // fewer in flight than with a smaller one
        const auto smallest = m_smallest.find({index, group.options.recompute});
        if (m_known == nullptr || smallest == m_smallest.end() ||
            !holdsMore(*group.pipelines, *smallest->second.pipelines))
            return false;
        if (!m_plainSeconds) {
            LayerOptions plain = group.options;
            plain.recompute = RecomputePolicy::None;
            m_evaluator->setLayers(m_degrees, group.microBatchSize, plain);
            m_plainSeconds = m_evaluator->boundSeconds(m_space.hasOverlappingPairs());
        }
        if (!(*m_plainSeconds > 0)) return false;
        group.passSeconds = *m_plainSeconds;
        group.shareBounds = &shareBounds(group);
        group.leastBytes = smallest->second.leastBytes;
        setBound(group);
        const bool fits = !std::isinf(group.bound.memoryBytes);
        if (fits && !group.cannotEnter(*m_known)) return false;
        count(fits ? "no_better" : "does_not_fit", group.numLayouts());
        return true;
    }

    /// Whatever the micro-batch: the first rank and the one with most mixtures have at least as many layers, and keep at least as many
    /// tokens in flight.
    static bool holdsMore(const LegalPipelines& more, const LegalPipelines& less) {
        const auto holds = [](const RankLayers& a, const RankLayers& b) {
            return a.all >= b.all && a.mixtures >= b.mixtures && a.largestChunk >= b.largestChunk;
        };
        return more.ordered && less.ordered && holds(more.first, less.first) &&
               (less.mixed.rank == 0 || (more.mixed.rank == less.mixed.rank && holds(more.mixed, less.mixed)));
    }

    /// Of the layers that the evaluator has, whatever they recompute.
    const ShareBounds& shareBounds(const LayoutGroup& group) {
        const auto [bounds, isNew] =
            m_variants.bounds.try_emplace({group.microBatchSize, group.options.sequenceParallel});
        const bool pairs = m_space.hasOverlappingPairs();
        if (isNew) bounds->second = m_evaluator->boundShares(*group.pipelines, m_variants.shardings, pairs);
        return bounds->second;
    }

    /// The group's bound, of those of its ZeRO stages and offloads; infinite where none fits.
    void setBound(LayoutGroup& group) const {
        constexpr double kNone = std::numeric_limits<double>::infinity();
        group.bound = {kNone, kNone, kNone};
        std::int64_t last = -1;
        for (const Sharding& sharding : m_variants.shardings) {
            if (sharding.zeroStage == std::exchange(last, sharding.zeroStage)) continue;
            for (const Offload offload : m_variants.offloads) {
                const double bytes = group.leastBytes.at(shareClass(sharding.zeroStage, offload));
                if (std::isinf(bytes)) continue;
                const LayoutFigures least = group.shareBound(sharding.zeroStage, offload, group.passSeconds);
                group.bound.memoryBytes = std::min(group.bound.memoryBytes, bytes);
                group.bound.stepSeconds = std::min(group.bound.stepSeconds, least.stepSeconds);
                group.bound.deviceSeconds = std::min(group.bound.deviceSeconds, least.deviceSeconds);
            }
        }
    }

    void add(LayoutGroup& group, std::size_t index) {
        m_evaluator->setLayers(m_degrees, group.microBatchSize, group.options);
        // What the trainer cannot execute without a pipeline's and offload's options, it cannot with them.
        if (m_request.onlyRunnable && !trainerSupports(m_evaluator->config()).empty())
            return count("trainer_unsupported", group.numLayouts());
        const double seconds = m_evaluator->boundSeconds(m_space.hasOverlappingPairs());
        if (!(seconds > 0)) return count("unknown_time", group.numLayouts());
        group.passSeconds = seconds;
        group.hostWaitSeconds = m_evaluator->boundHostWait();
        group.shareBounds = &shareBounds(group);
        group.leastBytes = m_evaluator->boundBytes(*group.pipelines);
        const double capacity = m_evaluator->boundCapacityBytes();
        for (double& bytes : group.leastBytes)
            if (bytes > capacity) bytes = std::numeric_limits<double>::infinity();
        setBound(group);
        // Float8 copies of weights and graphs depend on the number of micro-batches.
        const TrainSpec& train = m_request.config.train;
        if (m_known == nullptr && train.precision != Precision::Fp8 && !train.cudaGraphs)
            m_smallest.try_emplace({index, group.options.recompute}, Smallest{group.pipelines, group.leastBytes});
        if (m_request.prune && std::isinf(group.bound.memoryBytes)) return count("does_not_fit", group.numLayouts());
        if (m_known != nullptr && group.cannotEnter(*m_known)) return count("no_better", group.numLayouts());
        groups.push_back(group);
    }

    const LayoutRequest& m_request;
    const SearchSpace& m_space;
    const PipelineTables& m_pipelines;
    Variants m_variants;
    Degrees m_degrees;
    std::int64_t m_devices;
    std::optional<LayoutEvaluator> m_evaluator;  ///< while run() lasts
    std::map<std::size_t, std::string> m_wrong;  ///< by the options' index
    struct Smallest {
        const LegalPipelines* pipelines = nullptr;
        ShareBytes leastBytes = {};
    };
    std::map<std::pair<std::size_t, RecomputePolicy>, Smallest> m_smallest;  ///< with the smallest micro-batch
    const Incumbents* m_known = nullptr;
    std::optional<double> m_plainSeconds;  ///< of the options at hand, without recomputation
    std::size_t m_next = 0;                ///< micro-batch size
};

}  // namespace

LayoutFigures LayoutGroup::shareBound(std::int64_t zeroStage, Offload offload, double seconds) const {
    const double waits = offloadsActivations(offload) ? hostWaitSeconds : 0;
    const double step = shareBounds->seconds(seconds + waits, zeroStage, offload);
    return {step, leastBytes.at(shareClass(zeroStage, offload)), step * static_cast<double>(devices)};
}

bool LayoutGroup::cannotEnter(const Incumbents& incumbents) const {
    if (incumbents.cannotEnter(bound)) return true;
    std::int64_t last = -1;
    for (const Sharding& sharding : *shardings) {
        if (sharding.zeroStage == std::exchange(last, sharding.zeroStage)) continue;
        for (const Offload offload : *offloads) {
            const LayoutFigures least = shareBound(sharding.zeroStage, offload, passSeconds);
            if (!std::isinf(least.memoryBytes) && !incumbents.cannotEnter(least)) return false;
        }
    }
    return true;
}

void groupLayouts(const LayoutRequest& request, const ParallelFor& run, const Incumbents* known,
                  const std::function<void(GroupedSpace& part)>& look) {
    std::vector<std::int64_t> devices = request.devices;
    const ParallelLayout& mine = request.config.parallel;
    if (devices.empty() && mine.dp <= kMaxWorld) devices = {mine.worldSize()};
    std::erase_if(devices, [](std::int64_t world) { return world < 1 || world > kMaxWorld; });
    std::vector<SearchSpace> spaces;
    spaces.reserve(devices.size());
    PipelineTables pipelines;
    std::vector<Grouping> tasks;
    double numLayouts = 0;
    for (const std::int64_t world : devices) {
        const SearchSpace& space = spaces.emplace_back(request.config, request.cluster, world, request.limits);
        for (const Degrees& d : space.degrees) {
            tasks.emplace_back(request, space, pipelines, d, world);
            numLayouts += space.countLayouts(d) * static_cast<double>(space.microBatchSizes.size());
            if (!request.limits.allows(SearchAxis::Pp, d.pp)) continue;
            for (const std::int64_t microBatchSize : space.microBatchSizes) {
                const std::int64_t chunk = microBatchSize * d.dp;
                if (request.config.train.globalBatchSize % chunk == 0 && !pipelines.contains({d.pp, chunk}))
                    pipelines.emplace(std::pair{d.pp, chunk}, makePipelineTable(request, space, d.pp, chunk));
            }
        }
    }
    const auto group = [&](const Incumbents* pruner) {
        run(tasks.size(), [&](std::size_t i) {
            if (!request.stop.stop_requested()) tasks[i].run(pruner);
        });
        GroupedSpace part;
        std::size_t numGroups = 0;
        for (const Grouping& task : tasks) numGroups += task.groups.size();
        part.groups.reserve(numGroups);
        for (Grouping& task : tasks) {
            for (const auto& [reason, layouts] : task.counts) part.counts[reason] += layouts;
            part.groups.insert(part.groups.end(), task.groups.begin(), task.groups.end());
            task.groups = {};
            task.counts.clear();
        }
        part.numLayouts = std::exchange(numLayouts, 0);
        look(part);
    };
    group(nullptr);
    group(request.prune ? known : nullptr);
}

}  // namespace slipway
