#include "core/planner/search/search_groups.h"

#include "core/base/real.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace slipway {

namespace {

/// More devices than in any cluster: a mistyped degree.
constexpr std::int64_t kMaxWorld = 1000000;
constexpr double kNone = std::numeric_limits<double>::infinity();

/// The first problem of a config.
/// @param pipeline false: ignore the requirements of its schedule and stages
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
    LayoutCounts refused;  ///< choices by reason
};

PipelineTable makePipelineTable(const LayoutRequest& request, const SearchSpace& space, std::int64_t pp,
                                std::int64_t chunk) {
    PipelineTable table;
    RunConfig config = request.config;
    ParallelLayout& p = config.parallel;
    // Schedules depend only on ranks and micro-batches, so the simplest layout with the same numbers represents all.
    p = {};
    p.pp = pp;
    p.dp = chunk;
    config.train.microBatchSize = 1;
    std::map<std::pair<ScheduleKind, std::int64_t>, std::string> codes;
    for (const PipelineChoice& choice : space.pipelines(pp)) {
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
        table.legal.add(PartitionedPipeline(config.model, pp, choice),
                        {choice.schedule, pp, config.numMicroBatches(), choice.virtualStages});
    }
    return table;
}

/// By pipeline ranks and micro-batch size x dp.
using PipelineTables = std::map<std::pair<std::int64_t, std::int64_t>, PipelineTable>;

/// Sets the group's bound from those of its open classes; infinite without any.
void setBound(LayoutGroup& group) {
    const auto devices = static_cast<double>(group.space->devices);
    group.bound = {kNone, kNone, kNone};
    for (std::size_t of = 0; of < kNumShareClasses; ++of) {
        if (!group.open.test(of)) continue;
        group.bound.memoryBytes = std::min(group.bound.memoryBytes, group.leastBytes.at(of));
        group.bound.stepSeconds = std::min(group.bound.stepSeconds, group.leastSeconds.at(of));
        group.bound.deviceSeconds = std::min(group.bound.deviceSeconds, group.leastSeconds.at(of) * devices);
    }
}

/// Seconds by ZeRO stage and offload.
/// @param hostWaits of offloaded activations
void setSeconds(LayoutGroup& group, const ShareBounds& bounds, double passSeconds, double hostWaits) {
    for (std::int64_t zero = 0; zero < static_cast<std::int64_t>(kNumZeroStages); ++zero)
        for (const auto& offload : enumNames(Offload{}))
            if (const std::size_t of = shareClass(zero, offload.value); group.open.test(of))
                group.leastSeconds.at(of) = bounds.seconds(
                    passSeconds + (offloadsActivations(offload.value) ? hostWaits : 0), zero, offload.value);
}

/// Lower bounds over the group's pipelines.
const LeastPipeline& leastOf(const LayoutGroup& group) {
    return group.isOne() ? group.pipelines() : group.space->least;
}

/// From the group's smallest micro-batch: larger ones have at least as many tokens in flight.
void setBytes(LayoutGroup& group, LayoutEvaluator& evaluator) {
    const DegreeSpace& space = *group.space;
    evaluator.setLayers(space.degrees, group.microBatchSize(), group.options);
    const ShareBytes bytes = evaluator.boundBytes(leastOf(group), group.open);
    for (std::size_t of = 0; of < kNumShareClasses; ++of) {
        if (!group.open.test(of)) continue;
        group.leastBytes.at(of) = bytes.at(of);
        if (bytes.at(of) > evaluator.capacityBytes()) group.open.reset(of);
    }
}

/// Passes of the group's largest micro-batch, which wastes least; smaller ones fill a pipeline sooner.
double passSeconds(const LayoutGroup& group, LayoutEvaluator& evaluator) {
    const DegreeSpace& space = *group.space;
    LeastPipeline least = leastOf(group);
    const std::int64_t largest = space.microBatches[group.end - 1].size;
    least.kinds.isOneChunk = least.kinds.isOneChunk && group.isOne();
    least.kinds.leastBefore *= real(group.microBatchSize()) / real(largest);
    evaluator.setLayers(space.degrees, largest, group.options);
    return evaluator.boundSeconds(least);
}

