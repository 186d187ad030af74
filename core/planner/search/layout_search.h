// Exact search over layouts: everything the planner can evaluate, under memory, divisibility, topology and the caller's
// limits; omitted layouts were ruled out by bounds, and are counted with the reason.
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

/// Runs body(0) .. body(count - 1), in any order and on any threads, and returns when all are done. Core has no
/// threads: callers with threads supply this.
using ParallelFor = std::function<void(std::size_t count, const std::function<void(std::size_t)>& body)>;

struct LayoutRequest {
    RunConfig config;  ///< model, batch, fixed options
    ClusterSpec cluster;
    std::vector<std::int64_t> devices = {};  ///< world sizes to search; empty: the config's
    /// Host memory of a node; empty: as listed for its devices (nodeHostCapacity).
    std::optional<double> nodeBytes = {};
    SearchLimits limits = {};
    SearchObjective objective = SearchObjective::Speed;
    std::size_t limit = 10;  ///< entries of `best`
    /// `best` has one layout, the best, of each family (LayoutFamily), and only the best of families that merely swap
    /// ranks between data and context parallelism, or chunks (swapClassOf), with the same forecast (kSameForecast).
    bool distinct = false;
    /// Slower layouts are ignored: they enter neither `best` nor `front`.
    double slowestStepSeconds = std::numeric_limits<double>::infinity();
    bool tpAcrossNodes = false;  ///< allow tensor parallelism over more devices than a node has
    bool onlyRunnable = false;   ///< only layouts that the bundled trainer can execute
    bool prune = true;           ///< false: every layout that fits is estimated (reference for tests)
    ParallelFor run = {};        ///< empty: sequential
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

/// Properties that distinguish usefully different layouts: degrees, schedule with its chunks, micro-batch size,
/// recomputation. Layouts of one family differ in properties that the forecast often cannot distinguish: sharding
/// groups and stages, kind of exchange, offload, layers of the ends, sequence parallelism and its overlap.
using LayoutFamily = std::array<std::int64_t, 10>;
LayoutFamily familyOf(const ParallelLayout& parallel, std::int64_t microBatchSize, RecomputePolicy recompute);

/// Equal for families that differ only in the split of ranks between data and context parallelism, with equal tokens of a micro-batch on
/// each (dp 8, micro-batch 1 and dp 4, cp 2, micro-batch 2), and in the number of chunks per pipeline rank.
LayoutFamily swapClassOf(const LayoutFamily& family);
/// The forecast cannot distinguish step times, or values of the objective, closer than this: its own intervals are far wider.
constexpr double kSameForecast = 0.01;

/// Outcomes of the layouts.
struct SearchCount {
    std::string
        reason;  ///< "excluded", "tp_crosses_nodes", validate's code, "does_not_fit", "no_better", "estimated", ...
    SourceText text;  ///< one clause
    double layouts = 0;
};

struct LayoutSearch {
    std::vector<FoundLayout> best;   ///< by the objective, best first
    std::vector<FoundLayout> front;  ///< Pareto front: none is better in one of step time, memory, device-hours without
                                     ///< being worse in another; by step time
    std::vector<SearchCount> counts;  ///< sums up to numLayouts; the same for any number of threads
    double numLayouts = 0;            ///< size of the space
    bool stopped = false;             ///< stop was requested; the results cover the time until then
};

/// The best layouts and the Pareto front. The result depends on the request alone, not on `run`.
LayoutSearch searchLayouts(const LayoutRequest& request);

/// The first half alone: counts of legal and fitting layouts ("fits" and the reasons against).
LayoutSearch evaluateLayouts(const LayoutRequest& request);

/// "TP 8, PP 16, DP 128, ZeRO 1, SP, 1F1B, micro-batch 1": a layout in one line.
std::string layoutText(const ParallelLayout& parallel, std::int64_t microBatchSize, RecomputePolicy recompute);

/// A sweep file (experiments/README.md) with these layouts as points, for `slipway --batch`: "benchmark these".
Json benchmarkSweep(const LayoutRequest& request, const std::vector<FoundLayout>& layouts);

}  // namespace slipway
