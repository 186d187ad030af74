// Is a layout the same training as one process? Gradients, loss, norms and weights after some clipped optimizer steps
// are compared tensor by tensor with one process in fp64.
//   Result<VerifyReport> report = verifyLayout(config, {});   if (report && report->passed()) ...
// In fp64 (the default) the bounds are: gradients |a - b| <= 1e-10 max(|b|, 1e-6 global gradient norm) per parameter in
// the Frobenius norm (some true gradients are zero), loss 1e-12, the same gradient norm on every rank bit for bit,
// weights 1e-9 max(|b|, 1e-6 norm of all weights).
// In the run's own formats they come from the effect of rounding on one process: 4 times its distance from fp64 (of the
// parameter, or of the full model where that is larger) plus 2 units in the last place of the coarsest format of the
// run's sums or weights. Of the weights updated by AdamW or Lion, only those with a first gradient above its bound
// count (as a root mean square over the parameter): the sign of a smaller one is a rounding artifact.
#pragma once

#include "trainer/verify/rank_run.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway::trainer {

constexpr double kGradientBound = 1e-10;
constexpr double kLossBound = 1e-12;
constexpr double kNormBound = 1e-10;
constexpr double kWeightBound = 1e-9;
constexpr double kSmallShare = 1e-6;
constexpr double kRoundingFactor = 4;        ///< maximum rounding error of a layout as a multiple of one process's
constexpr double kVerifiedLossScale = 1024;  ///< of the layout's side, so that unscaled terms are detected
constexpr double kClipShare = 0.25;  ///< the clipping norm of a verification, as a share of the first gradient norm

struct VerifyOptions {
    std::int64_t numSteps = 5;
    Bug bug = Bug::None;           ///< tests only
    at::Device device = at::kCPU;  ///< of the layout; the one process in fp64 stays on the CPU
    VerifiedFormats formats = VerifiedFormats::Fp64;
};

struct ParameterDifference {
    std::string name;
    std::vector<std::int64_t> shape;
    double gradientNorm = 0;        ///< of the one process
    double gradientDifference = 0;  ///< |a - b| / max(|b|, 1e-6 global norm); replicas that differ count too
    double weightDifference = 0;    ///< the same for weights after the optimizer steps, of the counted ones
    double gradientBound = kGradientBound, weightBound = kWeightBound;
};

/// The one process's side, shared by layouts that differ only in `parallel` and micro-batches.
struct Reference {
    RankRun run;                          ///< in fp64
    double clipNorm = 0;                  ///< a quarter of the first gradient norm, so that every step clips
    std::optional<RankRun> rounded = {};  ///< the same process in the run's formats, when these are compared
    at::Device device = at::kCPU;         ///< of the layouts
};

struct VerifyReport {
    ParallelLayout layout;
    VerifiedFormats formats = VerifiedFormats::Fp64;
    std::string layoutText;               ///< every degree, and every effective option of the layout
    std::vector<std::string> notCovered;  ///< options of the run that this verification replaced or omitted
    std::vector<ParameterDifference> parameters;
    double loss = 0, referenceLoss = 0;
    double gradNorm = 0, referenceGradNorm = 0;
    double lossDifference = 0;  ///< relative, largest over ranks and steps
    double normDifference = 0;  ///< relative, largest over ranks and steps
    double lossBound = kLossBound, normBound = kNormBound;
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
