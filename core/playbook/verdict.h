// The verdict rule: medians of at least three repeats, effect versus interquartile range of the baseline.
//   evaluate(claim, {.point = {0.81, 0.80, 0.83}, .baseline = {1.0, 1.02, 0.99}}).verdict
#pragma once

#include "core/playbook/playbook.h"

#include <functional>

namespace slipway {

enum class Verdict { Agrees, Differs, Inconclusive, NotRun };
std::string_view wordOf(Verdict verdict);
/// "agrees", "differs", "inconclusive", "not run" in words for people.
SourceText textOf(Verdict verdict);

/// A claim's expected value, with its tolerance or its direction: "0.75 ± 0.07", "> 0". @param figure writes a number
std::string expectedText(const Claim& claim, const std::function<std::string(double)>& figure);

/// Fewer repeats have no meaningful spread.
constexpr std::size_t kLeastRepeats = 3;

struct Samples {
    std::vector<double> point, baseline;  ///< one value per repeat, after warm-up
};

struct Judgement {
    Verdict verdict = Verdict::NotRun;
    std::size_t repeats = 0;  ///< of the side with fewer
    double pointMedian = 0, baselineMedian = 0;
    double measured = 0;  ///< ratio or difference of the medians; of a paired claim the median over repeats
    double spread = 0;    ///< interquartile range of the baseline (paired: of the repeats), in the unit of `measured`
    /// Repeats at which the same spread and effect would be conclusive: the spread of a median shrinks with the root of
    /// their number. Set where the verdict is inconclusive.
    std::optional<std::int64_t> repeatsToDecide;
};

/// Not run without a value on both sides. Inconclusive below kLeastRepeats, for pairs with a missing half, and while twice the spread is
/// larger than the effect; else agrees within the claim's tolerance, and differs outside it. The effect is the largest of the measured
/// effect, the expected effect and the tolerance, so that a low-noise measurement without the expected effect differs. For a claim about
/// a direction the effect is the distance from `expected`, and it agrees on that side.
Judgement evaluate(const Claim& claim, const Samples& samples);

/// The worst of several: differs, inconclusive, not run, agrees; not run for none.
Verdict worstOf(const std::vector<Judgement>& judgements);

/// Third quartile minus first, by linear interpolation.
double interquartileRange(std::vector<double> values);

}  // namespace slipway
