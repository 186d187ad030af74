// Figures on training: precision, learning rates, batches, stability, utilisation.
#include "core/planner/count/flops.h"
#include "core/planner/laws/batch_ramp.h"
#include "core/planner/laws/source_variants.h"
#include "core/planner/laws/training_recipe.h"
#include "core/playbook/figure_tables.h"
#include "core/playbook/verdict.h"
#include "core/spec/lr_schedule.h"
#include "core/spec/train_spec.h"
#include "core/stability/adaptive_clip.h"
#include "core/stability/loss_curve.h"
#include "core/stability/noise_scale.h"
#include "core/stability/spike_detector.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway {
namespace {

using namespace figures;
using In = const FigureInputs&;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Json cosine(In in) {
    LrSchedule s;
    s.warmupSteps = in.whole("warmup");
    s.minLrRatio = in.number("min_lr") / in.number("max_lr");
    const double step = in.number("step"), total = in.number("total");
    const double lr = learningRate(s, in.number("max_lr"), step, total);
    const double begin = static_cast<double>(s.warmupSteps);
    return {{"lr", lr},
            {"source_lr", step < begin ? lr
                                       : source_variants::cosineWithoutClamp(begin, total, in.number("max_lr"),
                                                                             in.number("min_lr"), step)}};
}

Json wsd(In in) {
    LrSchedule s;
    s.kind = LrScheduleKind::Wsd;
    s.warmupSteps = in.whole("warmup");
    s.decaySteps = in.whole("decay");
    s.decayShape = enumOfWord<DecayShape>(in.word("decay_shape"));
    s.minLrRatio = in.number("min_lr") / in.number("max_lr");
    const double begin = in.number("warmup") + in.number("stable"), end = begin + in.number("decay");
    const double step = in.number("step"), lr = learningRate(s, in.number("max_lr"), step, end);
    return {{"lr", lr},
            {"source_lr", step < begin ? lr
                                       : source_variants::cosineWithoutClamp(begin, end, in.number("max_lr"),
                                                                             in.number("min_lr"), step)}};
}

Json ramp(In in) {
    const BatchRamp r{in.number("initial_tokens"), in.number("final_tokens"), in.number("ramp_tokens")};
    return {{"batch_tokens", r.batchTokens(in.number("tokens"))}, {"ramp_steps", r.rampSteps()}};
}

Json noise(In in) {
    const auto estimate = estimateNoise({in.number("small_batch"), in.number("small_squared_norm")},
                                        {in.number("large_batch"), in.number("large_squared_norm")});
    const auto scale = estimate ? estimate->noiseScale() : std::optional<double>();
    return {{"noise_scale", scale ? Json(*scale) : Json(nullptr)}};
}

/// The noise scale as defined in a guide: the spread of the elements inside one gradient.
Json insideOneGradient(In in) {
    const std::vector<double> g = in.numbers("gradient");
    double mean = 0, spread = 0, squares = 0;
    for (const double x : g) mean += x / static_cast<double>(g.size());
    for (const double x : g) {
        spread += (x - mean) * (x - mean);
        squares += x * x;
    }
    return {{"source_noise_scale", spread / squares}, {"grad_norm", std::sqrt(squares)}};
}

Json costOfBatch(In in) {
    const BatchCost cost = batchCost(in.number("batch"), in.number("noise_scale"));
    return {{"steps_times", cost.steps},
            {"sequences_times", cost.sequences},
            {"critical_batch_tokens", criticalBatchTokens(in.number("loss"))}};
}

std::vector<std::string> lossRules() {
    return {"mean_3x", "mean_5x", "robust_z"};
}

Json spike(In in) {
    SpikeDetector detector(enumOfWord<SpikeRule>(in.word("spike_rule")));
    for (std::int64_t i = 0; i < in.whole("history_steps"); ++i) (void)detector.evaluate(in.number("history_loss"));
    const double limit = detector.limit();
    const SpikeVerdict verdict = detector.evaluate(in.number("loss"));
    return {{"spike_verdict", verdict == SpikeVerdict::Normal ? "no spike" : "spike"},
            {"spike_limit", jsonNumber(limit)}};
}

/// A level, then another one, as two sequences of equal values.
Json lossPhases(In in) {
    std::vector<double> losses(static_cast<std::size_t>(in.whole("first_steps")), in.number("first_loss"));
    losses.insert(losses.end(), static_cast<std::size_t>(in.whole("second_steps")), in.number("second_loss"));
    const auto window = static_cast<std::size_t>(in.whole("window"));
    const LossCurve curve = analyseLosses(losses, window);
    const std::optional<SourceCurve> source = analyseLossesAsSource(losses, window);
    Json result{{"curve_verdict", std::string(wordOf(curve.verdict))}, {"recent_loss", curve.recent}};
    result["source_curve"] = !source ? Json(nullptr)
                                     : Json{{"mean", source->mean},
                                            {"std", source->standardDeviation},
                                            {"limit", source->limit},
                                            {"recent", source->recent},
                                            {"improvement", source->improvement},
                                            {"spikes", source->spikes},
                                            {"stagnant", source->stagnant},
                                            {"advice", source->advice}};
    return result;
}

Json clipping(In in) {
    const double weight = in.number("weight_norm"), gradient = in.number("gradient_norm"),
                 share = in.number("clip_share");
    return {{"clip_factor", adaptiveClipFactor(weight, gradient, share)},
            {"source_clip_factor", adaptiveClipFactor(weight, gradient, share, 0)}};
}

Json utilisation(In in) {
    const double tokens = in.number("tokens"), seconds = in.number("seconds"), peak = in.number("peak_flops");
    const double perToken = in.number("flops_per_token");
    const auto share = mfu(perToken, tokens / seconds, peak, in.number("devices"));
    return {{"mfu", *share},
            {"source_mfu", source_variants::mfuOfOneDevice(perToken / 6, tokens, seconds, peak)},
            {"tokens_per_second", tokens / seconds}};
}

Json repeatsToDecide(In in) {
    Claim claim;
    claim.kind = ClaimKind::Difference;
    claim.expected = in.number("effect");
    claim.tolerance = 0;
    const double half = in.number("spread"), repeats = in.number("repeats");
    // A baseline with this interquartile range around 0, and a point higher by the effect.
    std::vector<double> baseline, point;
    for (double i = 0; i < repeats; ++i) {
        baseline.push_back(half * (2 * i / (repeats - 1) - 1));
        point.push_back(in.number("effect"));
    }
    const Judgement j = evaluate(claim, {point, baseline});
    return {{"decides_now", !j.repeatsToDecide.has_value()},
            {"repeats_needed", j.repeatsToDecide.value_or(static_cast<std::int64_t>(repeats))}};
}

/// A matrix product of b rows with a weight matrix, whose weights are read once: 2 b FLOPs per weight.
Json roofline(In in) {
    const double balance = in.number("peak_flops") / in.number("memory_bytes_per_second");
    const double batch = in.number("batch"), bytes = in.number("weight_bytes");
    const double intensity = 2 * batch / bytes;
    return {{"critical_batch", balance * bytes / 2},
            {"intensity", intensity},
            {"peak_share", std::min(1.0, intensity / balance)}};
}

/// A binary format with an implicit leading one; IEEE formats keep the highest exponent for infinities.
Json numberFormat(In in) {
    const auto exponentBits = in.whole("exponent_bits"), mantissaBits = in.whole("mantissa_bits");
    const std::int64_t bias = (std::int64_t{1} << (exponentBits - 1)) - 1;
    const double step = std::ldexp(1.0, static_cast<int>(-mantissaBits));
    const double largest = (2 - step) * std::ldexp(1.0, static_cast<int>(bias));
    return {{"format_bits", 1 + exponentBits + mantissaBits},
            {"relative_step", step},
            {"largest_value", largest},
            {"smallest_normal", std::ldexp(1.0, static_cast<int>(1 - bias))},
            {"smallest_value", std::ldexp(step, static_cast<int>(1 - bias))}};
}

}  // namespace

