// Figures derived from the trainer's facts: throughput and MFU, computed here and nowhere else.
//   MetricSeries mfu = modelFlopsUtilisation(tokensPerSecond(tokens, stepSeconds), basis);
#pragma once

#include "core/metrics/metric_series.h"

#include <cstdint>
#include <optional>
#include <string>

namespace slipway {

/// Reference values of derived figures; the caller takes them from the plan. Absent means unknown: figures that need
/// one stay unknown too.
struct DeriveBasis {
    std::optional<double> flopsPerToken;  ///< model FLOP per trained token, forward and backward (modelFlopsPerToken)
    std::optional<double>
        peakFlops;                 ///< dense peak of all devices of the run together; ranks on one CPU share its peak
    std::string mfuRule;           ///< letter of the counting rule, "C"
    std::int64_t numDevices = 1;   ///< for figures per device; 0: unknown
    double deviceMemoryBytes = 0;  ///< of one device, or of the computer on a CPU; 0: unknown
};

/// Tokens of the steps divided by their seconds, at every step both series have. `tokens` is the running total; where
/// not every step was recorded, the mean number of tokens per step since the previous record is used.
MetricSeries tokensPerSecond(const MetricSeries& tokens, const MetricSeries& stepSeconds);

/// The same for thin series: each bucket of `stepSeconds` has the tokens between its first and its last step, spread
/// evenly over its steps; its mean is tokens divided by seconds.
ThinSeries tokensPerSecond(const ThinSeries& tokens, const ThinSeries& stepSeconds);

/// Every value times a constant: tokens/s to tokens/s per device or to MFU.
ThinSeries scaled(ThinSeries series, double factor);

/// tokens/s divided by the number of devices; empty where that is unknown (0).
MetricSeries perDevice(const MetricSeries& tokensPerSecond, std::int64_t numDevices);

/// Perplexity of a mean loss in nats per token: exp(loss), infinite above a loss of 709.78.
double perplexity(double meanLoss);
/// "3,668", "12.18"; "above 1.8e308" where exp() overflowed.
std::string formatPerplexity(double perplexity);

/// MFU = flopsPerToken * tokens/s / peakFlops, a fraction (Chowdhery 2022, PaLM, appendix B); empty without a basis.
MetricSeries modelFlopsUtilisation(const MetricSeries& tokensPerSecond, const DeriveBasis& basis);

}  // namespace slipway
