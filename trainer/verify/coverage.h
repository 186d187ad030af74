// Coverage of a verification: the layout in words, the options of the run outside it, and the coarseness of the run's
// formats.
#pragma once

#include "trainer/verify/rank_run.h"

#include <string>
#include <vector>

namespace slipway::trainer {

/// "dp 2, tp 2, pp 1, cp 1, zero_stage 3, sequence_parallel": degrees, then every effective option of `parallel` and of
/// recomputation that differs from its default.
std::string layoutText(const RunConfig& config);

/// Options of the run that a verification in these formats replaces or omits, such as "train.precision = bf16". @param
/// onGpu the layout's ranks compute on a GPU
std::vector<std::string> notCovered(const RunConfig& config, VerifiedFormats formats, bool onGpu);

/// Unit in the last place, relative, of the coarsest format of the run's weights, moments or gradient
/// sums.
double coarsestUnit(const RunConfig& config);

}  // namespace slipway::trainer
