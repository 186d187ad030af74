// Memory of every pipeline rank at its peak.
#pragma once

#include "core/planner/plan.h"
#include "core/planner/schedule/played_schedule.h"

namespace slipway {

/// Bytes of one rank of each pipeline stage (ranks that differ only in tp, cp, dp hold the same).
/// @param played of the config; its passes tell how many micro-batches are kept at once
std::vector<StageMemory> stageMemory(const RunConfig& config, const ClusterSpec& cluster, const PlayedSchedule& played);

/// Parameters one rank of this pipeline rank holds, with all its chunks.
double rankParameters(const RunConfig& config, std::int64_t pipelineRank);

/// Model layers of each stage: first index and number, in model order.
struct StageRange {
    std::int64_t first = 0, count = 0;
};
std::vector<StageRange> stageRanges(const RunConfig& config);

/// Bytes one rank may use: the device's memory, or the CPU's share of a rank. NaN when unknown.
double capacityPerRank(const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
