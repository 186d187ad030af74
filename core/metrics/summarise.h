// The figures by which runs are compared: one set for forecast and measurement, with the same JSON keys.
//   RunFigures measured = summarise(store.allSeries(run).value(), basis);   Json json = measuredJson(measured);
#pragma once

#include "core/base/json.h"
#include "core/metrics/derive.h"
#include "core/metrics/metric_series.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// Absent means unknown (JSON null), which is never 0. A value may really be NaN or infinite.
struct RunFigures {
    std::optional<double> stepSeconds;      ///< median of the steps after warm-up
    std::optional<double> tokensPerSecond;  ///< whole run
    std::optional<double> tokensPerSecondPerDevice;
    std::optional<double> mfu;  ///< fraction; see mfuRule
    std::string mfuRule;
    std::optional<double> memoryPeakBytes;    ///< tensors, worst rank
    std::optional<double> memoryRssBytes;     ///< whole process, worst rank
    std::optional<double> bubbleFraction;     ///< observed, or simulated in a forecast
    std::optional<double> bubbleTheoretical;  ///< forecasts only
    std::optional<double> bubbleSimulated;    ///< forecasts only
    std::optional<double> commBytes;          ///< sent per rank and step, mean over ranks
    std::optional<double> commSeconds;        ///< per step, mean over ranks
    std::optional<double> commExposedSeconds;
    std::optional<double> finalLoss;  ///< of the last step recorded
    std::optional<double> minLoss;
    std::optional<double> finalEvalLoss;  ///< held-out loss of the last evaluation; unknown without one
    std::optional<double> numSteps;       ///< steps recorded
    std::optional<double> warmupSteps;    ///< steps omitted at the start
    std::optional<double> totalTokens;
    std::optional<double> parameters;     ///< forecasts only: elements in all
    std::optional<double> flopsPerToken;  ///< basis of mfu
    std::optional<double> peakFlops;
    std::optional<double>
        refusedMemoryBytes;  ///< the refused value of memoryPeakBytes, beyond the device's memory; not stored

    bool operator==(const RunFigures&) const = default;
};
using Measured = RunFigures;

struct FigureInfo {
    std::string_view key;  ///< JSON key and, in the store, column name
    SourceText unit;
    std::optional<double> RunFigures::*member;
};
/// All numeric figures in the order of the JSON document.
const std::vector<FigureInfo>& figureInfos();

/// Steps omitted at the start of a run of n recorded steps: a fifth, at least 1 (when n > 1), at most 10.
std::int64_t warmupSteps(std::int64_t numRecorded);

/// The measured figures from a run's series (names of metric_names.h plus "tokens"). Medians are taken over the steps
/// after warm-up; throughput is tokens per step over the median step time; final_loss and final_eval_loss are the last
/// ones recorded, finite or not. Impossible figures are omitted: refusedMeasurements().
Measured summarise(const std::vector<MetricSeries>& series, const DeriveBasis& basis);

/// Every key of forecastJson that can be measured, plus the losses; null where unknown, non-finite numbers as strings.
Json measuredJson(const Measured& measured);
/// Samples (sequences) per second: tokens per second over the tokens of a sequence; unknown without either.
std::optional<double> samplesPerSecond(const RunFigures& figures, std::optional<std::int64_t> seqLen);
/// exp(final_loss) and exp(final_eval_loss).
std::optional<double> finalPerplexity(const RunFigures& figures);
std::optional<double> finalEvalPerplexity(const RunFigures& figures);
/// measuredJson with samples_per_second, perplexity and eval_perplexity, which are derived and not stored.
Json shownJson(const RunFigures& figures, std::optional<std::int64_t> seqLen);

/// Reads the figures out of measuredJson or a forecast document; other keys and values of other types are ignored.
RunFigures figuresFromJson(const Json& json);

}  // namespace slipway
