// The space of a search as a tree of groups: layouts that share degrees, layer options and recomputation, initially
// with every micro-batch size. Illegal and excluded layouts are counted here; each group has bounds for all of its
// layouts, and opens into groups with tighter ones.
#pragma once

#include "core/planner/search/layout_evaluator.h"
#include "core/planner/search/layout_search.h"
#include "core/planner/search/pareto_front.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slipway {

/// Numbers of layouts by outcome (SearchCount::reason).
using LayoutCounts = std::map<std::string, double>;

/// Data shared by the groups with the same degrees.
struct DegreeSpace {
    struct MicroBatch {
        std::int64_t size = 1;
        const LegalPipelines* pipelines = nullptr;  ///< at least one
        std::size_t numBefore = 0;                  ///< pipelines of those before it
    };
    Degrees degrees;
    std::int64_t devices = 1;
    std::vector<Sharding> shardings;       ///< allowed, in the space's order
    std::vector<Offload> offloads;         ///< allowed
    std::vector<MicroBatch> microBatches;  ///< allowed and legal, ascending
    LeastPipeline least;                   ///< of all micro-batches
};

/// Layouts that differ in micro-batch size, pipeline, sharding and offload.
struct LayoutGroup {
    const DegreeSpace* space = nullptr;
    LayerOptions options;
    std::size_t begin = 0, end = 0;                ///< of space->microBatches
    bool isPlain = false;                          ///< bounded by the seconds without recomputation
    const ShareBounds* shareBounds = nullptr;      ///< of a range of micro-batches
    std::shared_ptr<const ShareBounds> ownBounds;  ///< of its pipelines alone, once it is open
    /// None of the layouts with this ZeRO stage and offload (shareClass) is better in either; infinite where none fits, or none is.
    ShareBytes leastBytes = {};
    std::array<double, kNumShareClasses> leastSeconds = {};
    ShareClasses open;    ///< that may contain a layout for the best or the front
    LayoutFigures bound;  ///< lower bounds for its layouts in open classes

    [[nodiscard]] std::int64_t microBatchSize() const { return space->microBatches[begin].size; }
    [[nodiscard]] const LegalPipelines& pipelines() const { return *space->microBatches[begin].pipelines; }
    [[nodiscard]] bool isOne() const { return end - begin == 1; }
    /// One micro-batch size, and bounds that cannot be tighter.
    [[nodiscard]] bool isWhole() const { return isOne() && !isPlain; }
    /// No layout of this group can enter the best or the front.
    [[nodiscard]] bool cannotEnter(const Incumbents& incumbents) const { return !isOpen(incumbents, nullptr); }
    /// Closes the classes for which that is true.
    void close(const Incumbents& incumbents) { isOpen(incumbents, &open); }
    [[nodiscard]] double numVariants() const {
        return static_cast<double>(space->shardings.size()) * static_cast<double>(space->offloads.size());
    }
    [[nodiscard]] double numLayouts() const;
    /// Its parts by micro-batch size, without their own bounds.
    [[nodiscard]] std::vector<LayoutGroup> parts() const;

private:
    bool isOpen(const Incumbents& incumbents, ShareClasses* stillOpen) const;
};

struct GroupedSpace {
    std::vector<const LayoutGroup*> groups;  ///< in the order of the axes
    LayoutCounts counts;                     ///< of layouts outside any group
    double numLayouts = 0;                   ///< of the complete space
};

/// Groups the space.
/// @param look is called with the space; its groups, and those opened from them, live as long as the call
void groupLayouts(const LayoutRequest& request, const ParallelFor& run,
                  const std::function<void(GroupedSpace& space)>& look);

/// A group that is not whole with its own seconds, or in two by micro-batch size.
/// @param evaluator of the search's config and cluster; its storage is used again
std::vector<LayoutGroup> openGroup(LayoutEvaluator& evaluator, LayoutGroup group, const Incumbents& incumbents);

/// Results of searching a group.
struct GroupResult {
    LayoutCounts counts;
    std::vector<FoundLayout> layouts;  ///< candidates for the best or the front
};

/// Judges every layout of a whole group and estimates what fits and could be better than the incumbents.
/// @param evaluator as for openGroup()
/// @param incumbents of the search; a copy grows with the group's own layouts
GroupResult searchGroup(LayoutEvaluator& evaluator, const LayoutRequest& request, const LayoutGroup& group,
                        const Incumbents& incumbents);

/// Legality and memory alone, of a group with one micro-batch size: "fits", "undecided" or the reason against.
LayoutCounts evaluateGroup(const LayoutRequest& request, const LayoutGroup& group);

}  // namespace slipway
