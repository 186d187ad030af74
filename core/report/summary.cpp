// Findings of a sweep or a list of runs, in sentences computed from its figures.
#include "core/base/json_fields.h"
#include "core/base/message.h"
#include "core/base/units.h"
#include "core/metrics/metric_series.h"
#include "core/metrics/refused_figures.h"
#include "core/report/build_report.h"
#include "core/report/words.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

using Trials = std::vector<const TrialResult*>;

Trials completed(const SweepResult& result) {
    Trials out;
    for (const TrialResult& trial : result.trials)
        if (trial.status == TrialStatus::Completed) out.push_back(&trial);
    return out;
}

bool known(const std::optional<double>& value) {
    return value && std::isfinite(*value);
}

Message countSentence(const SweepResult& result) {
    const auto number = [&](TrialStatus status) { return static_cast<std::int64_t>(result.count(status)); };
    const auto all = static_cast<std::int64_t>(result.trials.size());
    const bool isSweep = !result.id.empty();
    std::vector<Message> parts{plural(all, isSweep ? "%1 of %2 trial completed"_text : "%1 of %2 run completed"_text,
                                      isSweep ? "%1 of %2 trials completed"_text : "%1 of %2 runs completed"_text)(
        number(TrialStatus::Completed), all)};
    if (const auto failed = number(TrialStatus::Failed)) parts.push_back("%1 failed"_text(failed));
    if (const auto skipped = number(TrialStatus::Skipped))
        parts.push_back(plural(skipped, "%1 could not run and was skipped"_text,
                               "%1 could not run and were skipped"_text)(skipped));
    if (const auto infeasible = number(TrialStatus::Infeasible))
        parts.push_back("%1 ran out of memory"_text(infeasible));
    const auto settled =
        std::count_if(result.trials.begin(), result.trials.end(), [](const auto& t) { return isSettled(t.status); });
    if (settled < all)
        parts.push_back(plural(all - settled, "%1 is not done"_text, "%1 are not done"_text)(all - settled));
    return "%1."_text(listOf(parts));
}

Message speedSentence(const Trials& trials, Language language) {
    const TrialResult* fast = nullptr;
    const TrialResult* slow = nullptr;
    for (const TrialResult* trial : trials) {
        if (!known(trial->measured.tokensPerSecond)) continue;
        if (fast == nullptr || *trial->measured.tokensPerSecond > *fast->measured.tokensPerSecond) fast = trial;
        if (slow == nullptr || *trial->measured.tokensPerSecond < *slow->measured.tokensPerSecond) slow = trial;
    }
    if (fast == nullptr) return {};
    std::vector<Message> figures{"%1 tokens/s"_text(formatCount(std::round(*fast->measured.tokensPerSecond)))};
    if (known(fast->measured.stepSeconds)) figures.push_back("%1 a step"_text(Seconds{*fast->measured.stepSeconds}));
    if (known(fast->measured.mfu))
        figures.push_back(
            Message::name(mfuTitle(fast->measured.mfuRule, language) + " " + formatPercent(*fast->measured.mfu)));
    if (trials.size() == 1) return "It reaches %1."_text(listOf(figures));
    if (slow == fast) return "The fastest is %1: %2."_text(fast->name, listOf(figures));
    return "The fastest is %1: %2; %3, the slowest, reaches %4 of that."_text(
        fast->name, listOf(figures), slow->name,
        formatPercent(*slow->measured.tokensPerSecond / *fast->measured.tokensPerSecond));
}

/// Only runs of the same work can be compared by their loss; that of a run whose config is known in part is unknown.
bool sameWork(const Trials& trials) {
    for (const TrialResult* trial : trials) {
        if (trial->given) return false;
        const RunConfig& a = trials.front()->config;
        const RunConfig& b = trial->config;
        if (a.train.seed != b.train.seed || a.train.globalBatchSize != b.train.globalBatchSize ||
            a.train.numSteps != b.train.numSteps || a.train.seqLen != b.train.seqLen ||
            a.data.tokens != b.data.tokens || dumpJson(toJson(a.model), false) != dumpJson(toJson(b.model), false) ||
            a.optimizer.lr != b.optimizer.lr)
            return false;
    }
    return true;
}

Message lossSentence(const Trials& trials, const ReportData& data) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    std::size_t count = 0;
    for (const TrialResult* trial : trials) {
        if (!known(trial->measured.finalLoss)) continue;
        low = std::min(low, *trial->measured.finalLoss);
        high = std::max(high, *trial->measured.finalLoss);
        ++count;
    }
    if (count == 0) return {};
    const Message losses =
        count == 1 ? "The final loss is %1"_text(formatFixed(low, 3))
        : sameWork(trials)
            ? "All of them trained on the same samples in the same order, and their final losses agree within %1 nats/token (%2 to %3)"_text(
                  formatSignificant(high - low, 2), formatFixed(low, 3), formatFixed(high, 3))
            : "The final losses reach from %1 to %2 nats/token"_text(formatFixed(low, 3), formatFixed(high, 3));
    if (!data.unigramEntropy || !std::isfinite(*data.unigramEntropy)) return "%1."_text(losses);
    const double gap = *data.unigramEntropy - high;
    const std::string entropy = formatFixed(*data.unigramEntropy, 3);
    return gap > 0 ? "%1, %2 below the unigram entropy of the text (%3)."_text(losses, formatFixed(gap, 2), entropy)
                   : "%1, not all below the unigram entropy of the text (%2)."_text(losses, entropy);
}

