// Breakdown of a step's time, from the devices' peak to the achieved speed: measured, beside the forecast.
//   StepAccount account = accountOf(evidence);   account.measured.seconds[TimePart::Kernels] ...
// The parts up to Unexplained add up to the step time, all of them to the time from one step to the next. Pure.
#pragma once

#include "core/base/json.h"
#include "core/base/message.h"
#include "core/metrics/derive.h"
#include "core/metrics/metric_series.h"
#include "core/spec/parallel_layout.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// In drawing order. Seconds of a step, mean over ranks; of a forecast, of its critical rank.
enum class TimePart {
    Useful,          ///< the model's FLOP at the devices' peak
    Kernels,         ///< passes beyond that, without waits and recomputation
    Recompute,       ///< the passes' time in proportion to its FLOP
    TensorParallel,  ///< waits for collectives, without SlowRanks
    ContextParallel,
    ExpertParallel,
    DataParallel,
    Collectives,  ///< of runs that do not record the axis
    Pipeline,     ///< bubble and messages: waits for neighbours in the pipeline
    SlowRanks,    ///< waits for ranks of the same stage that work longer
    Optimizer,    ///< with clipping, without waits
    Data,
    Overhead,     ///< fixed time of a step; forecast only
    Unexplained,  ///< the rest of the step; negative where parts overlap
    SlowSteps,    ///< mean step beyond the median one; this and all below are outside the step
    Checkpoints,
    Evaluations,
    BetweenSteps,  ///< the rest of the time to the next step
};
constexpr std::size_t kNumTimeParts = 18;
constexpr auto enumNames(TimePart) {
    return std::array{EnumName<TimePart>{TimePart::Useful, "useful"},
                      EnumName<TimePart>{TimePart::Kernels, "kernels"},
                      EnumName<TimePart>{TimePart::Recompute, "recompute"},
                      EnumName<TimePart>{TimePart::TensorParallel, "tensor_parallel"},
                      EnumName<TimePart>{TimePart::ContextParallel, "context_parallel"},
                      EnumName<TimePart>{TimePart::ExpertParallel, "expert_parallel"},
                      EnumName<TimePart>{TimePart::DataParallel, "data_parallel"},
                      EnumName<TimePart>{TimePart::Collectives, "collectives"},
                      EnumName<TimePart>{TimePart::Pipeline, "pipeline"},
                      EnumName<TimePart>{TimePart::SlowRanks, "slow_ranks"},
                      EnumName<TimePart>{TimePart::Optimizer, "optimizer"},
                      EnumName<TimePart>{TimePart::Data, "data"},
                      EnumName<TimePart>{TimePart::Overhead, "overhead"},
                      EnumName<TimePart>{TimePart::Unexplained, "unexplained"},
                      EnumName<TimePart>{TimePart::SlowSteps, "slow_steps"},
                      EnumName<TimePart>{TimePart::Checkpoints, "checkpoints"},
                      EnumName<TimePart>{TimePart::Evaluations, "evaluations"},
                      EnumName<TimePart>{TimePart::BetweenSteps, "between_steps"}};
}
/// "Kernels below peak"
SourceText titleOf(TimePart part);
/// Contents of the part, in a sentence.
SourceText helpOf(TimePart part);
/// True for SlowSteps and later parts.
bool isOutsideStep(TimePart part);

/// Seconds by part. Absent: not measured or forecast; its time is in another part.
struct TimeParts {
    std::array<std::optional<double>, kNumTimeParts> seconds;
    std::optional<double>& operator[](TimePart part) { return seconds[static_cast<std::size_t>(part)]; }
    const std::optional<double>& operator[](TimePart part) const { return seconds[static_cast<std::size_t>(part)]; }
    /// Sum over the parts of the step, or over all.
    [[nodiscard]] double sum(bool withOutside) const;
};

/// Lower and upper quartile over the steps.
struct Quartiles {
    double low = 0, high = 0;
};

struct StepAccount {
    TimeParts measured, forecast;
    std::array<std::optional<Quartiles>, kNumTimeParts> spread;  ///< of parts that consist of one metric
    std::optional<Quartiles> stepSpread;
    std::optional<double> stepSeconds;  ///< median
    std::optional<double> forecastSeconds;
    std::optional<double> wallSeconds;  ///< mean time from one step to the next; absent without clock
    std::optional<double> tokensPerStep;
    std::optional<double> mfu, forecastMfu;                  ///< fraction; of the step
    std::optional<double> wallMfu;                           ///< including time outside the step
    std::optional<double> peakFlops;                         ///< of all devices
    std::string mfuRule;                                     ///< letter of the counting rule
    std::string label;                                       ///< basis of the forecast
    std::int64_t firstStep = 0, lastStep = 0, numSteps = 0;  ///< measured
    std::int64_t leftOut = 0;                                ///< omitted at the start and after each restart
    std::vector<Message> notes;                              ///< unknown figures, with reasons

    /// Percent of the peak that a part costs: seconds / stepSeconds x 100; Useful is the MFU.
    [[nodiscard]] std::optional<double> share(TimePart part, bool forecast) const;
};

struct AccountEvidence {
    /// Valid points of a trainer's metric, "tokens" and "time_unix_ms" among them; empty where there are none.
    std::function<MetricSeries(const std::string& name)> seriesOf;
    DeriveBasis basis;
    ParallelLayout layout;
    std::vector<std::int64_t> resumeSteps;  ///< of the attempts after the first
    std::string forecastJson;               ///< forecastJson() as text; empty: none
};

/// Medians over the steps after warm-up (warmupSteps(), also after each restart). Non-finite values are omitted.
StepAccount accountOf(const AccountEvidence& evidence);

/// {"step_seconds": ..., "mfu": ..., "parts": [{"part": "kernels", "seconds": ..., "forecast_seconds": ...}, ...]}
Json toJson(const StepAccount& account);

}  // namespace slipway
