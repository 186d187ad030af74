#include "core/planner/calibrate/calibrate.h"

#include "core/planner/calibrate/least_squares.h"
#include "core/planner/calibrate/speeds.h"
#include "core/planner/calibrate/stack_fit.h"
#include "core/planner/stack/calibrated_range.h"
#include "core/planner/stack/known_software.h"
#include "core/planner/stack/stack_constants.h"
#include "core/planner/validate/forecast_run.h"
#include "core/planner/validate/score.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// Spread of few residuals: their own, and that of four runs of software nobody measured.
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

/// What a software nobody measured costs: of each constant the mean of its logarithm among the software and its prior.
SoftwareStack typicalOf(const std::map<std::string, SoftwareStack>& stacks) {
    SoftwareStack typical;
    for (const ConstantInfo& info : stackConstants()) {
        if (info.ofMemory || info.member == &SoftwareStack::waitChance) continue;
        double sum = std::log((typical.*info.member).value), count = 1;
        for (const auto& [name, stack] : stacks) {
            if (name == Calibration::kTypical) continue;
            sum += std::log((stack.*info.member).value);
            ++count;
        }
        (typical.*info.member).value = std::exp(sum / count);
    }
    return typical;
}

/// ln measured / forecast step time of the likelier way.
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

SpeedKeys speedKeys(const MeasuredRun& run) {
    return {run.software, run.cluster.device.name, run.precision, run.config.model.moe.has_value(), run.stack};
}

SoftwareStack Calibration::stackFor(const SpeedKeys& keys) const {
    auto found = stacks.find(keys.software);
    if (found == stacks.end()) found = stacks.find(kTypical);
    SoftwareStack stack = found != stacks.end() ? found->second : SoftwareStack{};
    stack = withSpeed(std::move(stack), speedOf(speeds, keys));
    if (const auto spread = spreads.find(keys.group); spread != spreads.end()) stack.stepSpread = spread->second;
    return stack;
}

Calibration calibrate(const std::vector<const MeasuredRun*>& runs) {
    std::map<std::string, std::vector<const MeasuredRun*>> bySoftware, byGroup;
    for (const MeasuredRun* run : runs) {
        bySoftware[run->software].push_back(run);
        byGroup[run->stack].push_back(run);
    }
    Calibration calibration;
    SoftwareStack typical;
    typical.name = Calibration::kTypical;
    // Speeds depend on the constants and they on the speeds: a few times around.
    constexpr int kRounds = 2;
    for (const auto& [software, members] : bySoftware) {
        calibration.stacks[software] = typical;
        calibration.stacks[software].name = software;
        calibration.stacks[software].facts = factsOf(software);
    }
    for (int round = 0; round < kRounds; ++round) {
        for (const auto& [software, members] : bySoftware)
            fitTime(members, calibration.speeds, typical, calibration.stacks[software]);
        typical = typicalOf(calibration.stacks);
        typical.name = Calibration::kTypical;
        fitSpeeds(runs, calibration);
    }
    constexpr double kUnknownSoftware = 0.2;
    for (const auto& [software, members] : bySoftware) {
        SoftwareStack& stack = calibration.stacks[software];
        fitMemory(members, stack);
        setRanges(members, stack);
        stack.stepSpread = spreadOf(logErrors(calibration, members, false), kUnknownSoftware);
    }
    calibration.stacks[Calibration::kTypical] = typical;
    // Of software nobody measured: as if each were unknown.
    Calibration blind = calibration;
    blind.stacks.clear();
    blind.stacks[Calibration::kTypical] = typical;
    SoftwareStack& unknown = calibration.stacks[Calibration::kTypical];
    setRanges(runs, unknown);
    std::vector<double> spreads;
    for (const auto& [software, members] : bySoftware)
        spreads.push_back(spreadOf(logErrors(blind, members, false), kUnknownSoftware));
    unknown.stepSpread = std::max(quantile(spreads, 0.5), kUnknownSoftware);
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
