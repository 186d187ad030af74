// Is a layout the same training as one process? All ranks run in fp64; gradients, loss, norms and weights after some
// clipped AdamW steps are compared tensor by tensor.
//   Result<VerifyReport> report = verifyLayout(config, {});   if (report && report->passed()) ...
// Bounds: gradients |a - b| <= 1e-10 max(|b|, 1e-6 global gradient norm) per parameter in the Frobenius norm (some true
// gradients are zero), loss 1e-12, the same gradient norm on every rank bit for bit, weights 1e-9 max(|b|, 1e-6 norm of
// all weights).
#pragma once

#include "trainer/verify/rank_run.h"

#include <string>
#include <vector>

namespace slipway::trainer {

constexpr double kGradientBound = 1e-10;
constexpr double kLossBound = 1e-12;
constexpr double kNormBound = 1e-10;
constexpr double kWeightBound = 1e-9;
constexpr double kSmallShare = 1e-6;
constexpr double kVerifiedLossScale = 1024;  ///< of the layout's side, so that whatever is not scaled shows
constexpr double kClipShare = 0.25;  ///< the clipping norm of a verification, as a share of the first gradient norm

struct VerifyOptions {
    std::int64_t numSteps = 5;
    Bug bug = Bug::None;           ///< tests only
    at::Device device = at::kCPU;  ///< of the layout; the one process stays on the CPU
};

struct ParameterDifference {
    std::string name;
    std::vector<std::int64_t> shape;
    double gradientNorm = 0;        ///< of the one process
    double gradientDifference = 0;  ///< |a - b| / max(|b|, 1e-6 global norm); replicas that differ count too
    double weightDifference = 0;    ///< the same for weights after the optimizer steps
};

/// The one process's side, to be shared by layouts that differ in `parallel` and micro-batches only.
struct Reference {
    RankRun run;
    double clipNorm = 0;  ///< a quarter of the first gradient norm, so that every step clips
};

struct VerifyReport {
    ParallelLayout layout;
    std::vector<ParameterDifference> parameters;
    double loss = 0, referenceLoss = 0;
    double gradNorm = 0, referenceGradNorm = 0;
    double lossDifference = 0;   ///< relative, largest over ranks and steps
    double normDifference = 0;   ///< relative, largest over ranks and steps
    bool normsIdentical = true;  ///< the same bits on all ranks in every step
    double largestGradientDifference = 0, largestWeightDifference = 0;
    std::vector<std::string> failures;  ///< one sentence each; empty when the layout is the same training

    [[nodiscard]] bool passed() const { return failures.empty(); }
};

/// Errors: "bad_config" with every issue of validate() and trainerSupports().
Result<void> checkVerifiable(const RunConfig& config);
Reference makeReference(const RunConfig& config, const VerifyOptions& options);
VerifyReport compareWithReference(const RunConfig& config, const Reference& reference,
                                  const std::vector<RankRun>& ranks);

/// All ranks as threads of this process.
VerifyReport verifyInProcess(const RunConfig& config, const Reference& reference, const VerifyOptions& options);
Result<VerifyReport> verifyLayout(const RunConfig& config, const VerifyOptions& options);

}  // namespace slipway::trainer
