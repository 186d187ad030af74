// Exact search over layouts: everything the planner can judge, under memory, divisibility, topology and the caller's
// limits; what is left out is proven to be no better, and counted with its reason.
//   LayoutRequest request{config, cluster};  request.limits.set("tp<=8");
//   LayoutSearch found = searchLayouts(request);   found.best, found.front, found.counts
#pragma once

#include "core/planner/search/search_space.h"
#include "core/planner/values/forecast.h"

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway {

enum class SearchObjective { Speed, Memory, Cost };
constexpr auto enumNames(SearchObjective) {
    using Name = EnumName<SearchObjective>;
    return std::array{Name{SearchObjective::Speed, "speed", "shortest step"_text},
                      Name{SearchObjective::Memory, "memory", "smallest peak of the worst rank"_text},
                      Name{SearchObjective::Cost, "cost", "fewest device-hours for the training"_text}};
}

/// Runs body(0) .. body(count - 1), in any order and on any threads, and returns when all are done. Core has no threads:
/// whoever has some passes this.
using ParallelFor = std::function<void(std::size_t count, const std::function<void(std::size_t)>& body)>;

struct LayoutRequest {
    RunConfig config;  ///< model, batch, options that are not searched
    ClusterSpec cluster;
    std::vector<std::int64_t> devices = {};  ///< world sizes to look at; empty: the config's
    /// Memory of a node beside that of its devices; empty: what is listed for them (nodeHostCapacity).
    std::optional<double> nodeBytes = {};
    SearchLimits limits = {};
    SearchObjective objective = SearchObjective::Speed;
    std::size_t limit = 10;  ///< entries of `best`
    /// `best` has one layout, the best, of each family (LayoutFamily), and the best alone of families that only swap ranks
    /// between data and context parallelism, or chunks (swapClassOf), with the same forecast (kSameForecast).
    bool distinct = false;
    /// Slower layouts are of no interest: they enter neither `best` nor `front`.
    double slowestStepSeconds = std::numeric_limits<double>::infinity();
    bool tpAcrossNodes = false;  ///< allow tensor parallelism over more devices than a node has
    bool onlyRunnable = false;   ///< only what the bundled trainer can execute
    bool prune = true;           ///< false: every layout that fits is estimated (a test's yardstick)
    ParallelFor run = {};        ///< empty: one after the other
    std::stop_token stop = {};
};

/// A layout with its figures.
struct FoundLayout {
    ParallelLayout parallel;
    std::int64_t microBatchSize = 1;
    RecomputePolicy recompute = RecomputePolicy::None;
    StepEstimate step;  ///< without timeline
    double memoryPeakBytes = kUnknown;
    CostEstimate cost;

    /// The config with this layout.
    [[nodiscard]] RunConfig applied(RunConfig config) const;
};

/// What layouts that are usefully different differ in: degrees, schedule with its chunks, micro-batch size, recomputation. Of one family
/// are layouts that differ in properties the forecast often cannot distinguish: who shards together and what, kind of exchange, offload,
/// layers of the ends, sequence parallelism and its overlap.
using LayoutFamily = std::array<std::int64_t, 10>;
LayoutFamily familyOf(const ParallelLayout& parallel, std::int64_t microBatchSize, RecomputePolicy recompute);

/// Equal for families that differ alone in how ranks are shared between data and context parallelism, with as many tokens of a
/// micro-batch on each (dp 8, micro-batch 1 and dp 4, cp 2, micro-batch 2), and in how many chunks a pipeline's rank has.
LayoutFamily swapClassOf(const LayoutFamily& family);
/// Step times, and what a search asks for, closer than this are one to the forecast: its own intervals are far wider.
constexpr double kSameForecast = 0.01;

/// What became of the layouts.
struct SearchCount {
    std::string
        reason;  ///< "excluded", "tp_crosses_nodes", validate's code, "does_not_fit", "no_better", "estimated", ...
    SourceText text;  ///< one clause
    double layouts = 0;
};

struct LayoutSearch {
    std::vector<FoundLayout> best;   ///< by the objective, best first
    std::vector<FoundLayout> front;  ///< Pareto: none is better in one of step time, memory, device-hours without being
                                     ///< worse in another; by step time
    std::vector<SearchCount> counts;  ///< sums up to numLayouts; the same for any number of threads
    double numLayouts = 0;            ///< size of the space
    bool stopped = false;             ///< stop was requested; the rest is what was found until then
};

/// The best layouts and the Pareto front. The result depends on the request alone, not on `run`.
LayoutSearch searchLayouts(const LayoutRequest& request);

/// The first half alone: which layouts are legal and fit, as counts ("fits" and the reasons against).
LayoutSearch judgeLayouts(const LayoutRequest& request);

/// "TP 8, PP 16, DP 128, ZeRO 1, SP, 1F1B, micro-batch 1": a layout in one line.
std::string layoutText(const ParallelLayout& parallel, std::int64_t microBatchSize, RecomputePolicy recompute);

/// A sweep file (experiments/README.md) with these layouts as points, for `slipway --batch`: "benchmark these".
Json benchmarkSweep(const LayoutRequest& request, const std::vector<FoundLayout>& layouts);

}  // namespace slipway
