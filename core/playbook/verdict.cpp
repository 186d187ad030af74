#include "core/playbook/verdict.h"

#include "core/metrics/metric_series.h"
#include "core/planner/evidence/score.h"

#include <algorithm>
#include <cmath>

namespace slipway {
std::string_view wordOf(Verdict verdict) {
    switch (verdict) {
        case Verdict::Agrees: return "agrees";
        case Verdict::Differs: return "differs";
        case Verdict::Inconclusive: return "inconclusive";
        case Verdict::NotRun: break;
    }
    return "not_run";
}

SourceText textOf(Verdict verdict) {
    switch (verdict) {
        case Verdict::Agrees: return "agrees"_text;
        case Verdict::Differs: return "differs"_text;
        case Verdict::Inconclusive: return "inconclusive"_text;
        case Verdict::NotRun: break;
    }
    return "not run"_text;
}

std::string expectedText(const Claim& claim, const std::function<std::string(double)>& figure) {
    if (claim.side == ClaimSide::Above) return "> " + figure(claim.expected);
    if (claim.side == ClaimSide::Below) return "< " + figure(claim.expected);
    return figure(claim.expected) + " ± " + figure(claim.tolerance);
}

double interquartileRange(std::vector<double> values) {
    return quantile(values, 0.75) - quantile(values, 0.25);
}

Judgement evaluate(const Claim& claim, const Samples& samples) {
    Judgement j;
    j.repeats = std::min(samples.point.size(), samples.baseline.size());
    if (j.repeats == 0) return j;
    j.pointMedian = median(samples.point);
    j.baselineMedian = median(samples.baseline);
    const bool isRatio = claim.kind == ClaimKind::Ratio;
    const double none = isRatio ? 1 : 0;  // measured value without an effect
    const auto effectOf = [&](double point, double baseline) { return isRatio ? point / baseline : point - baseline; };
    if (claim.isPaired) {
        std::vector<double> pairs;
        for (std::size_t i = 0; i < j.repeats; ++i) pairs.push_back(effectOf(samples.point[i], samples.baseline[i]));
        j.measured = median(pairs);
        j.spread = interquartileRange(pairs);
    } else {
        j.measured = effectOf(j.pointMedian, j.baselineMedian);
        j.spread = interquartileRange(samples.baseline) / (isRatio ? std::fabs(j.baselineMedian) : 1);
    }
    const bool isTorn = claim.isPaired && samples.point.size() != samples.baseline.size();
    const bool isSide = claim.side != ClaimSide::Around;
    const double effect =
        isSide ? std::fabs(j.measured - claim.expected)
               : std::max({std::fabs(j.measured - none), std::fabs(claim.expected - none), claim.tolerance});
    const double repeats = static_cast<double>(j.repeats);
    const bool isLost = 2 * j.spread > effect || (isSide && effect == 0);
    if (!std::isfinite(j.measured) || j.repeats < kLeastRepeats || isTorn || isLost) {
        j.verdict = Verdict::Inconclusive;
        const double needed = std::ceil(repeats * std::pow(2 * j.spread / effect, 2));
        if (std::isfinite(needed) && needed < 1e6)
            j.repeatsToDecide = std::max<std::int64_t>(static_cast<std::int64_t>(needed), kLeastRepeats);
        return j;
    }
    const double off = j.measured - claim.expected;
    const bool holds = isSide ? (claim.side == ClaimSide::Above) == (off > 0) : std::fabs(off) <= claim.tolerance;
    j.verdict = holds ? Verdict::Agrees : Verdict::Differs;
    return j;
}

Verdict worstOf(const std::vector<Judgement>& judgements) {
    if (judgements.empty()) return Verdict::NotRun;
    for (const Verdict verdict : {Verdict::Differs, Verdict::Inconclusive, Verdict::NotRun})
        for (const Judgement& j : judgements)
            if (j.verdict == verdict) return verdict;
    return Verdict::Agrees;
}

}  // namespace slipway
