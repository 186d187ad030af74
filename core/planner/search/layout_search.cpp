#include "core/planner/search/layout_search.h"

#include "core/planner/search/pareto_front.h"
#include "core/planner/search/search_groups.h"
#include "core/planner/time/step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <queue>
#include <utility>

namespace slipway {

namespace {

/// Groups searched before the incumbents are updated: few at first, when little is known. Constants, so that pruning
/// does not depend on the number of threads.
constexpr std::size_t kFirstBatch = 4, kLargestBatch = 128;

SourceText reasonText(const std::string& reason) {
    static const std::map<std::string, SourceText> texts = {
        {"excluded", "outside the limits"_text},
        {"tp_crosses_nodes", "with tensor parallelism beyond a node"_text},
        {"too_few_devices", "with more devices than the cluster has"_text},
        {"not_divisible", "with a degree that does not divide heads, widths, experts, sequence or batch"_text},
        {"bad_schedule", "with stages or micro-batches that the schedule does not allow"_text},
        {"too_many_stages", "with more pipeline stages than layers"_text},
        {"trainer_unsupported", "beyond the bundled trainer"_text},
        {"does_not_fit", "with more memory than a rank has"_text},
        {"host_does_not_fit", "with more host memory than a node has"_text},
        {"fits", "legal, and in memory"_text},
        {"undecided", "legal, and not ruled out by a bound on memory; its schedule decides"_text},
        {"no_better", "ruled out by bounds"_text},
        {"unknown_time", "without a time, because a peak or a bandwidth is unknown"_text},
        {"estimated", "estimated in full"_text}};
    const auto found = texts.find(reason);
    return found == texts.end() ? "not a valid configuration"_text : found->second;
}

}  // namespace

RunConfig FoundLayout::applied(RunConfig config) const {
    config.parallel = parallel;
    config.train.microBatchSize = microBatchSize;
    config.train.recompute.policy = recompute;
    return config;
}

namespace {

ParallelFor runnerOf(const LayoutRequest& request) {
    if (request.run) return request.run;
    return [](std::size_t count, const std::function<void(std::size_t)>& body) {
        for (std::size_t i = 0; i < count; ++i) body(i);
    };
}

/// Reasons, most frequent first.
std::vector<SearchCount> listed(const LayoutCounts& counts) {
    std::vector<SearchCount> list;
    for (const auto& [reason, layouts] : counts) list.push_back({reason, reasonText(reason), layouts});
    std::stable_sort(list.begin(), list.end(),
                     [](const SearchCount& a, const SearchCount& b) { return a.layouts > b.layouts; });
    return list;
}

}  // namespace

LayoutSearch evaluateLayouts(const LayoutRequest& request) {
    LayoutSearch result;
    const ParallelFor run = runnerOf(request);
    LayoutCounts all;
    groupLayouts(request, run, [&](GroupedSpace& space) {
        result.numLayouts = space.numLayouts;
        std::vector<LayoutCounts> counts(space.groups.size());
        run(space.groups.size(), [&](std::size_t i) {
            for (const LayoutGroup& part : space.groups[i]->parts())
                if (!request.stop.stop_requested())
                    for (const auto& [reason, layouts] : evaluateGroup(request, part)) counts[i][reason] += layouts;
        });
        counts.push_back(std::move(space.counts));
        for (const LayoutCounts& group : counts)
            for (const auto& [reason, layouts] : group) all[reason] += layouts;
    });
    result.counts = listed(all);
    result.stopped = request.stop.stop_requested();
    return result;
}

namespace {

/// The same forecast with respect to the search's objective.
bool isSame(SearchObjective objective, const LayoutFigures& a, const LayoutFigures& b) {
    const auto near = [](double x, double y) { return std::abs(x - y) <= kSameForecast * y; };
    return near(a.stepSeconds, b.stepSeconds) &&
           (objective != SearchObjective::Memory || near(a.memoryBytes, b.memoryBytes));
}

/// The first of those that only swap data for context parallelism, or chunks, with the same forecast.
std::vector<FoundLayout> withoutSwaps(SearchObjective objective, std::vector<FoundLayout> ranked) {
    std::vector<FoundLayout> kept;
    std::vector<std::pair<LayoutFamily, LayoutFigures>> seen;
    for (FoundLayout& l : ranked) {
        const LayoutFamily swaps = swapClassOf(familyOf(l.parallel, l.microBatchSize, l.recompute));
        const LayoutFigures figures = figuresOf(l);
        if (std::any_of(seen.begin(), seen.end(),
                        [&](const auto& one) { return one.first == swaps && isSame(objective, figures, one.second); }))
            continue;
        seen.emplace_back(swaps, figures);
        kept.push_back(std::move(l));
    }
    return kept;
}

/// Groups to be opened or searched, most promising first.
class GroupQueue {
public:
    explicit GroupQueue(const SearchRanking& ranking) : m_ranking(ranking) {}
    /// @param group must stay in place
    void add(const LayoutGroup& group) { m_waiting.push({m_ranking.key(group.bound), m_next++, &group}); }
    void addParts(std::vector<LayoutGroup> parts) {
        for (LayoutGroup& part : parts) add(m_parts.emplace_back(std::move(part)));
    }
    [[nodiscard]] bool isEmpty() const { return m_waiting.empty(); }
    const LayoutGroup& next() {
        const LayoutGroup& group = *m_waiting.top().group;
        m_waiting.pop();
        return group;
    }

private:
    struct Waiting {
        std::array<double, 3> key;
        std::size_t place;  ///< the first among equals
        const LayoutGroup* group;
        bool operator<(const Waiting& other) const { return key != other.key ? key > other.key : place > other.place; }
    };
    const SearchRanking& m_ranking;
    std::priority_queue<Waiting> m_waiting;
    std::deque<LayoutGroup> m_parts;
    std::size_t m_next = 0;
};

/// Branch and bound: opens groups and searches whole ones, most promising first, except those ruled out by a bound.
void searchGroups(const LayoutRequest& request, const ParallelFor& run, const GroupedSpace& space,
                  SearchRanking& ranking, LayoutCounts& counts) {
    GroupQueue queue(ranking);
    for (const LayoutGroup* group : space.groups)
        if (request.prune)
            queue.add(*group);
        else
            queue.addParts(group->parts());
    struct Looked {
        LayoutEvaluator evaluator;
        const LayoutGroup* group = nullptr;
        std::vector<LayoutGroup> parts = {};
        GroupResult found = {};
    };
    std::vector<Looked> batch(kLargestBatch, Looked{LayoutEvaluator(request.config, request.cluster)});
    std::size_t size = kFirstBatch;
    while (!queue.isEmpty() && !request.stop.stop_requested()) {
        std::size_t taken = 0;
        while (taken < size && !queue.isEmpty()) {
            const LayoutGroup& group = queue.next();
            if (request.prune && group.cannotEnter(ranking.incumbents()))
                counts["no_better"] += group.numLayouts();
            else
                batch[taken++].group = &group;
        }
        run(taken, [&](std::size_t i) {
            Looked& one = batch[i];
            if (one.group->isWhole() || !request.prune)
                one.found = searchGroup(one.evaluator, request, *one.group, ranking.incumbents());
            else
                one.parts = openGroup(one.evaluator, *one.group, ranking.incumbents());
        });
        for (std::size_t i = 0; i < taken; ++i) {
            std::vector<LayoutGroup> parts = std::exchange(batch[i].parts, {});
            std::erase_if(parts, [&](const LayoutGroup& part) {
                if (part.open.none()) counts["no_better"] += part.numLayouts();
                return part.open.none();
            });
            queue.addParts(std::move(parts));
            GroupResult found = std::exchange(batch[i].found, {});
            for (const auto& [reason, layouts] : found.counts) counts[reason] += layouts;
            for (FoundLayout& layout : found.layouts) ranking.offer(std::move(layout));
        }
        size = std::min(2 * size, kLargestBatch);
    }
}

/// For a distinct request, `best` has every family until the number of swap classes reaches the limit.
LayoutSearch rankedSearch(const LayoutRequest& request) {
    LayoutSearch result;
    const ParallelFor run = runnerOf(request);
    SearchRanking ranking(request.objective, request.limit, request.distinct, request.slowestStepSeconds);
    LayoutCounts counts;
    groupLayouts(request, run, [&](GroupedSpace& space) {
        result.numLayouts = space.numLayouts;
        for (const auto& [reason, layouts] : space.counts) counts[reason] += layouts;
        searchGroups(request, run, space, ranking, counts);
    });
    result.stopped = request.stop.stop_requested();
    result.best = ranking.best();
    result.front = ranking.front();
    result.counts = listed(counts);
    return result;
}

/// Intervals as in a plan: with the uncertainty of the stack's constants, which does not affect the ranking.
void widenIntervals(const LayoutRequest& request, std::vector<FoundLayout>& layouts) {
    if (!request.cluster.stack) return;
    for (FoundLayout& layout : layouts) {
        const RunConfig config = layout.applied(request.config);
        const ParallelLayout& p = config.parallel;
        const auto sample = sampleSchedule(p.schedule, p.pp, config.numMicroBatches(), p.virtualStages);
        if (!sample) continue;
        const StepEstimate step = estimateStep(config, request.cluster, *sample, false);
        layout.step.label = step.label;
        layout.step.stepSecondsLow = step.stepSecondsLow;
        layout.step.stepSecondsHigh = step.stepSecondsHigh;
    }
}

}  // namespace

LayoutSearch searchLayouts(const LayoutRequest& request) {
    LayoutSearch found = rankedSearch(request);
    // Whether a family only swaps is known with its best layout: families were ranked until they included enough swap classes.
    if (request.distinct) found.best = withoutSwaps(request.objective, std::move(found.best));
    if (found.best.size() > request.limit) found.best.resize(request.limit);
    widenIntervals(request, found.best);
    widenIntervals(request, found.front);
    return found;
}

}  // namespace slipway
