// The length of a pipeline's passes without a list of actions: a recursion over micro-batches, exact for any number of
// them, and hundreds of times faster than simulating the schedule.
//   pipelineSeconds({ScheduleKind::OneFOneB, 4, 512, 1}, stages, true)
#pragma once

#include "core/planner/schedule/bubble.h"

#include <cstdint>
#include <vector>

namespace slipway {

/// Parameters of a schedule.
struct PipelineShape {
    ScheduleKind kind = ScheduleKind::OneFOneB;
    std::int64_t pp = 1, numMicroBatches = 1, virtualStages = 1;
    [[nodiscard]] std::int64_t numStages() const { return pp * virtualStages; }
    [[nodiscard]] std::int64_t numChunks() const { return pp > 1 ? chunksPerRank(kind, virtualStages) : 1; }
    /// Model stage of a rank's chunk.
    [[nodiscard]] std::int64_t stageOf(std::int64_t rank, std::int64_t chunk) const {
        return slipway::stageOf(kind, pp, rank, chunk);
    }
    /// Micro-batches that pass one chunk: each of DualPipe's two directions has one half.
    [[nodiscard]] double microBatchesPerChunk() const {
        return static_cast<double>(numMicroBatches) / (pp > 1 && kind == ScheduleKind::DualPipe ? 2 : 1);
    }
};

/// Maximum number of ranks for the recursion.
constexpr std::int64_t kMaxRecursionRanks = 1024;

/// True for AFAB, 1F1B and interleaved 1F1B in loop order: kinds with a known order of passes.
bool hasRecursion(const PipelineShape& shape);

/// SimulatedSchedule::totalSeconds of makeSchedule's list, all micro-batches. The passes of a rank depend on the ends
/// of passes of its neighbours and on its own last pass, so each is a maximum plus a duration. Such a (max, +) system
/// grows by the same amount from period to period once it is steady (Baccelli et al. 1992, Synchronization and
/// Linearity, sec. 3.7); from there complete periods are skipped.
/// @param stages one entry per stage in model order; hasRecursion(shape) must hold
/// @param withTransfers false: messages take no time
double pipelineSeconds(const PipelineShape& shape, const std::vector<StageSeconds>& stages, bool withTransfers);

/// Number of warm-up forwards of a rank before its first backward, not capped at the number of micro-batches (Narayanan
/// 2021, arXiv 2104.04473, sec. 2.2). Zero bubble kinds have no such count.
std::int64_t warmupForwards(const PipelineShape& shape, std::int64_t rank);

}  // namespace slipway
