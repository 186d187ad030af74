#include "core/planner/evidence/calibrate.h"

#include "core/planner/evidence/forecast_run.h"
#include "core/planner/evidence/least_squares.h"
#include "core/planner/evidence/score.h"
#include "core/planner/evidence/speeds.h"
#include "core/planner/evidence/stack_fit.h"
#include "core/planner/stack/calibrated_range.h"
#include "core/planner/stack/known_software.h"
#include "core/planner/stack/stack_constants.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// Spread of few residuals: their own, and that of four runs of unmeasured software.
double spreadOf(const std::vector<double>& logs, double prior) {
    constexpr double kPriorRuns = 4;
    if (logs.empty()) return prior;
    // Half of the middle 80 % of a normal distribution is 1.28 standard deviations.
    std::vector<double> sizes;
    for (const double value : logs) sizes.push_back(std::abs(value));
    const double own = quantile(sizes, 0.8) / kInterval80;
    const auto n = static_cast<double>(logs.size());
    return std::sqrt((n * own * own + kPriorRuns * prior * prior) / (n + kPriorRuns));
}

void setRanges(const std::vector<const MeasuredRun*>& runs, SoftwareStack& stack) {
    for (const MeasuredRun* run : runs) {
        if (!run->stepSeconds) continue;
        cover(stack, run->config, run->cluster);
        ++stack.measuredRuns;
    }
}

/// Prior of a software before its own runs: for each constant the mean of its logarithm among the software and its prior. The bundled
/// trainer, whose runs are on CPUs, is apart here and below.
SoftwareStack commonOf(const std::map<std::string, SoftwareStack>& stacks) {
    SoftwareStack common;
    for (const ConstantInfo& info : stackConstants()) {
        if (info.ofMemory || info.member == &SoftwareStack::waitChance) continue;
        double sum = std::log((common.*info.member).value);
        double count = 1;
        for (const auto& [name, stack] : stacks) {
            if (name == kBundledTrainer) continue;
            sum += std::log((stack.*info.member).value);
            ++count;
        }
        (common.*info.member).value = std::exp(sum / count);
    }
    return common;
}

/// Stack of an unmeasured software: for each constant the mean of its logarithm among the software and its prior, with
/// the spread between them. Software whose runs barely determine a constant repeats its prior, with little weight.
SoftwareStack typicalOf(const std::map<std::string, SoftwareStack>& stacks) {
    SoftwareStack typical;
    typical.name = Calibration::kTypical;
    for (const ConstantInfo& info : stackConstants()) {
        if (info.ofMemory) continue;
        StackConstant& constant = typical.*info.member;
        std::vector<std::pair<double, double>> known = {{std::log(constant.value), 1}};
        for (const auto& [name, stack] : stacks) {
            const StackConstant& own = stack.*info.member;
            const double share = own.uncertainty / info.spread;
            if (own.uncertainty > 0 && name != kBundledTrainer)
                known.emplace_back(std::log(own.value), std::max(0.0, 1 - share * share));
        }
        double weights = 0, sum = 0, squares = info.spread * info.spread;
        for (const auto& [value, weight] : known) {
            weights += weight;
            sum += weight * value;
        }
        const double mean = sum / weights;
        for (const auto& [value, weight] : known) squares += weight * (value - mean) * (value - mean);
        // For one more software: the spread between them, and that of their mean.
        constant = {std::exp(mean), std::sqrt(squares / weights * (1 + 1 / weights))};
    }
    return typical;
}

/// ln measured / forecast step time of the likelier outcome.
std::vector<double> logErrors(const Calibration& calibration, const std::vector<const MeasuredRun*>& runs,
                              bool ofGroups) {
    std::vector<double> logs;
    for (const MeasuredRun* run : runs) {
        if (!run->stepSeconds) continue;
        SpeedKeys keys = speedKeys(*run);
        if (!ofGroups) keys.group.clear();
        MeasuredRun forecast = *run;
        forecast.cluster.stack = calibration.stackFor(keys);
        const double value = nearerWayLog(forecast);
        if (std::isfinite(value)) logs.push_back(value);
    }
    return logs;
}

}  // namespace

