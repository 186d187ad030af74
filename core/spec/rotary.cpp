#include "core/spec/rotary.h"

#include "core/base/real.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace slipway {

namespace {

double magnitude(double factor, double scale) {
    return factor <= 1 ? 1 : 0.1 * scale * std::log(factor) + 1;
}

/// Unscaled share of a frequency: 1 all of it, 0 none.
double keptOf(const RopeScaling& s, double frequency) {
    const double turns = real(s.originalMaxSeqLen) * frequency / (2 * std::numbers::pi);  // length over wavelength
    return std::clamp((turns - s.lowFreqFactor) / (s.highFreqFactor - s.lowFreqFactor), 0.0, 1.0);
}

/// The pair, as a real number, with this number of turns in the original length.
double pairWithTurns(const ModelSpec& m, double turns) {
    const double wavelengths = real(m.ropeScaling->originalMaxSeqLen) / (2 * std::numbers::pi * turns);
    return real(m.rotarySize()) * std::log(wavelengths) / (2 * std::log(m.ropeTheta));
}

}  // namespace

std::vector<double> rotaryFrequencies(const ModelSpec& m) {
    const double size = real(m.rotarySize());
    std::vector<double> frequencies(static_cast<std::size_t>(m.rotarySize() / 2));
    for (std::size_t i = 0; i < frequencies.size(); ++i)
        frequencies[i] = std::pow(m.ropeTheta, -2 * static_cast<double>(i) / size);
    if (!m.ropeScaling) return frequencies;
    const RopeScaling& s = *m.ropeScaling;
    const bool isYarn = s.kind == RopeScalingKind::Yarn;
    const double first = isYarn ? std::max(0.0, std::floor(pairWithTurns(m, s.betaFast))) : 0;
    const double last = isYarn ? std::min(size - 1, std::ceil(pairWithTurns(m, s.betaSlow))) : 0;
    constexpr double kStep = 0.001;  // of a blend whose first and last pair are the same
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        double kept = 0;
        if (s.kind == RopeScalingKind::Llama3) kept = keptOf(s, frequencies[i]);
        if (isYarn)
            kept = 1 - std::clamp((static_cast<double>(i) - first) / (last == first ? kStep : last - first), 0.0, 1.0);
        frequencies[i] *= kept + (1 - kept) / s.factor;
    }
    return frequencies;
}

double rotaryMagnitude(const ModelSpec& m) {
    if (!m.ropeScaling || m.ropeScaling->kind != RopeScalingKind::Yarn) return 1;
    const RopeScaling& s = *m.ropeScaling;
    if (s.mscale > 0 && s.mscaleAllDim > 0) return magnitude(s.factor, s.mscale) / magnitude(s.factor, s.mscaleAllDim);
    return magnitude(s.factor, 1);
}

double attentionMagnitude(const ModelSpec& m) {
    if (!m.mla || !m.ropeScaling || m.ropeScaling->kind != RopeScalingKind::Yarn) return 1;
    const double m1 = magnitude(m.ropeScaling->factor, m.ropeScaling->mscaleAllDim);
    return m1 * m1;
}

}  // namespace slipway