void setSeconds(LayoutGroup& group, LayoutEvaluator& evaluator, const Incumbents& incumbents) {
    const double seconds = passSeconds(group, evaluator);
    group.isPlain = false;
    setSeconds(group, *group.shareBounds, seconds, 0);
    setBound(group);
    if (!group.isOne() || group.cannotEnter(incumbents)) return;
    group.ownBounds = std::make_shared<const ShareBounds>(
        evaluator.boundShares(group.pipelines(), group.space->shardings, group.open));
    setSeconds(group, *group.ownBounds, seconds, evaluator.boundHostWait());
    setBound(group);
}

/// Reason that rules these degrees out, for any other options; else null.
const char* refused(const LayoutRequest& request, const Degrees& d) {
    const std::pair<SearchAxis, std::int64_t> axes[] = {{SearchAxis::Tp, d.tp}, {SearchAxis::Pp, d.pp},
                                                        {SearchAxis::Cp, d.cp}, {SearchAxis::Dp, d.dp},
                                                        {SearchAxis::Ep, d.ep}, {SearchAxis::Etp, d.etp}};
    for (const auto& [axis, value] : axes)
        if (!request.limits.allows(axis, value)) return "excluded";
    if (!request.tpAcrossNodes && request.cluster.numNodes > 1 && d.tp > request.cluster.devicesPerNode)
        return "tp_crosses_nodes";
    return nullptr;
}

/// The groups of one choice of degrees.
class Grouping {
public:
    Grouping(const LayoutRequest& request, const SearchSpace& space, const PipelineTables& pipelines,
             const Degrees& degrees, std::int64_t devices)
        : m_request(request), m_searched(space), m_pipelines(pipelines) {
        m_space.degrees = degrees;
        m_space.devices = devices;
        for (const auto& policy : enumNames(RecomputePolicy{}))
            if (allows(SearchAxis::Recompute, static_cast<std::int64_t>(policy.value)))
                m_policies.push_back(policy.value);
    }

