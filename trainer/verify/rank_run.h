// One rank's work and results in a verification: some optimizer steps, and the gradients of the first.
#pragma once

#include "core/spec/param_shard.h"
#include "core/spec/run_config.h"
#include "trainer/comm/mesh.h"
#include "trainer/parallel/bug_switch.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace slipway::trainer {

/// A part of one tensor of the model with its place in it; values are fp64 on the CPU, flat.
struct Piece {
    ParamShard shard;
    at::Tensor values;
};

struct RankRun {
    std::vector<double> losses;     ///< of each step
    std::vector<double> gradNorms;  ///< of each step, before clipping
    std::vector<Piece> gradients;   ///< of the first step: this rank's own after the reduction
    std::vector<Piece> weights;     ///< after the last step
};

struct RankRunOptions {
    std::int64_t numSteps = 5;  ///< 1 or more
    double clipNorm = 0;        ///< replaces optimizer.clip_norm
    Bug bug = Bug::None;
    double lossScale = 1;  ///< a power of two, which does not change digits; removed from the results
    at::Device device = at::kCPU;
};

/// Number formats of a verification: fp64 throughout, or those of the run.
enum class VerifiedFormats { Fp64, AsRun };

/// The config for verification, with every degree 1 for `asOneProcess`. In fp64 a small batch of the one process is one
/// micro-batch; in the run's formats it keeps its micro-batches, whose sums are rounded.
RunConfig verifiedConfig(RunConfig config, bool asOneProcess, VerifiedFormats formats = VerifiedFormats::Fp64);

/// Runs one rank on the device with random tokens; sequences have different numbers of valid targets, some none.
/// A collective over the mesh. `config` comes from verifiedConfig.
RankRun runRank(const RunConfig& config, const ProcessMesh& mesh, const RankRunOptions& options);

/// All ranks' results in rank order, on every rank. A collective over `world`.
std::vector<RankRun> gatherRuns(const RankRun& mine, ProcessGroup& world);

}  // namespace slipway::trainer
