#include "core/planner/calibrate/calibrate.h"

#include "core/planner/calibrate/allocator_fit.h"
#include "core/planner/calibrate/least_squares.h"
#include "core/planner/calibrate/stack_parameters.h"
#include "core/planner/calibrate/stall_fit.h"
#include "core/planner/validate/forecast_run.h"
#include "core/planner/validate/score.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// The runs of one stack with a profile that can be changed.
class ProfileFit {
public:
    explicit ProfileFit(const std::vector<const MeasuredRun*>& runs) {
        for (const MeasuredRun* run : runs) {
            m_runs.push_back(*run);
            m_runs.back().cluster.stack = StackProfile{};
            m_runs.back().cluster.calibration = "calibrated";
        }
    }

    StackProfile run(const std::string& name) {
        StackProfile profile;
        profile.name = name;
        profile.uncertainty.assign(stackParameters().size(), 0);
        // Which layouts wait and gather again depends on how well the other figures tell the two apart, and the other way
        // round: twice around is enough.
        for (int round = 0; round < 3; ++round) {
            fit(profile, true);
            findUsableBytes(profile);
            fit(profile, false);
            if (round < 2) fitStallThresholds(observations(profile), m_runs.front().cluster.device.memoryBytes, profile);
        }
        std::vector<double> ratios;
        for (MeasuredRun& r : m_runs) {
            r.cluster.stack = profile;
            if (r.memoryBytes) ratios.push_back(*r.memoryBytes / forecastMemory(r));
            profile.measuredRuns += r.stepSeconds ? 1 : 0;
        }
        profile.memoryLowRatio = ratios.empty() ? 1 : quantile(ratios, 0.1);
        profile.memoryHighRatio = ratios.empty() ? 1 : quantile(ratios, 0.9);
        return profile;
    }

private:
    std::vector<double> residuals(const StackProfile& profile, bool ofMemory) {
        std::vector<double> values;
        values.reserve(m_runs.size());
        for (MeasuredRun& r : m_runs) {
            const std::optional<double> measured = ofMemory ? r.memoryBytes : r.stepSeconds;
            if (!measured) continue;
            r.cluster.stack = profile;
            values.push_back(std::log((ofMemory ? forecastMemory(r) : forecastStepSeconds(r)) / *measured));
        }
        return values;
    }

    void fit(StackProfile& profile, bool ofMemory) {
        std::vector<std::size_t> chosen;
        std::vector<double> start, low, high;
        const StackProfile defaults;
        for (std::size_t i = 0; i < stackParameters().size(); ++i) {
            const StackParameter& p = stackParameters()[i];
            if (p.ofMemory != ofMemory) continue;
            chosen.push_back(i);
            start.push_back(defaults.*p.member);
            low.push_back(p.low);
            high.push_back(p.high);
        }
        const auto with = [&](const std::vector<double>& values) {
            StackProfile changed = profile;
            for (std::size_t k = 0; k < chosen.size(); ++k)
                changed.*stackParameters()[chosen[k]].member = values[k];
            return changed;
        };
        FitSettings settings;
        settings.scale = ofMemory ? 0.03 : 0.06;
        settings.prior = 0.05;
        const FitResult result =
            fitLogParameters([&](const std::vector<double>& values) { return residuals(with(values), ofMemory); },
                             start, low, high, settings);
        profile = with(result.parameters);
        for (std::size_t k = 0; k < chosen.size(); ++k) profile.uncertainty[chosen[k]] = result.uncertainty[k];
    }

    /// How each run went, by the nearer of the forecasts with and without waiting, and with and without gathering again.
    std::vector<StallObservation> observations(const StackProfile& profile) const {
        StackProfile quiet = profile, waiting = profile;
        for (auto threshold : {&StackProfile::congestedNodes, &StackProfile::stallTpNodes, &StackProfile::stallMicroBatches,
                               &StackProfile::stallDataRanks, &StackProfile::stallShardNodes, &StackProfile::regatherRanks})
            quiet.*threshold = StackProfile::kNever;
        quiet.gatherLimitBytes = quiet.stallLimitBytes = quiet.wideStallLimitBytes = quiet.usableBytes = kNoLimit;
        waiting.congestedNodes = waiting.stallDataRanks = 0;
        std::vector<StallObservation> seen;
        for (const MeasuredRun& measured : m_runs) {
            if (!measured.stepSeconds) continue;
            MeasuredRun run = measured;
            run.cluster.device.memoryBytes = kNoLimit;
            StallObservation o;
            o.facts = stallFacts(run.config, run.cluster);
            run.cluster.stack = quiet;
            const double fast = forecastStepSeconds(run);
            const double kept = run.memoryBytes ? forecastMemory(run) : 0;
            o.keptBytes = forecastPeak(run);
            run.cluster.stack = waiting;
            o.stalled = nearer(fast, forecastStepSeconds(run), *run.stepSeconds, 0.2);
            if (run.memoryBytes) o.gathered = nearer(kept, forecastMemory(run), *run.memoryBytes, 0.1);
            seen.push_back(o);
        }
        return seen;
    }

    /// True when the second forecast is nearer; empty when their logarithms differ by less than `apart`.
    static std::optional<bool> nearer(double first, double second, double measured, double apart) {
        if (!(std::abs(std::log(second / first)) > apart)) return {};
        return std::abs(std::log(second / measured)) < std::abs(std::log(first / measured));
    }

