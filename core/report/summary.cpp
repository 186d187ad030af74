// What a sweep shows, in sentences computed from its figures.
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/metrics/metric_series.h"
#include "core/metrics/mfu_rule.h"
#include "core/report/build_report.h"

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

std::string plural(std::size_t count, const std::string& one, const std::string& many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string countSentence(const SweepResult& result) {
    std::string out = std::to_string(result.count(TrialStatus::Completed)) + " of " +
                      plural(result.trials.size(), "trial", "trials") + " completed";
    if (const auto failed = result.count(TrialStatus::Failed)) out += ", " + std::to_string(failed) + " failed";
    if (const auto skipped = result.count(TrialStatus::Skipped))
        out += ", " + std::to_string(skipped) + " could not run and " + (skipped == 1 ? "was" : "were") + " skipped";
    if (const auto infeasible = result.count(TrialStatus::Infeasible))
        out += ", " + std::to_string(infeasible) + " ran out of memory";
    const auto settled = static_cast<std::size_t>(std::count_if(
        result.trials.begin(), result.trials.end(), [](const TrialResult& t) { return isSettled(t.status); }));
    if (settled < result.trials.size()) out += ", " + std::to_string(result.trials.size() - settled) + " are not done";
    return out + ".";
}

std::string speedSentence(const Trials& trials) {
    const TrialResult* fast = nullptr;
    const TrialResult* slow = nullptr;
    for (const TrialResult* trial : trials) {
        if (!known(trial->measured.tokensPerSecond)) continue;
        if (fast == nullptr || *trial->measured.tokensPerSecond > *fast->measured.tokensPerSecond) fast = trial;
        if (slow == nullptr || *trial->measured.tokensPerSecond < *slow->measured.tokensPerSecond) slow = trial;
    }
    if (fast == nullptr) return "";
    std::string out =
        " The fastest is " + fast->name + ": " + formatCount(std::round(*fast->measured.tokensPerSecond)) + " tokens/s";
    if (known(fast->measured.stepSeconds)) out += ", " + formatSeconds(*fast->measured.stepSeconds) + " a step";
    if (known(fast->measured.mfu))
        out += ", " + titleWithRule("MFU", fast->measured.mfuRule) + " " + formatPercent(*fast->measured.mfu);
    if (slow != fast)
        out += "; " + slow->name + ", the slowest, reaches " +
               formatPercent(*slow->measured.tokensPerSecond / *fast->measured.tokensPerSecond) + " of that";
    return out + ".";
}

/// Only runs of the same work can be compared by their loss.
bool sameWork(const Trials& trials) {
    for (const TrialResult* trial : trials) {
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

std::string lossSentence(const Trials& trials, const ReportData& data) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    std::size_t count = 0;
    for (const TrialResult* trial : trials) {
        if (!known(trial->measured.finalLoss)) continue;
        low = std::min(low, *trial->measured.finalLoss);
        high = std::max(high, *trial->measured.finalLoss);
        ++count;
    }
    if (count == 0) return "";
    std::string out;
    if (count == 1)
        out = " The final loss is " + formatFixed(low, 3);
    else if (sameWork(trials))
        out = " All of them trained on the same samples in the same order, and their final losses agree within " +
              formatSignificant(high - low, 2) + " nats/token (" + formatFixed(low, 3) + " to " + formatFixed(high, 3) +
              ")";
    else
        out = " The final losses reach from " + formatFixed(low, 3) + " to " + formatFixed(high, 3) + " nats/token";
    if (data.unigramEntropy && std::isfinite(*data.unigramEntropy)) {
        const double gap = *data.unigramEntropy - high;
        out += gap > 0
                   ? ", " + formatFixed(gap, 2) + " below the unigram entropy of the text (" +
                         formatFixed(*data.unigramEntropy, 3) + ")"
                   : ", not all below the unigram entropy of the text (" + formatFixed(*data.unigramEntropy, 3) + ")";
    }
    return out + ".";
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

std::string forecastSentence(const Trials& trials) {
    const ErrorOfForecast time = forecastError(trials, &RunFigures::stepSeconds);
    const ErrorOfForecast memory = forecastError(trials, &RunFigures::memoryPeakBytes);
    const auto worst = [](const ErrorOfForecast& e) {
        return (e.worst > 0 ? "+" : "") + formatPercent(e.worst) + " for " + e.worstName;
    };
    std::string out;
    if (time.count > 0)
        out += " The forecast of the step time is off by " + formatPercent(time.median) + " in the median (at most " +
               worst(time) + ")";
    if (memory.count > 0)
        out += (out.empty() ? " The forecast of the memory of the worst rank is off by "
                            : ", that of the worst rank's memory by ") +
               formatPercent(memory.median) + " (at most " + worst(memory) + ")";
    return out.empty() ? "" : out + ".";
}

std::string bubbleSentence(const Trials& trials) {
    const TrialResult* least = nullptr;
    const TrialResult* most = nullptr;
    for (const TrialResult* trial : trials) {
        if (trial->config.parallel.pp < 2 || !known(trial->measured.bubbleFraction)) continue;
        if (least == nullptr || *trial->measured.bubbleFraction < *least->measured.bubbleFraction) least = trial;
        if (most == nullptr || *trial->measured.bubbleFraction > *most->measured.bubbleFraction) most = trial;
    }
    if (least == nullptr) return "";
    const auto text = [](const TrialResult& trial) {
        std::string out =
            trial.name + " idles " + formatPercent(*trial.measured.bubbleFraction) + " of its pipeline's time";
        if (known(trial.forecast.bubbleTheoretical))
            out += " (in theory " + formatPercent(*trial.forecast.bubbleTheoretical) + ")";
        return out;
    };
    return " " + text(*least) + (most == least ? "" : ", " + text(*most)) + ".";
}

}  // namespace

std::string sweepSummary(const SweepResult& result, const ReportData& data) {
    const Trials trials = completed(result);
    std::string out = countSentence(result);
    if (trials.empty()) return out;
    return out + speedSentence(trials) + lossSentence(trials, data) + forecastSentence(trials) + bubbleSentence(trials);
}

}  // namespace slipway
