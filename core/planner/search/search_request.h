// What people ask of a layout search beyond its axes: more devices than the cluster names, less memory than a device
// has, and the layouts worth measuring. Command line and window share it.
//   growCluster(request);  limitMemory(request, 60 * kGiB);  auto five = layoutsToBenchmark(request, found, 5);
#pragma once

#include "core/planner/search/layout_search.h"

#include <cstddef>
#include <string>
#include <vector>

namespace slipway {

/// More devices than the cluster names: as many nodes of the same kind as they need. A CPU computer stays as it is,
/// because its ranks share its cores.
void growCluster(LayoutRequest& request);

/// No rank may hold more than `bytesPerRank`, where the device has more; memory that is not known becomes this.
void limitMemory(LayoutRequest& request, double bytesPerRank);

/// Layouts of the same family (LayoutFamily) whose steps take at most kSameForecast longer, and those of families that only swap
/// data against context parallelism, or chunks (swapClassOf), that come no earlier by what was asked for; fastest first, without the layout
/// itself. A distinct search counts them with their entry.
std::vector<FoundLayout> alternativesTo(const LayoutRequest& request, const FoundLayout& layout);

/// "dp_shard 4, offload optimizer": the axes of `to` that are not as in `from`.
std::string changesText(const RunConfig& config, const FoundLayout& from, const FoundLayout& to);

/// The layouts to measure, as different as a distinct search makes them: benchmarks run with the bundled trainer, so
/// where it can execute the config at all, the best that it can execute, else the best of all. A search of its own
/// unless `found` is that.
std::vector<FoundLayout> layoutsToBenchmark(const LayoutRequest& request, const LayoutSearch& found, std::size_t count);

}  // namespace slipway