    /// The limit at which most runs are told right into those that ran and those that failed.
    void findUsableBytes(StackProfile& profile) {
        std::vector<std::pair<double, bool>> peaks;
        for (MeasuredRun& r : m_runs) {
            if (!r.fits || r.bareStages > kBareStagesThatRun) continue;
            r.cluster.stack = profile;
            peaks.emplace_back(forecastPeak(r, false), *r.fits);
        }
        if (peaks.empty()) return;
        std::sort(peaks.begin(), peaks.end());
        std::int64_t right = std::count_if(peaks.begin(), peaks.end(), [](const auto& p) { return !p.second; });
        std::int64_t most = right;
        double limit = peaks.front().first * 0.999;
        for (std::size_t i = 0; i < peaks.size(); ++i) {
            right += peaks[i].second ? 1 : -1;
            if (right <= most) continue;
            most = right;
            const double next = i + 1 < peaks.size() ? peaks[i + 1].first : peaks[i].first * 1.002;
            limit = 0.5 * (peaks[i].first + next);
        }
        profile.usableBytes = limit;
    }

    static constexpr double kNoLimit = 1e15;
    std::vector<MeasuredRun> m_runs;
};

/// Efficiency and spread from ratios of measured to forecast seconds.
CalibratedStack fromRatios(const std::vector<double>& ratios) {
    CalibratedStack stack;
    const double middle = quantile(ratios, 0.5);
    stack.efficiency = 1 / middle;
    stack.measuredRuns = static_cast<std::int64_t>(ratios.size());
    // With few runs the quantiles say little; a quarter either way is the spread of software of one kind.
    const double few = std::exp(0.25 / static_cast<double>(ratios.size()));
    stack.lowRatio = quantile(ratios, 0.1) / middle / few;
    stack.highRatio = quantile(ratios, 0.9) / middle * few;
    // Standard error of a median of n normal values.
    stack.uncertainty = 1.2533 * std::log(stack.highRatio / stack.lowRatio) / 2.563 /
                        std::sqrt(static_cast<double>(ratios.size()));
    return stack;
}

std::string softwareName(const std::string& stack) {
    return stack.substr(0, stack.find(" | "));
}

}  // namespace

const CalibratedStack* Calibration::find(const std::string& stack) const {
    if (const auto found = stacks.find(stack); found != stacks.end()) return &found->second;
    if (const auto found = softwares.find(softwareName(stack)); found != softwares.end()) return &found->second;
    return everything ? &*everything : nullptr;
}

const AllocatorFit* Calibration::findAllocator(const std::string& stack) const {
    if (const auto found = stacks.find(stack); found != stacks.end() && found->second.allocator)
        return &*found->second.allocator;
    const auto found = softwares.find(softwareName(stack));
    return found != softwares.end() && found->second.allocator ? &*found->second.allocator : nullptr;
}

std::size_t Calibration::numParameters() const {
    std::size_t count = 0;
    for (const auto& [name, stack] : stacks)
        count += (stack.profile ? profileFigures(*stack.profile).size() : 1) + (stack.allocator ? 2 : 0);
    return count;
}

Calibration calibrate(const std::vector<const MeasuredRun*>& runs) {
    std::map<std::string, std::vector<const MeasuredRun*>> byStack;
    for (const MeasuredRun* run : runs) byStack[run->stack].push_back(run);
    Calibration calibration;
    std::map<std::string, std::vector<double>> bySoftware;
    std::map<std::string, std::vector<const MeasuredRun*>> runsOfSoftware;
    std::vector<double> all;
    for (const auto& [name, members] : byStack) {
        std::vector<const MeasuredRun*>& relatives = runsOfSoftware[softwareName(name)];
        relatives.insert(relatives.end(), members.begin(), members.end());
        const auto timed = std::count_if(members.begin(), members.end(),
                                         [](const MeasuredRun* run) { return run->stepSeconds.has_value(); });
        const bool full = static_cast<std::size_t>(timed) >= kRunsPerProfile;
        std::optional<StackProfile> profile;
        if (full) profile = ProfileFit(members).run(name);
        std::vector<double> ratios;
        for (const MeasuredRun* run : members) {
            if (!run->stepSeconds) continue;
            MeasuredRun forecast = *run;
            forecast.cluster.stack = profile;
            const double seconds = forecastStepSeconds(forecast);
            if (std::isfinite(seconds) && seconds > 0) ratios.push_back(*run->stepSeconds / seconds);
        }
        if (ratios.empty()) continue;
        CalibratedStack stack = fromRatios(ratios);
        stack.profile = std::move(profile);
        stack.allocator = fitAllocator(members);
        if (!full) {
            std::vector<double>& software = bySoftware[softwareName(name)];
            software.insert(software.end(), ratios.begin(), ratios.end());
            all.insert(all.end(), ratios.begin(), ratios.end());
        }
        calibration.stacks.emplace(name, std::move(stack));
    }
    for (const auto& [name, ratios] : bySoftware) {
        CalibratedStack software = fromRatios(ratios);
        software.allocator = fitAllocator(runsOfSoftware[name]);
        calibration.softwares.emplace(name, std::move(software));
    }
    if (!all.empty()) calibration.everything = fromRatios(all);
    return calibration;
}

void applyCalibration(const Calibration& calibration, const std::string& stack, ClusterSpec& cluster) {
    const CalibratedStack* found = calibration.find(stack);
    if (found == nullptr) return;
    cluster.stack = found->profile;
    cluster.stackEfficiency = found->efficiency;
    cluster.stepLowRatio = found->lowRatio;
    cluster.stepHighRatio = found->highRatio;
    cluster.calibration = "calibrated";
}

void applyCalibration(const Calibration& calibration, MeasuredRun& run) {
    applyCalibration(calibration, run.stack, run.cluster);
    if (const AllocatorFit* fit = calibration.findAllocator(run.stack)) run.allocator = fit->figures;
}

}  // namespace slipway
