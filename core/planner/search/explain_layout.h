// Why a layout is not better than the best, or why it is impossible, with figures; and suggested changes.
//   auto config = layoutFromText(request, "tp=8,pp=16,zero_stage=1");
//   LayoutExplanation e = explainLayout(request, *config, found.best);   e.verdict, e.reasons, e.changes
#pragma once

#include "core/planner/memory/host_memory.h"
#include "core/planner/search/layout_search.h"

#include <string>
#include <vector>

namespace slipway {

/// The config with the axes named in the text, in the words of SearchLimits ("tp=8,pp=4,schedule=1f1b"); dp follows
/// from the devices unless it is named. Other axes keep the config's value. "config" is the config itself. Errors:
/// "unknown_axis", "bad_limit".
Result<RunConfig> layoutFromText(const LayoutRequest& request, const std::string& text);

/// One change of one axis and its effect.
struct LayoutChange {
    std::string text;  ///< "zero_stage 0 -> 1"
    SearchAxis axis = SearchAxis::Tp;
    std::int64_t from = 0, to = 0;  ///< values of the axis (axisText)
    RunConfig config;               ///< with the change
    double stepSeconds = kUnknown, memoryPeakBytes = kUnknown;
    bool fits = false;  ///< in devices and nodes
};

/// All legal single steps on one axis, first those that fit, fastest first, then the rest by memory. Changes of a
/// degree trade it against dp.
std::vector<LayoutChange> layoutChanges(const LayoutRequest& request, const RunConfig& config);

/// A part of the step in this layout and in the best one.
struct PartGap {
    std::string part;  ///< "compute", "TP", ...
    double seconds = 0, bestSeconds = 0;
};

struct LayoutExplanation {
    Message verdict;               ///< one sentence
    std::vector<Message> reasons;  ///< sentences with the evidence
    bool legal = false, fits = false;
    StepEstimate step;  ///< unknown when not legal
    double memoryPeakBytes = kUnknown, memoryCapacityBytes = kUnknown;
    NodeHostMemory node;                ///< memory beside the devices
    std::vector<PartGap> gaps;          ///< against the best, largest loss first; empty without one
    std::vector<LayoutChange> changes;  ///< the three most effective
};

/// "dp 8 -> 16: 3.1 s per step, 40 GiB". @param words the change in the reader's program's notation
Message changeSentence(const std::string& words, const LayoutChange& change);

/// @param best of searchLayouts with the same request
LayoutExplanation explainLayout(const LayoutRequest& request, const RunConfig& config,
                                const std::vector<FoundLayout>& best);

/// A limit of the request that no layout can meet, with the reasons.
struct ImpossibleLimit {
    std::string limit;  ///< "tp=3", or a full range, "tp=9..12"
    SearchAxis axis = SearchAxis::Tp;
    std::vector<Message> reasons;  ///< errors of the model and batch, or the options of the search on the axis
};

/// Limits of the request that are illegal for the model and batch, or outside the options of the search. Checks
/// degrees, micro-batch size and ZeRO stage; on the other axes every valid word is an option.
std::vector<ImpossibleLimit> impossibleLimits(const LayoutRequest& request);

}  // namespace slipway
