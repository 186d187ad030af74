// Training with serving in mind: a smaller model trained longer costs more to train and less to serve.
//   breakEvenServedTokens(correctedLaw(), 5.76e23, 0.5)   // tokens after which half the optimal size is cheaper
#pragma once

#include "core/planner/laws/scaling_laws.h"

#include <cmath>

namespace slipway {

/// Compute over a model's life: 6 N D to train, 2 N for every token served.
constexpr double lifetimeFlops(const Allocation& a, double servedTokens) {
    return 6 * a.parameters * a.tokens + 2 * a.parameters * servedTokens;
}

/// Least training plus serving compute at a fixed loss (Sardana 2023, arXiv 2401.00448, eq. 3). Assumes the same
/// utilisation for serving and training.
Allocation servingOptimal(const ParametricLaw& law, double loss, double servedTokens);

/// Served tokens after which a model `sizeTimes` the optimum of `flops`, trained to the same loss, has a lower total
/// cost: (C' - C) / (2 (N - N')). Infinite where it can never reach the loss or is not smaller.
double breakEvenServedTokens(const ParametricLaw& law, double flops, double sizeTimes);

}  // namespace slipway
