#include "core/stability/loss_curve.h"

#include "core/stability/spike_detector.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace slipway {
namespace {

constexpr double kPlateau = 1e-3;

double meanOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

const char* adviceFor(CurveVerdict verdict) {
    switch (verdict) {
        case CurveVerdict::TooShort: return "Too few steps to judge.";
        case CurveVerdict::Falling: return "The loss falls; nothing to do.";
        case CurveVerdict::Plateau:
            return "The loss stands still: look at the learning rate, the data and the size of the model.";
        case CurveVerdict::Rising: return "The loss rises: lower the learning rate, or go back to a checkpoint.";
        case CurveVerdict::Spiking:
            return "The loss has spikes: look at their batches; clip, skip or rewind, and lower the learning rate if they return.";
        case CurveVerdict::NonFinite:
            return "The loss was not finite: go back to a checkpoint and look at precision and learning rate.";
    }
    return "";
}

}  // namespace

LossCurve analyseLosses(const std::vector<double>& losses, std::size_t window) {
    LossCurve curve;
    if (window > 0 && losses.size() >= 2 * window) {
        SpikeDetector detector(SpikeRule::RobustZ);
        std::vector<double> before, recent;
        for (std::size_t i = 0; i < losses.size(); ++i) {
            const SpikeVerdict verdict = detector.judge(losses[i]);
            const bool inRecent = i + window >= losses.size();
            if (verdict == SpikeVerdict::NonFinite) curve.nonFinite += inRecent ? 1 : 0;
            if (verdict == SpikeVerdict::Spike) curve.spikes += inRecent ? 1 : 0;
            if (verdict != SpikeVerdict::Normal || i + 2 * window < losses.size()) continue;
            (inRecent ? recent : before).push_back(losses[i]);
        }
        curve.recent = recent.empty() ? std::nan("") : meanOf(recent);
        curve.improvement = before.empty() ? 0 : 1 - curve.recent / meanOf(before);
        curve.verdict = CurveVerdict::Falling;
        if (curve.improvement <= kPlateau) curve.verdict = CurveVerdict::Plateau;
        if (curve.improvement < -kPlateau) curve.verdict = CurveVerdict::Rising;
        if (curve.spikes > 0) curve.verdict = CurveVerdict::Spiking;
        if (curve.nonFinite > 0) curve.verdict = CurveVerdict::NonFinite;
    }
    curve.advice = adviceFor(curve.verdict);
    return curve;
}

std::size_t curveWindow(std::size_t numLosses) {
    return std::clamp<std::size_t>(numLosses / 4, 10, 100);
}

std::string curveText(const LossCurve& curve, std::size_t numLosses) {
    std::string text(wordOf(curve.verdict));
    if (curve.verdict != CurveVerdict::TooShort) {
        char facts[160];
        std::snprintf(facts, sizeof facts, ": mean loss %.4g in the last %zu of %zu steps, %.2g %% %s the mean before",
                      curve.recent, curveWindow(numLosses), numLosses, 100 * std::fabs(curve.improvement),
                      curve.improvement < 0 ? "above" : "below");
        text += facts;
        if (curve.spikes > 0) text += ", spikes: " + std::to_string(curve.spikes);
        if (curve.nonFinite > 0) text += ", not finite: " + std::to_string(curve.nonFinite);
    }
    return text + ". " + curve.advice;
}

std::optional<SourceCurve> analyseLossesAsSource(const std::vector<double>& losses, std::size_t window) {
    if (losses.size() < 2 * window) return std::nullopt;
    SourceCurve curve;
    curve.mean = meanOf(losses);
    double squares = 0;
    for (const double loss : losses) squares += (loss - curve.mean) * (loss - curve.mean);
    curve.standardDeviation = std::sqrt(squares / static_cast<double>(losses.size()));
    curve.limit = curve.mean + 3 * curve.standardDeviation;
    for (const double loss : losses) curve.spikes += loss > curve.limit ? 1 : 0;
    const auto last = losses.end() - static_cast<std::ptrdiff_t>(window);
    const double earlier = meanOf({last - static_cast<std::ptrdiff_t>(window), last});
    curve.recent = meanOf({last, losses.end()});
    curve.improvement = (earlier - curve.recent) / earlier;
    curve.stagnant = curve.improvement < kPlateau;
    if (curve.stagnant) curve.advice = "raise LR";
    return curve;
}

}  // namespace slipway