struct ErrorOfForecast {
    double median = 0;
    double worst = 0;  ///< signed, forecast / measured - 1
    std::string worstName;
    std::size_t count = 0;
};

ErrorOfForecast forecastError(const Trials& trials, std::optional<double> RunFigures::*member) {
    ErrorOfForecast out;
    std::vector<double> errors;
    for (const TrialResult* trial : trials) {
        const auto& forecast = trial->forecast.*member;
        const auto& measured = trial->measured.*member;
        if (!known(forecast) || !known(measured) || *measured == 0) continue;
        const double error = *forecast / *measured - 1;
        errors.push_back(std::fabs(error));
        if (std::fabs(error) >= std::fabs(out.worst)) {
            out.worst = error;
            out.worstName = trial->name;
        }
    }
    out.count = errors.size();
    if (!errors.empty()) out.median = median(errors);
    return out;
}

Message forecastSentence(const Trials& trials) {
    const ErrorOfForecast time = forecastError(trials, &RunFigures::stepSeconds);
    const ErrorOfForecast memory = forecastError(trials, &RunFigures::memoryPeakBytes);
    const auto worst = [](const ErrorOfForecast& e) {
        return "at most %1 for %2"_text((e.worst > 0 ? "+" : "") + formatPercent(e.worst), e.worstName);
    };
    const auto signedError = [](const ErrorOfForecast& e) { return (e.worst > 0 ? "+" : "") + formatPercent(e.worst); };
    if (time.count == 1 && memory.count == 1)
        return "The forecast of the step time is off by %1, that of the worst rank's memory by %2."_text(
            signedError(time), signedError(memory));
    if (time.count == 1 && memory.count == 0)
        return "The forecast of the step time is off by %1."_text(signedError(time));
    if (time.count > 0 && memory.count > 0)
        return "The forecast of the step time is off by %1 in the median (%2), that of the worst rank's memory by %3 (%4)."_text(
            formatPercent(time.median), worst(time), formatPercent(memory.median), worst(memory));
    if (time.count > 0)
        return "The forecast of the step time is off by %1 in the median (%2)."_text(formatPercent(time.median),
                                                                                     worst(time));
    if (memory.count > 0)
        return "The forecast of the memory of the worst rank is off by %1 in the median (%2)."_text(
            formatPercent(memory.median), worst(memory));
    return {};
}

Message bubbleSentence(const Trials& trials) {
    const TrialResult* least = nullptr;
    const TrialResult* most = nullptr;
    for (const TrialResult* trial : trials) {
        if (trial->config.parallel.pp < 2 || !known(trial->measured.bubbleFraction)) continue;
        if (least == nullptr || *trial->measured.bubbleFraction < *least->measured.bubbleFraction) least = trial;
        if (most == nullptr || *trial->measured.bubbleFraction > *most->measured.bubbleFraction) most = trial;
    }
    if (least == nullptr) return {};
    const auto text = [](const TrialResult& trial) {
        const std::string measured = formatPercent(*trial.measured.bubbleFraction);
        return known(trial.forecast.bubbleTheoretical)
                   ? "%1 idles %2 of its pipeline's time (in theory %3)"_text(
                         trial.name, measured, formatPercent(*trial.forecast.bubbleTheoretical))
                   : "%1 idles %2 of its pipeline's time"_text(trial.name, measured);
    };
    return "%1."_text(most == least ? text(*least) : listOf({text(*least), text(*most)}));
}

/// Why a figure is missing although the run was measured: the table has only a dash.
Message refusedSentence(const Trials& trials, Language language) {
    std::string why;
    std::vector<Message> names;
    for (const TrialResult* trial : trials)
        for (const Message& refusal : refusedMeasurements(trial->measured)) {
            const std::string text = textOf(refusal, language);
            if (why.empty()) why = text;
            if (text == why) names.push_back(Message::name(trial->name));
        }
    if (names.empty()) return {};
    const auto more = static_cast<std::int64_t>(names.size()) - 2;
    if (more > 0) names = {"%1 and %2 more"_text(listOf({names[0], names[1]}), more)};
    return "%1: %2"_text(listOf(names), why);
}

std::size_t wordsOf(const std::string& text) {
    std::size_t words = 0;
    bool inside = false;
    for (const char c : text) {
        words += c != ' ' && !inside ? 1 : 0;
        inside = c != ' ';
    }
    return words;
}

}  // namespace

std::vector<std::string> summarySentences(const SweepResult& result, const ReportData& data, Language language) {
    const Trials trials = completed(result);
    std::vector<std::string> sentences{textOf(countSentence(result), language)};
    for (const Message& sentence :
         {speedSentence(trials, language), lossSentence(trials, data), forecastSentence(trials), bubbleSentence(trials),
          refusedSentence(trials, language)})
        if (!sentence.empty()) sentences.push_back(textOf(sentence, language));
    return sentences;
}

std::pair<std::string, std::string> shortened(const std::vector<std::string>& sentences) {
    std::string begin, rest;
    std::size_t words = 0;
    for (const std::string& sentence : sentences) {
        words += wordsOf(sentence);
        // The first sentence that does not fit ends the summary: a later, shorter one would be out of order.
        std::string& to = words <= kSummaryWords ? begin : rest;
        to += (to.empty() ? "" : " ") + sentence;
    }
    return {begin, rest};
}

std::string sweepSummary(const SweepResult& result, const ReportData& data, Language language) {
    std::string out;
    for (const std::string& sentence : summarySentences(result, data, language))
        out += (out.empty() ? "" : " ") + sentence;
    return out;
}

}  // namespace slipway
