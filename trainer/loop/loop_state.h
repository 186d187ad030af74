// LoopState: state of the training loop from step to step, besides weights and moments. Checkpoints include it as JSON
// text, so that a resumed run evaluates its steps like the uninterrupted one.
#pragma once

#include "core/base/result.h"
#include "core/spec/train_spec.h"
#include "core/stability/loss_scaler.h"
#include "core/stability/noise_scale.h"
#include "core/stability/step_guard.h"

#include <deque>
#include <string>

namespace slipway::trainer {

struct LoopState {
    explicit LoopState(const TrainSpec& train)
        : guard(train.spikes),
          scaler(train.precision == Precision::Fp16 ? train.lossScale : 1.0, train.lossScaleInterval),
          scalesLoss(train.precision == Precision::Fp16) {}

    StepGuard guard;
    LossScaler scaler;
    bool scalesLoss = false;
    NoiseScaleTracker noise;
    std::deque<double> losses;   ///< of the last steps, for the verdict on the curve
    std::int64_t numLosses = 0;  ///< of all steps

    /// Records the loss of a step.
    void add(double loss);
    /// The verdict on the loss curve so far, in words.
    [[nodiscard]] std::string curve() const;

    [[nodiscard]] std::string toText() const;
    /// "bad_loop_state" for an invalid text. An empty text changes nothing.
    Result<void> restore(const std::string& text);

    static constexpr std::size_t kLossesKept = 400;
};

}  // namespace slipway::trainer