namespace {

/// ln measured / forecast step time of runs of one stack.
std::vector<double> errorsOf(const SoftwareStack& stack, const std::vector<const MeasuredRun*>& runs) {
    std::vector<double> logs;
    for (const MeasuredRun* one : runs) {
        MeasuredRun run = *one;
        run.cluster.stack = stack;
        if (const double value = nearerWayLog(run); std::isfinite(value)) logs.push_back(value);
    }
    return logs;
}

/// The stack at the speed that most of the runs show; few of them count less (a computer's speed is an effect like a device's).
SoftwareStack atSpeedOf(const SoftwareStack& stack, const std::vector<const MeasuredRun*>& runs) {
    constexpr double kComputers = 0.2, kNoise = 0.08;
    const auto n = static_cast<double>(runs.size());
    const double trust = n * kComputers * kComputers / (n * kComputers * kComputers + kNoise * kNoise);
    double logSpeed = 0;
    constexpr int kRounds = 8;  // part of a step does not depend on the speed
    for (int i = 0; i < kRounds; ++i) {
        const std::vector<double> logs = errorsOf(withSpeed(stack, std::exp(logSpeed)), runs);
        if (logs.empty()) return stack;
        logSpeed = trust * (logSpeed - quantile(logs, 0.5));
    }
    return withSpeed(stack, std::exp(logSpeed));
}

}  // namespace

SoftwareStack narrowed(const SoftwareStack& stack, const std::vector<const MeasuredRun*>& runs) {
    const SoftwareStack prior = atSpeedOf(stack, runs);
    SoftwareStack narrow = prior;
    fitTime(runs, {}, prior, narrow);
    setRanges(runs, narrow);
    narrow.stepSpread = spreadOf(errorsOf(narrow, runs), stack.stepSpread);
    return narrow;
}

SpeedKeys speedKeys(const MeasuredRun& run) {
    return {run.software, run.cluster.device.name, run.precision, run.config.model.moe.has_value(), run.stack};
}

Calibration calibrate(const std::vector<const MeasuredRun*>& runs) {
    std::map<std::string, std::vector<const MeasuredRun*>> bySoftware, byGroup;
    for (const MeasuredRun* run : runs) {
        bySoftware[run->software].push_back(run);
        if (!run->stack.empty()) byGroup[run->stack].push_back(run);
    }
    Calibration calibration;
    SoftwareStack common;
    // Speeds depend on the constants and vice versa: a few iterations.
    constexpr int kRounds = 2;
    for (const auto& [software, members] : bySoftware) {
        calibration.stacks[software] = priorOf(software);
        calibration.stacks[software].name = software;
        calibration.stacks[software].facts = factsOf(software);
    }
    for (int round = 0; round < kRounds; ++round) {
        for (const auto& [software, members] : bySoftware)
            fitTime(members, calibration.speeds, software == kBundledTrainer ? priorOf(software) : common,
                    calibration.stacks[software]);
        common = commonOf(calibration.stacks);
        fitSpeeds(runs, calibration);
    }
    constexpr double kUnknownSoftware = 0.2;
    for (const auto& [software, members] : bySoftware) {
        SoftwareStack& stack = calibration.stacks[software];
        fitMemory(members, stack);
        setRanges(members, stack);
        stack.stepSpread = spreadOf(logErrors(calibration, members, false), kUnknownSoftware);
    }
    // For unmeasured software: the error of a stack on its own runs; the constants have the spread between stacks.
    std::vector<double> spreads;
    for (const auto& [software, members] : bySoftware) spreads.push_back(calibration.stacks[software].stepSpread);
    if (spreads.size() == 1 && bySoftware.contains(std::string(kBundledTrainer))) return calibration;
    SoftwareStack unknown = typicalOf(calibration.stacks);
    setRanges(runs, unknown);
    unknown.stepSpread = quantile(spreads, 0.5);
    calibration.stacks[Calibration::kTypical] = std::move(unknown);
    for (const auto& [group, members] : byGroup) {
        const double software = calibration.stacks[members.front()->software].stepSpread;
        calibration.spreads[group] = spreadOf(logErrors(calibration, members, true), software);
    }
    return calibration;
}

void applyCalibration(const Calibration& calibration, MeasuredRun& run) {
    run.cluster.stack = calibration.stackFor(speedKeys(run));
    run.cluster.calibration = "calibrated";
}

}  // namespace slipway
