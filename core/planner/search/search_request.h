// Options of a layout search beyond its axes: more devices than in the cluster, less memory than a device has, and the
// layouts worth measuring. Command line and window share it.
//   growCluster(request);  limitMemory(request, 60 * kGiB);  auto five = layoutsToBenchmark(request, found, 5);
#pragma once

#include "core/planner/search/layout_search.h"

#include <cstddef>
#include <string>
#include <vector>

namespace slipway {

/// For more devices than in the cluster: adds nodes of the same kind. A CPU computer stays unchanged, because its ranks
/// share its cores.
void growCluster(LayoutRequest& request);

/// Limits each rank to `bytesPerRank`, where the device has more; unknown memory is set to this.
void limitMemory(LayoutRequest& request, double bytesPerRank);

/// Layouts of the same family (LayoutFamily) whose steps take at most kSameForecast longer, and those of families that
/// only swap data for context parallelism, or chunks (swapClassOf), and are no better by the objective; fastest first,
/// without the layout itself. A distinct search counts them with their entry.
std::vector<FoundLayout> alternativesTo(const LayoutRequest& request, const FoundLayout& layout);

/// "dp_shard 4, offload optimizer": the axes of `to` that differ from `from`.
std::string changesText(const RunConfig& config, const FoundLayout& from, const FoundLayout& to);

/// The layouts to measure, as diverse as in a distinct search: benchmarks run with the bundled trainer, so where it can
/// execute the config at all, the best executable ones, else the best of all. Runs its own search unless `found`
/// qualifies.
std::vector<FoundLayout> layoutsToBenchmark(const LayoutRequest& request, const LayoutSearch& found, std::size_t count);

}  // namespace slipway
