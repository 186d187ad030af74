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
        // What kind a run was (observe()) depends on the figures, and they on the kinds: a few times around.
        for (int round = 0; round < kRounds; ++round) {
            observe(profile);
            fit(profile, true);
            findUsableBytes(profile);
            fit(profile, false);
            fitStallThresholds(m_seen, m_runs.front().cluster.device.memoryBytes, profile);
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
    /// Each run is compared with the forecast of its own kind, so that runs whose kind no threshold tells do not bend the
    /// figures; where the two kinds are too alike, with the forecast as it is.
    std::vector<double> residuals(const StackProfile& profile, bool ofMemory) const {
        const StackProfile quiet = neverWaiting(profile), waiting = alwaysWaiting(profile);
        std::vector<double> values;
        values.reserve(m_seen.size());
        std::size_t next = 0;
        for (const MeasuredRun& measured : m_runs) {
            if (!isMeasured(measured)) continue;
            const StallObservation& seen = m_seen[next++];
            const std::optional<double> value = ofMemory ? measured.memoryBytes : measured.stepSeconds;
            if (!value) continue;
            MeasuredRun run = measured;
            const std::optional<bool> kind = ofMemory ? seen.gathered : seen.stalled;
            run.cluster.stack = kind ? (*kind ? waiting : quiet) : profile;
            if (kind) run.cluster.device.memoryBytes = kNoLimit;
            values.push_back(std::log((ofMemory ? forecastMemory(run) : forecastStepSeconds(run)) / *value));
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
            for (std::size_t k = 0; k < chosen.size(); ++k) changed.*stackParameters()[chosen[k]].member = values[k];
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

    static bool isMeasured(const MeasuredRun& run) { return run.stepSeconds || run.memoryBytes; }

    static StackProfile neverWaiting(StackProfile profile) {
        forgetCircumstances(profile);
        profile.gatherLimitBytes = profile.stallLimitBytes = profile.stallLiveLimitBytes = profile.usableBytes =
            kNoLimit;
        profile.usableKeptBytes = kNoLimit;
        return profile;
    }

    static StackProfile alwaysWaiting(StackProfile profile) {
        profile = neverWaiting(std::move(profile));
        profile.congestedNodes = profile.stallDataRanks = 0;
        return profile;
    }

    /// How each run went, by the nearer of the forecasts with and without waiting, and with and without gathering again.
    void observe(const StackProfile& profile) {
        const StackProfile quiet = neverWaiting(profile), waiting = alwaysWaiting(profile);
        m_seen.clear();
        for (const MeasuredRun& measured : m_runs) {
            if (!isMeasured(measured)) continue;
            MeasuredRun run = measured;
            run.cluster.device.memoryBytes = kNoLimit;
            StallObservation o;
            o.facts = stallFacts(run.config, run.cluster);
            run.cluster.stack = quiet;
            const double fast = forecastStepSeconds(run);
            const double kept = run.memoryBytes ? forecastMemory(run) : 0;
            o.peak.kept = forecastPeak(run);
            run.cluster.stack = waiting;
            o.peak.live = forecastPeak(run);
            if (run.stepSeconds) o.stalled = nearer(fast, forecastStepSeconds(run), *run.stepSeconds, 0.2);
            if (run.memoryBytes) o.gathered = nearer(kept, forecastMemory(run), *run.memoryBytes, 0.1);
            m_seen.push_back(o);
        }
    }

    /// True when the second forecast is nearer; empty when their logarithms differ by less than `apart`.
    static std::optional<bool> nearer(double first, double second, double measured, double apart) {
        if (!(std::abs(std::log(second / first)) > apart)) return {};
        return std::abs(std::log(second / measured)) < std::abs(std::log(first / measured));
    }

    struct Outcome {
        PeakBytes peak;
        bool ran = false, pipeline = false;
    };

    /// The limits at which most runs are told right into those that ran and those that failed.
    void findUsableBytes(StackProfile& profile) const {
        const StackProfile quiet = neverWaiting(profile), waiting = alwaysWaiting(profile);
        std::vector<Outcome> outcomes;
        for (const MeasuredRun& measured : m_runs) {
            if (!measured.fits || measured.bareStages > kBareStagesThatRun) continue;
            MeasuredRun run = measured;
            run.cluster.device.memoryBytes = kNoLimit;
            Outcome outcome;
            outcome.ran = *run.fits;
            outcome.pipeline = run.config.parallel.pp > 1;
            run.cluster.stack = quiet;
            outcome.peak.kept = forecastPeak(run);
            run.cluster.stack = waiting;
            outcome.peak.live = forecastPeak(run);
            outcomes.push_back(outcome);
        }
        if (outcomes.empty()) return;
        profile.usableBytes = bestLimit(outcomes, &PeakBytes::live).first;
        // Of the pipelines that the first limit lets through; the second must earn its place.
        std::erase_if(outcomes, [&](const Outcome& o) { return !o.pipeline || o.peak.live > profile.usableBytes; });
        const auto [limit, gain] = bestLimit(outcomes, &PeakBytes::kept);
        profile.usableKeptBytes = gain >= static_cast<double>(kRunsPerThreshold) ? limit : kNoLimit;
    }

    /// The limit, and how many runs more it tells right than none would. Within kBlur of the limit a run counts in part, so
    /// that single runs hardly move it.
    static std::pair<double, double> bestLimit(std::vector<Outcome> outcomes, double PeakBytes::*bytes) {
        if (outcomes.empty()) return {kNoLimit, 0};
        std::sort(outcomes.begin(), outcomes.end(),
                  [&](const Outcome& a, const Outcome& b) { return a.peak.*bytes < b.peak.*bytes; });
        double none = 0, most = 0, limit = 0;
        for (const Outcome& o : outcomes) none += o.ran ? 1 : 0;
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            const double here = outcomes[i].peak.*bytes;
            const double tried = 0.5 * (here + (i + 1 < outcomes.size() ? outcomes[i + 1].peak.*bytes : here * 1.004));
            double right = 0;
            for (const Outcome& o : outcomes)
                right += 1 / (1 + std::exp((o.ran ? 1 : -1) * std::log(o.peak.*bytes / tried) / kBlur));
            if (right <= most) continue;
            most = right;
            limit = tried;
        }
        return {limit, most - none};
    }

    static constexpr double kBlur = 0.04;  ///< as a share: what forecasts of memory err by
    static constexpr int kRounds = 4;
    static constexpr double kNoLimit = 1e15;
    std::vector<MeasuredRun> m_runs;
    std::vector<StallObservation> m_seen;  ///< of those with isMeasured(), in their order
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
    stack.uncertainty =
        1.2533 * std::log(stack.highRatio / stack.lowRatio) / 2.563 / std::sqrt(static_cast<double>(ratios.size()));
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
