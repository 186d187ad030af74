// The space of a search in groups: layouts that share degrees, micro-batch and layer options. What is illegal or excluded
// is counted here; each group has bounds that hold for all of its layouts.
#pragma once

#include "core/planner/search/layout_evaluator.h"
#include "core/planner/search/layout_search.h"
#include "core/planner/search/pareto_front.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace slipway {

/// Layouts by what became of them (SearchCount::reason).
using LayoutCounts = std::map<std::string, double>;

struct LayoutGroup {
    Degrees degrees;
    std::int64_t microBatchSize = 1, devices = 1;
    LayerOptions options;
    const LegalPipelines* pipelines = nullptr;
    const std::vector<Sharding>* shardings = nullptr;  ///< allowed ones, in the space's order
    const std::vector<Offload>* offloads = nullptr;
    const ShareBounds* shareBounds = nullptr;  ///< seconds beside the passes, by ZeRO stage and offload
    ShareBytes leastBytes = {};                ///< no layout needs less; infinite where even that does not fit
    double passSeconds = 0;                    ///< at most those of any of its layouts
    double hostWaitSeconds = 0;                ///< more of them where activations are offloaded
    LayoutFigures bound;                       ///< none of its layouts is better in any of these
    /// None of its layouts with this ZeRO stage and offload is better in any of these.
    /// @param seconds at most those of the passes of the layouts that are meant
    [[nodiscard]] LayoutFigures shareBound(std::int64_t zeroStage, Offload offload, double seconds) const;
    /// No layout of this group can become one of the best or part of the front.
    [[nodiscard]] bool cannotEnter(const Incumbents& incumbents) const;
    [[nodiscard]] double numVariants() const {
        return static_cast<double>(shardings->size()) * static_cast<double>(offloads->size());
    }
    [[nodiscard]] double numLayouts() const { return static_cast<double>(pipelines->choices.size()) * numVariants(); }
};

struct GroupedSpace {
    std::vector<LayoutGroup> groups;  ///< in the order of the axes
    LayoutCounts counts;              ///< of layouts that are in no group
    double numLayouts = 0;            ///< of the whole space, in its first part
};

/// Groups the space in two parts: what has the smallest micro-batch size of its degrees, and all else.
/// @param known what look() has found; of the second part it rules groups out before their own bounds are made. Null: nothing
/// @param look is called with each part; its groups live as long as the call
void groupLayouts(const LayoutRequest& request, const ParallelFor& run, const Incumbents* known,
                  const std::function<void(GroupedSpace& part)>& look);

/// What looking into a group found.
struct GroupResult {
    LayoutCounts counts;
    std::vector<FoundLayout> layouts;  ///< those that may become one of the best or part of the front
};

/// Judges every layout of the group and estimates what fits and could be better than the incumbents.
/// @param incumbents of the search; a copy grows with the group's own layouts
GroupResult searchGroup(const LayoutRequest& request, const LayoutGroup& group, const Incumbents& incumbents);

/// Legality and memory alone: "fits", "undecided" or why not.
LayoutCounts judgeGroup(const LayoutRequest& request, const LayoutGroup& group);

}  // namespace slipway
