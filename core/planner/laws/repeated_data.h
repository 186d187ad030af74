// Limited data: epochs over the same tokens count less each time, and so do parameters beyond those the data support
// (Muennighoff 2023, arXiv 2305.16264).
//   effectiveTokens(1e11, 4) == 3.73e11
#pragma once

#include "core/planner/laws/scaling_laws.h"

namespace slipway {

/// Decay of repeated tokens and of excess parameters (huggingface/datablations).
constexpr double kRepeatedTokensScale = 15.387756;
constexpr double kExcessParametersScale = 5.309743;

/// The loss fitted there on C4: alpha = beta = 0.3526596, ln A 6.255414, ln B 7.3049974, ln E 0.6254804.
ParametricLaw repeatedDataLaw();

/// U + U R* (1 - exp(-R / R*)), R repeats after the first epoch (eq. 5).
double effectiveTokens(double uniqueTokens, double epochs);
/// The same form for parameters beyond the optimum for the unique tokens (eq. 6).
double effectiveParameters(double parameters, double uniqueTokens);
/// L(N', D') for `tokens` seen, `uniqueTokens` of them distinct.
double repeatedDataLoss(double parameters, double tokens, double uniqueTokens);

struct RepeatedOptimum {
    Allocation best;
    double epochs = 1;
    double loss = 0;
    double unlimitedLoss = 0;  ///< with unlimited fresh data
};
/// Size and epochs with the least loss for C = 6 N D and this many distinct tokens.
RepeatedOptimum repeatedDataOptimum(double flops, double uniqueTokens);

}  // namespace slipway
