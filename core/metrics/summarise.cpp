#include "core/metrics/summarise.h"

#include "core/base/units.h"
#include "core/metrics/refused_figures.h"
#include "core/metrics/series_pieces.h"
#include "core/spec/plausible.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace slipway {
namespace {

/// Results of one pass over a series.
struct SeriesFacts {
    std::size_t count = 0;
    std::int64_t firstStep = 0, steadyStep = 0, lastStep = 0;  ///< steady: the first one after warm-up
    double first = 0, steady = 0, last = 0;
    std::optional<double> min, max;  ///< of the finite values
};

SeriesFacts factsOf(const PieceSource& pieces, const char* name, std::size_t skip) {
    SeriesFacts facts;
    pieces(name, [&](std::span<const std::int64_t> steps, std::span<const double> values) {
        for (std::size_t i = 0; i < values.size(); ++i, ++facts.count) {
            const double value = values[i];
            if (facts.count == 0) facts.firstStep = steps[i], facts.first = value;
            if (facts.count == skip) facts.steadyStep = steps[i], facts.steady = value;
            facts.lastStep = steps[i];
            facts.last = value;
            if (!std::isfinite(value)) continue;
            facts.min = std::min(facts.min.value_or(value), value);
            facts.max = std::max(facts.max.value_or(value), value);
        }
    });
    return facts;
}

/// Median after the first `skip` records; unknown when the metric was not reported or never finite.
std::optional<double> steadyMedian(const PieceSource& pieces, const char* name, std::size_t skip) {
    const double value = medianOfPieces([&](const auto& take) {
        std::size_t warmup = skip;
        pieces(name, [&](std::span<const std::int64_t>, std::span<const double> values) {
            const std::size_t left = std::min(warmup, values.size());
            warmup -= left;
            take(values.subspan(left));
        });
    });
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

Measured figuresOf(std::size_t recorded, const PieceSource& pieces, const DeriveBasis& basis) {
    Measured out;
    const auto skip = static_cast<std::size_t>(warmupSteps(static_cast<std::int64_t>(recorded)));
    if (recorded > 0) {
        out.numSteps = static_cast<double>(recorded);
        out.warmupSteps = static_cast<double>(skip);
    }
    const auto medianOf = [&](const char* name) { return steadyMedian(pieces, name, skip); };
    out.stepSeconds = medianOf("step_seconds");
    // A stream that does not count tokens has 0 in every step.
    if (const SeriesFacts t = factsOf(pieces, "tokens", skip); t.count > 0 && t.last > 0) {
        out.totalTokens = t.last;
        // Tokens per step over the same steps as the median, so that both describe the steady state.
        std::int64_t steps = t.lastStep;
        double count = t.last;
        if (t.count > skip + 1) {
            steps -= t.steadyStep;
            count -= t.steady;
        } else if (t.count > 1) {
            steps -= t.firstStep;
            count -= t.first;
        }
        if (steps > 0 && out.stepSeconds && *out.stepSeconds > 0)
            out.tokensPerSecond = count / static_cast<double>(steps) / *out.stepSeconds;
    }
    if (out.tokensPerSecond && basis.numDevices > 0)
        out.tokensPerSecondPerDevice = *out.tokensPerSecond / static_cast<double>(basis.numDevices);
    out.flopsPerToken = basis.flopsPerToken;
    out.peakFlops = basis.peakFlops;
    if (out.tokensPerSecond && basis.flopsPerToken && basis.peakFlops && *basis.peakFlops > 0) {
        const double mfu = *basis.flopsPerToken * *out.tokensPerSecond / *basis.peakFlops;
        if (impossibleValue("mfu", mfu).empty()) {
            out.mfu = mfu;
            out.mfuRule = basis.mfuRule;
        }
    }
    out.memoryPeakBytes = factsOf(pieces, "memory_peak_bytes", skip).max;
    leaveOutBeyondDevice(out, basis.deviceMemoryBytes);
    out.memoryRssBytes = factsOf(pieces, "memory_rss_bytes", skip).max;
    out.bubbleFraction = medianOf("bubble_observed");
    out.commBytes = medianOf("comm_bytes");
    out.commSeconds = medianOf("comm_seconds");
    out.commExposedSeconds = medianOf("comm_exposed_seconds");
    if (const SeriesFacts loss = factsOf(pieces, "loss", skip); loss.count > 0) {
        out.finalLoss = loss.last;
        out.minLoss = loss.min;
    }
    if (const SeriesFacts held = factsOf(pieces, "eval_loss", skip); held.count > 0) out.finalEvalLoss = held.last;
    return out;
}

}  // namespace

namespace {

std::optional<double> figureIn(const Json& json, const FigureInfo& info) {
    const auto it = json.find(std::string(info.key));
    if (it == json.end()) return {};
    // A forecast lists parameters by part; the figure is the total.
    const Json& value = it->is_object() && it->contains("total") ? (*it)["total"] : *it;
    const auto number = numberFromJson(value, std::string(info.key));
    return number ? std::optional(*number) : std::nullopt;
}

}  // namespace

std::vector<Message> refusedFigures(const Json& json) {
    std::vector<Message> refused;
    if (!json.is_object()) return refused;
    for (const FigureInfo& info : figureInfos())
        if (const auto number = figureIn(json, info))
            if (const SourceText why = impossibleValue(info.key, *number); !why.empty())
                refused.push_back(why(info.key));
    return refused;
}

void leaveOutBeyondDevice(RunFigures& figures, double deviceMemoryBytes) {
    if (!figures.memoryPeakBytes ||
        impossibleValue("memory_peak_bytes", *figures.memoryPeakBytes, deviceMemoryBytes).empty())
        return;
    figures.refusedMemoryBytes = std::exchange(figures.memoryPeakBytes, std::nullopt);
}

std::vector<Message> refusedMeasurements(const RunFigures& figures) {
    std::vector<Message> refused;
    if (!figures.mfu && figures.tokensPerSecond && figures.flopsPerToken && figures.peakFlops > 0.0)
        if (*figures.flopsPerToken * *figures.tokensPerSecond > *figures.peakFlops)
            refused.push_back(
                "The measured MFU exceeds 100 % and was left out; the plan's peak of the device is too low."_text);
    if (figures.refusedMemoryBytes)
        refused.push_back(
            "The measured memory peak of %1 exceeds the device memory of the plan and was left out; check the plan's device."_text(
                formatBytes(*figures.refusedMemoryBytes)));
    return refused;
}

const std::vector<FigureInfo>& figureInfos() {
    static const std::vector<FigureInfo> all = {
        {"step_seconds", "s"_text, &RunFigures::stepSeconds},
        {"tokens_per_second", "tokens/s"_text, &RunFigures::tokensPerSecond},
        {"tokens_per_second_per_device", "tokens/s/device"_text, &RunFigures::tokensPerSecondPerDevice},
        {"mfu", "fraction"_text, &RunFigures::mfu},
        {"memory_peak_bytes", "bytes"_text, &RunFigures::memoryPeakBytes},
        {"memory_rss_bytes", "bytes"_text, &RunFigures::memoryRssBytes},
        {"bubble_fraction", "fraction"_text, &RunFigures::bubbleFraction},
        {"bubble_theoretical", "fraction"_text, &RunFigures::bubbleTheoretical},
        {"bubble_simulated", "fraction"_text, &RunFigures::bubbleSimulated},
        {"comm_bytes", "bytes"_text, &RunFigures::commBytes},
        {"comm_seconds", "s"_text, &RunFigures::commSeconds},
        {"comm_exposed_seconds", "s"_text, &RunFigures::commExposedSeconds},
        {"final_loss", "nats/token"_text, &RunFigures::finalLoss},
        {"min_loss", "nats/token"_text, &RunFigures::minLoss},
        {"final_eval_loss", "nats/token"_text, &RunFigures::finalEvalLoss},
        {"num_steps", "steps"_text, &RunFigures::numSteps},
        {"warmup_steps", "steps"_text, &RunFigures::warmupSteps},
        {"total_tokens", "tokens"_text, &RunFigures::totalTokens},
        {"parameters", {}, &RunFigures::parameters},
        {"flops_per_token", "FLOP/token"_text, &RunFigures::flopsPerToken},
        {"peak_flops", "FLOP/s"_text, &RunFigures::peakFlops},
    };
    return all;
}

std::int64_t warmupSteps(std::int64_t numRecorded) {
    if (numRecorded <= 1) return 0;
    return std::clamp<std::int64_t>(numRecorded / 5, 1, 10);
}

Measured summarise(const std::vector<MetricSeries>& series, const DeriveBasis& basis) {
    std::size_t recorded = 0;
    for (const MetricSeries& s : series) recorded = std::max(recorded, s.size());
    const auto pieces = [&](const std::string& name, const auto& take) {
        const auto it =
            std::find_if(series.begin(), series.end(), [&](const MetricSeries& s) { return s.name == name; });
        if (it != series.end()) take(it->steps, it->values);
    };
    return figuresOf(recorded, pieces, basis);
}

Measured summarisePieces(const PieceSource& pieces, const DeriveBasis& basis) {
    return figuresOf(factsOf(pieces, "tokens", 0).count, pieces, basis);
}

Json measuredJson(const Measured& measured) {
    Json out = Json::object();
    for (const FigureInfo& info : figureInfos()) {
        const auto& value = measured.*info.member;
        out[std::string(info.key)] = value ? jsonNumber(*value) : Json(nullptr);
        if (info.key == "mfu") out["mfu_rule"] = measured.mfuRule.empty() ? Json(nullptr) : Json(measured.mfuRule);
    }
    return out;
}

std::optional<double> samplesPerSecond(const RunFigures& figures, std::optional<std::int64_t> seqLen) {
    if (!figures.tokensPerSecond || !seqLen || *seqLen <= 0) return {};
    return *figures.tokensPerSecond / static_cast<double>(*seqLen);
}

std::optional<double> finalPerplexity(const RunFigures& figures) {
    return figures.finalLoss ? std::optional(perplexity(*figures.finalLoss)) : std::nullopt;
}

std::optional<double> finalEvalPerplexity(const RunFigures& figures) {
    return figures.finalEvalLoss ? std::optional(perplexity(*figures.finalEvalLoss)) : std::nullopt;
}

Json shownJson(const RunFigures& figures, std::optional<std::int64_t> seqLen) {
    Json out = measuredJson(figures);
    const auto number = [](const std::optional<double>& value) { return value ? jsonNumber(*value) : Json(nullptr); };
    out["samples_per_second"] = number(samplesPerSecond(figures, seqLen));
    out["perplexity"] = number(finalPerplexity(figures));
    out["eval_perplexity"] = number(finalEvalPerplexity(figures));
    return out;
}

RunFigures figuresFromJson(const Json& json) {
    RunFigures out;
    if (!json.is_object()) return out;
    for (const FigureInfo& info : figureInfos())
        if (const auto number = figureIn(json, info); number && impossibleValue(info.key, *number).empty())
            out.*info.member = *number;
    if (const auto rule = json.find("mfu_rule"); rule != json.end() && rule->is_string())
        out.mfuRule = rule->get<std::string>();
    return out;
}

}  // namespace slipway