    /// @pre the object must stay in place: groups refer to it
    void run() {
        const Degrees& d = m_space.degrees;
        const double perMicroBatch = m_searched.countLayouts(d);
        setVariants();
        for (const std::int64_t size : m_searched.microBatchSizes)
            if (const char* reason = addMicroBatch(size)) count(reason, perMicroBatch);
        if (m_sizes.empty()) return;
        m_evaluator.emplace(m_request.config, m_request.cluster);
        if (!m_space.microBatches.empty()) setOpen();
        const std::vector<LayerOptions> options = m_searched.layerOptions(d);
        groups.reserve(options.size() * m_policies.size());
        for (const LayerOptions& one : options) withOptions(one, perMicroBatch / static_cast<double>(options.size()));
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

    void setVariants() {
        const std::vector<Sharding> all = m_searched.shardings(m_space.degrees);
        for (const Sharding& s : all)
            if (allows(SearchAxis::ZeroStage, s.zeroStage) &&
                allows(SearchAxis::DpShard, s.dpShard > 0 ? s.dpShard : m_space.degrees.dp))
                m_space.shardings.push_back(s);
        for (const Offload offload : m_searched.offloads)
            if (allows(SearchAxis::Offload, static_cast<std::int64_t>(offload))) m_space.offloads.push_back(offload);
        m_numVariants = static_cast<double>(all.size()) * static_cast<double>(m_searched.offloads.size());
    }

    /// Sets m_states, m_open.
    void setOpen() {
        m_evaluator->setLayers(m_space.degrees, m_space.microBatches.front().size, {});
        m_states = m_evaluator->boundBytes(m_space.least, ShareClasses().set(), true);
        for (const Sharding& sharding : m_space.shardings)
            for (const Offload offload : m_space.offloads) {
                const std::size_t of = shareClass(sharding.zeroStage, offload);
                if (!m_request.prune || !(m_states.at(of) > m_evaluator->capacityBytes())) m_open.set(of);
            }
    }

    /// Reason that rules the size out; else null.
    const char* addMicroBatch(std::int64_t size) {
        if (!allows(SearchAxis::MicroBatchSize, size)) return "excluded";
        const std::int64_t chunk = size * m_space.degrees.dp;
        if (m_request.config.train.globalBatchSize % chunk != 0) return "not_divisible";
        const PipelineTable& table = m_pipelines.at({m_space.degrees.pp, chunk});
        const double variants =
            static_cast<double>(m_space.shardings.size()) * static_cast<double>(m_space.offloads.size());
        Size own{size, m_space.microBatches.size(), {}};
        for (const auto& [reason, choices] : table.refused) own.refused[reason] += choices * m_numVariants;
        own.refused["excluded"] += static_cast<double>(table.legal.choices.size()) * (m_numVariants - variants);
        for (const auto& [reason, layouts] : own.refused) m_refused[reason] += layouts;
        m_sizes.push_back(std::move(own));
        if (table.legal.choices.empty() || !(variants > 0)) return nullptr;
        if (m_space.microBatches.empty())
            m_space.least = table.legal;
        else
            m_space.least.keepLesser(table.legal);
        m_space.microBatches.push_back({size, &table.legal, m_numPipelines});
        m_numPipelines += table.legal.choices.size();
        return nullptr;
    }

    /// Problem of these degrees and options, for any pipeline and recomputation.
    std::string wrong(const LayerOptions& options, std::int64_t microBatchSize) {
        m_evaluator->setLayers(m_space.degrees, microBatchSize, options);
        return wrongWith(m_evaluator->config(), false);
    }

    /// @param layouts of one micro-batch size
    void withOptions(const LayerOptions& options, double layouts) {
        const double all = layouts * static_cast<double>(m_sizes.size());
        if (!allows(SearchAxis::SequenceParallel, options.sequenceParallel ? 1 : 0) ||
            !allows(SearchAxis::AsyncTp, options.asyncTp ? 1 : 0) ||
            !allows(SearchAxis::CpKind, static_cast<std::int64_t>(options.cpKind)))
            return count("excluded", all);
        if (m_request.config.train.batchRamp.initial != 0) return withRamp(options, layouts);
        if (const std::string code = wrong(options, m_sizes.front().value); !code.empty()) return count(code, all);
        countPolicies(all, m_refused);
        for (const auto& [begin, end] : ranges(options)) add(options, begin, end);
    }

    /// The batches of a ramp are divisible only by some micro-batches.
    void withRamp(const LayerOptions& options, double layouts) {
        for (const Size& size : m_sizes) {
            if (const std::string code = wrong(options, size.value); !code.empty()) {
                count(code, layouts);
                continue;
            }
            countPolicies(layouts, size.refused);
            const std::size_t at = size.index;
            if (at < m_space.microBatches.size() && m_space.microBatches[at].size == size.value)
                add(options, at, at + 1);
        }
    }

    /// @param layouts of all recompute policies
    /// @param refused of one of them
    void countPolicies(double layouts, const LayoutCounts& refused) {
        const double perPolicy = layouts / static_cast<double>(enumNames(RecomputePolicy{}).size());
        count("excluded", layouts - perPolicy * static_cast<double>(m_policies.size()));
        for (const auto& [reason, choices] : refused) count(reason, choices * static_cast<double>(m_policies.size()));
    }

    /// Ranges of micro-batch sizes with a common bound: larger ones take no longer and need no less memory.
    [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> ranges(const LayerOptions& options) const {
        const std::size_t all = m_space.microBatches.size();
        if (all == 0) return {};
        const Degrees& d = m_space.degrees;
        const TrainSpec& train = m_request.config.train;
        // More efficient products hide less communication, twice: a piece of a tensor-parallel edge and half of a ring.
        // A graph saves the same for any micro-batch. Without a known order of passes the number in flight is unknown.
        const bool twice = options.asyncTp && d.cp > 1 && options.cpKind == CpKind::Ring;
        std::vector<std::pair<std::size_t, std::size_t>> parts;
        if (twice || train.cudaGraphs || !m_space.least.kinds.isOrdered) {
            for (std::size_t at = 0; at < all; ++at) parts.emplace_back(at, at + 1);
            return parts;
        }
        // With fewer micro-batches than ranks the amount in flight is the same for any size, and less of it stays in
        // the layer being reduced. (From two on, float8 copies of weights also stay.)
        std::size_t full = 0;
        while (full < all &&
               m_space.microBatches[full].size * d.dp * std::max<std::int64_t>(d.pp, 2) <= train.globalBatchSize)
            ++full;
        if (full > 0) parts.emplace_back(0, full);
        for (std::size_t at = full; at < all; ++at) parts.emplace_back(at, at + 1);
        return parts;
    }

    void add(const LayerOptions& options, std::size_t begin, std::size_t end) {
        LayoutGroup group;
        group.space = &m_space;
        group.options = options;
        group.begin = begin;
        group.end = end;
        group.leastBytes = m_states;
        const double seconds = passSeconds(group, *m_evaluator);
        const double ofAll = group.numLayouts() * static_cast<double>(m_policies.size());
        // If the trainer cannot execute it without a pipeline's and offload's options, it cannot with them.
        if (m_request.onlyRunnable && !trainerSupports(m_evaluator->config()).empty())
            return count("trainer_unsupported", ofAll);
        if (!(seconds > 0)) return count("unknown_time", ofAll);
        const auto [bounds, isNew] = m_bounds.try_emplace({end, options.sequenceParallel});
        if (isNew) bounds->second = m_evaluator->boundShares(m_space.least, m_space.shardings, m_open);
        group.shareBounds = &bounds->second;
        const double hostWaits = group.isOne() ? m_evaluator->boundHostWait() : 0;
        for (const RecomputePolicy policy : m_policies) {
            // Recomputation never takes less time.
            group.isPlain = policy != RecomputePolicy::None;
            group.options.recompute = policy;
            group.open = m_open;
            setSeconds(group, bounds->second, seconds, group.isPlain ? 0 : hostWaits);
            setBytes(group, *m_evaluator);
            setBound(group);
            if (m_request.prune && group.open.none())
                count("does_not_fit", group.numLayouts());
            else
                groups.push_back(group);
        }
    }

    const LayoutRequest& m_request;
    const SearchSpace& m_searched;
    const PipelineTables& m_pipelines;
    DegreeSpace m_space;
    std::vector<RecomputePolicy> m_policies;  ///< allowed ones
    ShareBytes m_states = {};                 ///< least bytes of model state
    ShareClasses m_open;                      ///< whose model state fits
    double m_numVariants = 0;                 ///< with those that are excluded
    std::size_t m_numPipelines = 0;           ///< of m_space.microBatches
    /// An allowed micro-batch size, also one that no pipeline takes.
    struct Size {
        std::int64_t value = 1;
        std::size_t index = 0;  ///< of m_space.microBatches, if present
        LayoutCounts refused;   ///< layouts of one recompute policy
    };
    std::vector<Size> m_sizes;
    LayoutCounts m_refused;                                        ///< of all sizes
    std::map<std::pair<std::size_t, bool>, ShareBounds> m_bounds;  ///< by LayoutGroup::end and sequence parallelism
    std::optional<LayoutEvaluator> m_evaluator;                    ///< during run()
};

}  // namespace

bool LayoutGroup::isOpen(const Incumbents& incumbents, ShareClasses* stillOpen) const {
    if (incumbents.cannotEnter(bound)) {
        if (stillOpen != nullptr) stillOpen->reset();
        return false;
    }
    const auto devices = static_cast<double>(space->devices);
    for (std::size_t of = 0; of < kNumShareClasses; ++of) {
        if (!open.test(of)) continue;
        const double seconds = leastSeconds.at(of);
        if (!incumbents.cannotEnter({seconds, leastBytes.at(of), seconds * devices})) {
            if (stillOpen == nullptr) return true;
        } else if (stillOpen != nullptr) {
            stillOpen->reset(of);
        }
    }
    return stillOpen != nullptr && stillOpen->any();
}

double LayoutGroup::numLayouts() const {
    const DegreeSpace::MicroBatch& last = space->microBatches[end - 1];
    const std::size_t pipelines =
        last.numBefore + last.pipelines->choices.size() - space->microBatches[begin].numBefore;
    return static_cast<double>(pipelines) * numVariants();
}

std::vector<LayoutGroup> LayoutGroup::parts() const {
    std::vector<LayoutGroup> all(end - begin, *this);
    for (std::size_t at = 0; at < all.size(); ++at) {
        all[at].begin = begin + at;
        all[at].end = begin + at + 1;
    }
    return all;
}

std::vector<LayoutGroup> openGroup(LayoutEvaluator& evaluator, LayoutGroup group, const Incumbents& incumbents) {
    group.close(incumbents);
    std::vector<LayoutGroup> parts{group};
    if (group.isPlain) {
        setSeconds(parts.front(), evaluator, incumbents);
        return parts;
    }
    // The smaller ones, fewer and with the least memory, need as much as all; the larger ones take as long.
    const std::size_t middle = group.begin + std::max<std::size_t>(1, (group.end - group.begin) / 4);
    LayoutGroup& larger = parts.emplace_back(group);
    LayoutGroup& smaller = parts.front();
    smaller.end = larger.begin = middle;
    if (smaller.isOne()) setBytes(smaller, evaluator);
    if (smaller.open.any()) setSeconds(smaller, evaluator, incumbents);
    setBytes(larger, evaluator);
    setBound(larger);
    if (larger.isOne() && larger.open.any() && !larger.cannotEnter(incumbents))
        setSeconds(larger, evaluator, incumbents);
    return parts;
}

void groupLayouts(const LayoutRequest& request, const ParallelFor& run,
                  const std::function<void(GroupedSpace& space)>& look) {
    std::vector<std::int64_t> devices = request.devices;
    const ParallelLayout& mine = request.config.parallel;
    if (devices.empty() && mine.dp <= kMaxWorld) devices = {mine.worldSize()};
    std::erase_if(devices, [](std::int64_t world) { return world < 1 || world > kMaxWorld; });
    std::vector<SearchSpace> spaces;
    spaces.reserve(devices.size());
    PipelineTables pipelines;
    std::vector<Grouping> tasks;
    GroupedSpace all;
    for (const std::int64_t world : devices) {
        const SearchSpace& space = spaces.emplace_back(request.config, request.cluster, world, request.limits);
        for (const Degrees& d : space.degrees) {
            const double layouts = space.countLayouts(d) * static_cast<double>(space.microBatchSizes.size());
            all.numLayouts += layouts;
            if (const char* reason = refused(request, d)) {
                if (layouts > 0) all.counts[reason] += layouts;
                continue;
            }
            tasks.emplace_back(request, space, pipelines, d, world);
            for (const std::int64_t microBatchSize : space.microBatchSizes) {
                const std::int64_t chunk = microBatchSize * d.dp;
                if (request.config.train.globalBatchSize % chunk == 0 && !pipelines.contains({d.pp, chunk}))
                    pipelines.emplace(std::pair{d.pp, chunk}, makePipelineTable(request, space, d.pp, chunk));
            }
        }
    }
    run(tasks.size(), [&](std::size_t i) {
        if (!request.stop.stop_requested()) tasks[i].run();
    });
    for (Grouping& task : tasks) {
        for (const auto& [reason, layouts] : task.counts) all.counts[reason] += layouts;
        for (const LayoutGroup& group : task.groups) all.groups.push_back(&group);
    }
    look(all);
}

}  // namespace slipway
