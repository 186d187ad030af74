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

SourceText adviceFor(CurveVerdict verdict) {
    switch (verdict) {
        case CurveVerdict::TooShort: return "Too few steps for a verdict."_text;
        case CurveVerdict::Falling: return "The loss falls; nothing to do."_text;
        case CurveVerdict::Plateau:
            return "The loss has stopped falling: check the learning rate, the data and the model size."_text;
        case CurveVerdict::Rising: return "The loss rises: lower the learning rate, or return to a checkpoint."_text;
        case CurveVerdict::Spiking:
            return "The loss has spikes: check their batches; clip, skip or rewind, and lower the learning rate if they recur."_text;
        case CurveVerdict::NonFinite:
            return "The loss is not finite: return to a checkpoint and check precision and learning rate."_text;
    }
    return {};
}

SourceText verdictText(CurveVerdict verdict) {
    switch (verdict) {
        case CurveVerdict::TooShort: return "too short"_text;
        case CurveVerdict::Falling: return "falling"_text;
        case CurveVerdict::Plateau: return "plateau"_text;
        case CurveVerdict::Rising: return "rising"_text;
        case CurveVerdict::Spiking: return "spiking"_text;
        case CurveVerdict::NonFinite: return "not finite"_text;
    }
    return {};
}

std::string figure(const char* format, double value) {
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

}  // namespace

LossCurve analyseLosses(const std::vector<double>& losses, std::size_t window) {
    LossCurve curve;
    if (window > 0 && losses.size() >= 2 * window) {
        SpikeDetector detector(SpikeRule::RobustZ);
        std::vector<double> before, recent;
        for (std::size_t i = 0; i < losses.size(); ++i) {
            const SpikeVerdict verdict = detector.evaluate(losses[i]);
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

Message curveText(const LossCurve& curve, std::size_t numLosses) {
    const Message verdict = verdictText(curve.verdict);
    if (curve.verdict == CurveVerdict::TooShort) return "%1. %2"_text(verdict, curve.advice);
    const SourceText change = curve.improvement < 0
                                  ? "%1: mean loss %2 in the last %3 of %4 steps, %5 % above the mean before"_text
                                  : "%1: mean loss %2 in the last %3 of %4 steps, %5 % below the mean before"_text;
    Message text = change(verdict, figure("%.4g", curve.recent), curveWindow(numLosses), numLosses,
                          figure("%.2g", 100 * std::fabs(curve.improvement)));
    if (curve.spikes > 0) text = "%1, spikes: %2"_text(text, curve.spikes);
    if (curve.nonFinite > 0) text = "%1, not finite: %2"_text(text, curve.nonFinite);
    return "%1. %2"_text(text, curve.advice);
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