std::vector<FigureModel> trainingFigures() {
    const char* mccandlish = "McCandlish 2018, arXiv 1812.06162";
    return {
        {"roofline",
         {number("peak_flops", "9.89e14", 1, 1e20), number("memory_bytes_per_second", "3.35e12", 1, 1e16),
          number("weight_bytes", "2", 0.1, 8), number("batch", "64", 1, 1e7)},
         {{"critical_batch", "peak / bandwidth * e / 2", "jax-ml/scaling-book, chapter 1"},
          {"intensity", "2 b / e", "jax-ml/scaling-book, chapter 1"},
          {"peak_share", "min(1, intensity / balance)", "jax-ml/scaling-book, chapter 1"}},
         roofline},
        {"number_format",
         {whole("exponent_bits", "8", 2, 11), whole("mantissa_bits", "7", 1, 52)},
         {{"format_bits", "1 + e + m", "IEEE 754"},
          {"relative_step", "2^-m", "IEEE 754"},
          {"largest_value", "(2 - 2^-m) 2^bias", "IEEE 754"},
          {"smallest_normal", "2^(1 - bias)", "IEEE 754"},
          {"smallest_value", "2^(1 - bias - m)", "IEEE 754"}},
         numberFormat},
        {"utilisation",
         {number("flops_per_token", "4.2e10", 1, 1e16), number("tokens", "8192", 1, 1e13),
          number("seconds", "2.45", 1e-6, 1e9), number("peak_flops", "3.12e14", 1, 1e20),
          number("devices", "1", 1, 1e7)},
         {{"mfu", "FLOP per token * tokens / seconds / (peak n)", "PaLM, arXiv 2204.02311, appendix B"},
          {"source_mfu", "the same with the peak of one device", "a guide, row 000-9.2b"},
          {"tokens_per_second", "tokens / seconds", ""}},
         utilisation},
        {"repeats_to_decide",
         {number("effect", "0.03", 1e-9, 1e9), number("spread", "0.04", 0, 1e9), whole("repeats", "3", 3, 1000)},
         {{"repeats_needed", "n (2 IQR / effect)^2", "this playbook's verdict rule"},
          {"decides_now", "2 IQR <= effect", "this playbook's verdict rule"}},
         repeatsToDecide},
        {"exact_match",
         {number("token_accuracy", "0.9", 1e-9, 1), whole("answer_tokens", "10", 1, 1e6)},
         {{"exact_match_share", "p^n", "Schaeffer 2023, arXiv 2304.15004"},
          {"token_loss", "-ln p", "Schaeffer 2023, arXiv 2304.15004"}},
         [](In in) -> Json {
             const double right = in.number("token_accuracy");
             return {{"exact_match_share", std::pow(right, in.number("answer_tokens"))},
                     {"token_loss", -std::log(right)}};
         }},
        {"perplexity",
         {number("loss", "2", -100, 1e6)},
         {{"perplexity", "exp(min(loss, 20))", "a guide, rows 000-7.1"}},
         [](In in) -> Json {
             return {{"perplexity", std::exp(std::min(in.number("loss"), 20.0))}};
         }},
        {"cosine_schedule",
         {number("step", "51000", 0, 1e15), whole("warmup", "2000", 0, 1e15), number("total", "100000", 1, 1e15),
          number("max_lr", "3e-4", 1e-12, 1e3), number("min_lr", "3e-5", 0, 1e3)},
         {{"lr", "min + (max - min) (1 + cos(pi t)) / 2, clamped", "Loshchilov and Hutter 2017, eq. 5"},
          {"source_lr", "the same without an end", "guides, rows 000-5.3b and 001-6.2b"}},
         cosine},
        {"wsd_schedule",
         {number("step", "9500", 0, 1e15), whole("warmup", "1000", 0, 1e15), whole("stable", "8000", 0, 1e15),
          whole("decay", "1000", 1, 1e15), number("max_lr", "3e-4", 1e-12, 1e3), number("min_lr", "3e-5", 0, 1e3),
          choice("decay_shape", "\"linear\"", wordsOfEnum<DecayShape>)},
         {{"lr", "warm-up, constant, decay, clamped", "Hu 2024, arXiv 2404.06395"},
          {"source_lr", "cosine decay without an end", "an infrastructure lesson, row 001-6.2b"}},
         wsd},
        {"batch_ramp",
         {number("tokens", "6e8", 0, 1e15), number("initial_tokens", "32000", 1, 1e12),
          number("final_tokens", "4e6", 1, 1e12), number("ramp_tokens", "1.2e9", 1, 1e15)},
         {{"batch_tokens", "i + (f - i) seen / ramp", "Brown 2020, arXiv 2005.14165, sec. 2.3"},
          {"ramp_steps", "steps until the ramp ends", "Brown 2020, arXiv 2005.14165, sec. 2.3"}},
         ramp},
        {"noise_scale",
         {number("small_batch", "2", 1, 1e9), number("large_batch", "64", 1, 1e9),
          number("small_squared_norm", "10", 0, 1e30), number("large_squared_norm", "2", 0, 1e30)},
         {{"noise_scale", "((gb - gB) / (1/b - 1/B)) / ((B gB - b gb) / (B - b))", mccandlish}},
         noise},
        {"one_gradient",
         {{"gradient", FigureInputKind::Numbers, "[1, 2, 3]"}},
         {{"source_noise_scale", "sum (g - mean)^2 / sum g^2", "a guide, row 000-5.2c"},
          {"grad_norm", "sqrt(sum g^2)", ""}},
         insideOneGradient},
        {"batch_cost",
         {number("batch", "256", 1, 1e9), number("noise_scale", "256", 1e-3, 1e12), number("loss", "3", 0.1, 20)},
         {{"steps_times", "1 + S / B", "McCandlish 2018, arXiv 1812.06162, eq. 2.11"},
          {"sequences_times", "1 + B / S", "McCandlish 2018, arXiv 1812.06162, eq. 2.11"},
          {"critical_batch_tokens", "2.1e8 L^(-1 / 0.21)", "Kaplan 2020, arXiv 2001.08361, eq. 5.3"}},
         costOfBatch},
        {"spike_rule",
         {choice("spike_rule", "\"robust_z\"", lossRules),
          whole("history_steps", "100", 0, 1000),
          number("history_loss", "2.5", -1e6, 1e6),
          {"loss", FigureInputKind::Number, "3", -kInfinity, kInfinity}},
         {{"spike_verdict", "loss > limit, or not finite", "core/stability"},
          {"spike_limit", "3 or 5 times the mean, or median + 6 MAD / 0.6745", "Iglewicz and Hoaglin 1993"}},
         spike},
        {"loss_phases",
         {whole("first_steps", "100", 1, 100000), number("first_loss", "3", -1e6, 1e6),
          whole("second_steps", "100", 1, 100000), number("second_loss", "2.9", -1e6, 1e6),
          whole("window", "100", 2, 10000)},
         {{"curve_verdict", "separate verdicts for plateau, rise and spike", "core/stability"},
          {"recent_loss", "mean of the last window", ""},
          {"source_curve", "one rule for all", "a guide, row 000-7.2d"}},
         lossPhases},
        {"adaptive_clip",
         {number("weight_norm", "10", 0, 1e12), number("gradient_norm", "1", 0, 1e12),
          number("clip_share", "0.01", 1e-6, 10)},
         {{"clip_factor", "min(1, k max(|w|, 1e-3) / |g|)", "Brock 2021, arXiv 2102.06171, eq. 3"},
          {"source_clip_factor", "min(1, k |w| / |g|)", "a guide, row 000-5.2b"}},
         clipping},
    };
}

}  // namespace slipway
