// The question to the layout search: the plan's model, training and hardware, and the limits typed on the Search
// tab. A value; the same words as `slipway search`.
#pragma once

#include "app/gui/values/plan_document.h"
#include "core/planner/search/layout_search.h"

#include <array>
#include <optional>
#include <string>

namespace slipway::gui {

struct SearchQuestion {
    SearchObjective objective = SearchObjective::Speed;
    std::string devices;                           ///< "512" or "256,512"; empty: all of the plan's hardware
    std::optional<double> memoryBytes;             ///< per rank; empty: the device's memory
    std::array<std::string, kNumSearchAxes> axes;  ///< "4", "2,4", "2..8", "<=8", a word; empty: free
    bool onlyRunnable = false;
    bool tpAcrossNodes = false;
    bool variants = false;  ///< list every layout separately; else one of each family, the others as its alternatives
    bool operator==(const SearchQuestion&) const = default;
};

/// Searched world size when the question has none: all devices of the cluster, or the ranks of the plan on a CPU.
std::int64_t defaultDevices(const PlanDocument& document);
/// An axis of the document in the question's words ("8", "1f1b", "true"); empty for a partition of layers without a word.
std::string axisText(const PlanDocument& document, SearchAxis axis);
/// A layout in the words of `slipway search --why`, every axis named.
std::string whyTextOf(const FoundLayout& layout);
/// Error: "bad_limit", "unknown_axis" or "bad_devices", with the axis (or "devices") in `where`.
Result<LayoutRequest> requestOf(const PlanDocument& document, const SearchQuestion& question);
/// True for the same model, training and hardware, regardless of layout.
bool asksTheSame(const PlanDocument& a, const PlanDocument& b);

}  // namespace slipway::gui
