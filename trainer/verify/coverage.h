// What a verification covers: the layout in words, the options of the run that it does not exercise, and how coarse the
// run's formats are.
#pragma once

#include "trainer/verify/rank_run.h"

#include <string>
#include <vector>

namespace slipway::trainer {

/// "dp 2, tp 2, pp 1, cp 1, zero_stage 3, sequence_parallel": degrees, then every option of `parallel` and of
/// recomputation that acts and differs from its default.
std::string layoutText(const RunConfig& config);

/// Options of the run that a verification in these formats replaces or leaves out, as "train.precision = bf16". @param
/// onGpu the layout's ranks compute on a GPU
std::vector<std::string> notCovered(const RunConfig& config, VerifiedFormats formats, bool onGpu);

/// Unit in the last place, relative, of the coarsest format in which the run keeps weights and moments or sums
/// gradients.
double coarsestUnit(const RunConfig& config);

}  // namespace slipway::trainer
