#include "core/planner/search/layout_search.h"

#include "core/planner/search/pareto_front.h"
#include "core/planner/search/search_groups.h"

#include <algorithm>
#include <map>

namespace slipway {

namespace {

/// Groups that are searched before the next look at what is already known: few at first, when little is known. Constants,
/// so that what is pruned does not depend on the number of threads.
constexpr std::size_t kFirstBatch = 4, kLargestBatch = 128;

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
        {"host_does_not_fit", "a node's memory does not hold the checkpoint copy and what is offloaded to it"},
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

ParallelFor runnerOf(const LayoutRequest& request) {
    if (request.run) return request.run;
    return [](std::size_t count, const std::function<void(std::size_t)>& body) {
        for (std::size_t i = 0; i < count; ++i) body(i);
    };
}

/// Reasons, the most frequent first.
std::vector<SearchCount> listed(const LayoutCounts& counts) {
    std::vector<SearchCount> list;
    for (const auto& [reason, layouts] : counts) list.push_back({reason, reasonText(reason), layouts});
    std::stable_sort(list.begin(), list.end(),
                     [](const SearchCount& a, const SearchCount& b) { return a.layouts > b.layouts; });
    return list;
}

}  // namespace

LayoutSearch judgeLayouts(const LayoutRequest& request) {
    LayoutSearch result;
    const ParallelFor run = runnerOf(request);
    GroupedSpace space = groupLayouts(request, run);
    result.numLayouts = space.numLayouts;
    std::vector<LayoutCounts> counts(space.groups.size());
    run(space.groups.size(), [&](std::size_t i) {
        if (!request.stop.stop_requested()) counts[i] = judgeGroup(request, space.groups[i]);
    });
    for (const LayoutCounts& group : counts)
        for (const auto& [reason, layouts] : group) space.counts[reason] += layouts;
    result.counts = listed(space.counts);
    result.stopped = request.stop.stop_requested();
    return result;
}

LayoutSearch searchLayouts(const LayoutRequest& request) {
    LayoutSearch result;
    const ParallelFor run = runnerOf(request);
    GroupedSpace space = groupLayouts(request, run);
    result.numLayouts = space.numLayouts;

    // The most promising groups first, as long as a bound does not say that nothing better can come.
    SearchRanking ranking(request.objective, request.limit, request.distinct);
    std::vector<LayoutGroup>& groups = space.groups;
    std::stable_sort(groups.begin(), groups.end(), [&](const LayoutGroup& a, const LayoutGroup& b) {
        return ranking.key(a.bound) < ranking.key(b.bound);
    });
    std::vector<const LayoutGroup*> batch;
    std::vector<GroupResult> found(kLargestBatch);
    std::size_t size = kFirstBatch;
    for (std::size_t next = 0; next < groups.size() && !request.stop.stop_requested();) {
        for (batch.clear(); batch.size() < size && next < groups.size(); ++next) {
            if (request.prune && groups[next].cannotEnter(ranking.incumbents()))
                space.counts["no_better"] += groups[next].numLayouts();
            else
                batch.push_back(&groups[next]);
        }
        run(batch.size(), [&](std::size_t i) { found[i] = searchGroup(request, *batch[i], ranking.incumbents()); });
        for (std::size_t i = 0; i < batch.size(); ++i) {
            for (const auto& [reason, layouts] : found[i].counts) space.counts[reason] += layouts;
            for (FoundLayout& layout : found[i].layouts) ranking.offer(std::move(layout));
        }
        size = std::min(2 * size, kLargestBatch);
    }
    result.stopped = request.stop.stop_requested();
    result.best = ranking.takeBest();
    result.front = ranking.takeFront();
    result.counts = listed(space.counts);
    return result;
}

}  // namespace slipway
