// Verdict on a loss curve: separate ones for a plateau, a rise, spikes and non-finite values, each with its advice.
//   const LossCurve curve = analyseLosses(losses, 100);   if (curve.verdict == CurveVerdict::Plateau) ...
#pragma once

#include "core/base/field_table.h"
#include "core/base/message.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

enum class CurveVerdict { TooShort, Falling, Plateau, Rising, Spiking, NonFinite };
constexpr auto enumNames(CurveVerdict) {
    return std::array{EnumName<CurveVerdict>{CurveVerdict::TooShort, "too_short"},
                      EnumName<CurveVerdict>{CurveVerdict::Falling, "falling"},
                      EnumName<CurveVerdict>{CurveVerdict::Plateau, "plateau"},
                      EnumName<CurveVerdict>{CurveVerdict::Rising, "rising"},
                      EnumName<CurveVerdict>{CurveVerdict::Spiking, "spiking"},
                      EnumName<CurveVerdict>{CurveVerdict::NonFinite, "nonfinite"}};
}

struct LossCurve {
    CurveVerdict verdict = CurveVerdict::TooShort;
    double recent = 0;       ///< mean of the last window
    double improvement = 0;  ///< 1 - recent / mean of the window before it
    std::size_t spikes = 0;  ///< in the last window, by the robust z-score
    std::size_t nonFinite = 0;
    SourceText advice;  ///< one sentence
};

/// Fewer than two windows of values are TooShort. An improvement within +- 0.001 is a plateau, below it a rise; means
/// exclude spikes and non-finite values, so that one outlier cannot count as a rise.
LossCurve analyseLosses(const std::vector<double>& losses, std::size_t window);

/// A quarter of the losses, at least 10 and at most 100: the window length for the verdict on a complete run.
std::size_t curveWindow(std::size_t numLosses);
/// The verdict in words: "falling: mean loss 2.31 in the last 25 of 100 steps, 4.2 % below the mean before. The loss falls; ...".
Message curveText(const LossCurve& curve, std::size_t numLosses);

/// The analyser as printed in a source (examples.csv, row 000-7.2d), to show its errors: a spike, or a rising loss, is
/// classified as stagnant, with the advice of a higher learning rate.
struct SourceCurve {
    double mean = 0, standardDeviation = 0, limit = 0, recent = 0, improvement = 0;
    std::size_t spikes = 0;
    bool stagnant = false;
    std::string advice;
};
std::optional<SourceCurve> analyseLossesAsSource(const std::vector<double>& losses, std::size_t window);

}  // namespace slipway
