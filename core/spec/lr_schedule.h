// The learning rate over steps, as a pure function: trainer, planner and window share it.
#pragma once

#include "core/spec/train_spec.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace slipway {

/// Learning rate at `step` of `numSteps` (any unit both share: steps or tokens). Linear warm-up from 0 at step 0 to `lr` at warmupSteps,
/// then constant, cosine to lr * minLrRatio at numSteps (Loshchilov and Hutter 2017, eq. 5, one cycle), or WSD: constant until numSteps -
/// decaySteps, then down to lr * minLrRatio (Hu 2024; 1 - sqrt: Haegele 2024), or lr * sqrt(warmupSteps / step), not below lr *
/// minLrRatio (Vaswani 2017, section 5.3; without warm-up: lr / sqrt(step)). Past numSteps it stays at the end value. The trainer's k-th
/// update (k = 1 is the first) uses step k, so that no update has a rate of 0.
inline double learningRate(const LrSchedule& schedule, double lr, double step, double numSteps) {
    const auto warmup = static_cast<double>(schedule.warmupSteps);
    if (step < warmup) return lr * std::max(step, 0.0) / warmup;
    if (schedule.kind == LrScheduleKind::Constant) return lr;

    if (schedule.kind == LrScheduleKind::InverseSqrt)
        return lr * std::max(schedule.minLrRatio, std::sqrt(std::max(warmup, 1.0) / std::max(step, 1.0)));

    const bool wsd = schedule.kind == LrScheduleKind::Wsd;
    const double decayBegin = wsd ? std::max(warmup, numSteps - static_cast<double>(schedule.decaySteps)) : warmup;
    const double decayLength = numSteps - decayBegin;
    const double done = decayLength > 0 ? std::clamp((step - decayBegin) / decayLength, 0.0, 1.0)
                                        : (step >= numSteps && !wsd ? 1.0 : 0.0);
    const DecayShape shape = wsd ? schedule.decayShape : DecayShape::Cosine;
    double remaining = 1.0 - done;  // linear
    if (shape == DecayShape::Cosine) remaining = 0.5 * (1.0 + std::cos(std::numbers::pi * done));
    if (shape == DecayShape::OneMinusSqrt) remaining = 1.0 - std::sqrt(done);
    const double minimum = lr * schedule.minLrRatio;
    return minimum + (lr - minimum) * remaining;
}

}  // namespace slipway
