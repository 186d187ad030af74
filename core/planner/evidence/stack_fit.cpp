#include "core/planner/evidence/stack_fit.h"

#include "core/planner/evidence/forecast_run.h"
#include "core/planner/evidence/least_squares.h"
#include "core/planner/evidence/speeds.h"
#include "core/planner/stack/stack_constants.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

constexpr double kStepNoise = 0.08, kMemoryNoise = 0.05;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// Fits some of the constants to residuals of copies of the runs.
template <class Residuals>
void fitConstants(const std::vector<ConstantInfo>& infos, const SoftwareStack& prior, double noise, Residuals residuals,
                  SoftwareStack& stack) {
    std::vector<double> start, low, high;
    FitSettings settings;
    settings.scale = noise;
    settings.maxIterations = 12;
    settings.leastGain = 1e-3;
    for (const ConstantInfo& info : infos) {
        start.push_back(std::clamp((stack.*info.member).value, info.low, info.high));
        settings.middles.push_back((prior.*info.member).value);
        low.push_back(info.low);
        high.push_back(info.high);
        const double known = (prior.*info.member).uncertainty;
        settings.spreads.push_back(known > 0 ? known : info.spread);
    }
    const auto with = [&](const std::vector<double>& values) {
        SoftwareStack changed = stack;
        for (std::size_t k = 0; k < infos.size(); ++k) (changed.*infos[k].member).value = values[k];
        return changed;
    };
    const FitResult result = fitLogParameters(
        [&](const std::vector<double>& values) { return residuals(with(values)); }, start, low, high, settings);
    stack = with(result.parameters);
    for (std::size_t k = 0; k < infos.size(); ++k) (stack.*infos[k].member).uncertainty = result.uncertainty[k];
}

/// q of 1 - (1 - q)^nodes, the chance that a run waits: most likely value under its prior, on a grid of its logarithm.
void fitWaitChance(const std::vector<std::pair<double, bool>>& waited, const ConstantInfo& info,
                   const SoftwareStack& prior, SoftwareStack& stack) {
    const double middle = std::log((prior.*info.member).value);
    double best = -std::numeric_limits<double>::infinity(), chosen = middle, sum = 0, squares = 0, weights = 0;
    constexpr int kSteps = 800;
    std::vector<std::pair<double, double>> grid;
    for (int i = 0; i <= kSteps; ++i) {
        const double x = std::log(info.low) + i * (std::log(info.high) - std::log(info.low)) / kSteps;
        const double q = std::exp(x), off = (x - middle) / info.spread;
        double likelihood = -0.5 * off * off;
        for (const auto& [nodes, did] : waited) {
            const double stays = nodes * std::log1p(-q);
            likelihood += did ? std::log(std::max(1e-300, -std::expm1(stays))) : stays;
        }
        grid.emplace_back(x, likelihood);
        if (likelihood > best) {
            best = likelihood;
            chosen = x;
        }
    }
    for (const auto& [x, likelihood] : grid) {
        const double weight = std::exp(likelihood - best);
        weights += weight;
        sum += weight * x;
        squares += weight * x * x;
    }
    (stack.*info.member) = {std::exp(chosen),
                            std::sqrt(std::max(0.0, squares / weights - sum * sum / weights / weights))};
}

bool seesAllocator(const MeasuredRun& run) {
    return !run.meter || *run.meter == MemoryMeter::Reserved || *run.meter == MemoryMeter::Device;
}

/// The share of the memory at which most runs are classified correctly into those that ran and those that failed.
/// Within kBlur of it a run counts partially, so that single runs have little effect.
void fitUsableShare(std::vector<MeasuredRun>& runs, SoftwareStack& stack) {
    constexpr double kBlur = 0.04, kUsable = 0.97;
    std::vector<std::pair<double, bool>> outcomes;
    for (MeasuredRun& run : runs) {
        if (!run.fits || run.bareStages > kBareStagesThatRun || run.cluster.device.memoryBytes <= 0) continue;
        run.cluster.stack = stack;
        outcomes.emplace_back(forecastPeak(run, false) / run.cluster.device.memoryBytes, *run.fits);
    }
    double most = -1;
    stack.usableShare = {kUsable, 0};
    for (int percent = 70; percent <= 100; ++percent) {
        const double tried = percent / 100.0;
        double right = 0;
        for (const auto& [share, ran] : outcomes)
            right += 1 / (1 + std::exp((ran ? 1 : -1) * std::log(share / tried) / kBlur));
        if (outcomes.empty() || right <= most) continue;
        most = right;
        stack.usableShare = {tried, kBlur / std::sqrt(static_cast<double>(outcomes.size()))};
    }
}

}  // namespace

double nearerWayLog(const MeasuredRun& run) {
    const StepForecast step = forecastStep(run);
    const double first = std::log(*run.stepSeconds / step.ways.first);
    if (!(step.ways.chance > 0)) return first;
    const double second = std::log(*run.stepSeconds / step.ways.second);
    // Chance times the density of a Student distribution of three degrees of freedom around each outcome.
    const auto density = [](double error) {
        const double z = error / kStepNoise;
        return std::pow(1 + z * z / 3, -2);
    };
    return step.ways.chance * density(second) > (1 - step.ways.chance) * density(first) ? second : first;
}

void fitTime(const std::vector<const MeasuredRun*>& runs, const std::map<std::string, double>& speeds,
             const SoftwareStack& prior, SoftwareStack& stack) {
    std::vector<MeasuredRun> timed;
    std::vector<double> speed;
    for (const MeasuredRun* run : runs) {
        if (!run->stepSeconds) continue;
        timed.push_back(*run);
        speed.push_back(speedOf(speeds, speedKeys(*run)));
    }
    if (timed.empty()) return;
    std::vector<ConstantInfo> infos;
    for (const ConstantInfo& info : stackConstants())
        if (!info.ofMemory && info.member != &SoftwareStack::waitChance) infos.push_back(info);
    const auto use = [&](const SoftwareStack& tried, std::size_t i) {
        SoftwareStack& used = timed[i].cluster.stack.emplace(withSpeed(tried, speed[i]));
        for (const ConstantInfo& info : stackConstants())
            (used.*info.member).uncertainty = 0;  // an interval is not needed here
        return forecastStep(timed[i]).ways;
    };
    const auto chanceInfo =
        std::find_if(stackConstants().begin(), stackConstants().end(),
                     [](const ConstantInfo& info) { return info.member == &SoftwareStack::waitChance; });
    // The outcome of a run depends on the constants and vice versa: a few iterations.
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
        std::vector<bool> second(timed.size(), false);
        std::vector<std::pair<double, bool>> waited;
        SoftwareStack open = stack;
        open.waitChance.value = std::max(open.waitChance.value, 0.02);  // so that no outcome is excluded untried
        for (std::size_t i = 0; i < timed.size(); ++i) {
            const TwoPoint ways = use(open, i);
            const double first = std::abs(std::log(*timed[i].stepSeconds / ways.first));
            const double after = std::abs(std::log(*timed[i].stepSeconds / ways.second));
            // A step shows a wait: far off without it, and close with it.
            second[i] = ways.chance > 0 && after < first && first > 3 * kStepNoise && after < 4 * kStepNoise;
            const bool telling = ways.chance > 0 && ways.second > ways.first * 1.2;
            if (telling) waited.emplace_back(static_cast<double>(timed[i].cluster.numNodes), second[i]);
        }
        fitConstants(
            infos, prior, kStepNoise,
            [&](const SoftwareStack& tried) {
                std::vector<double> values;
                for (std::size_t i = 0; i < timed.size(); ++i) {
                    const TwoPoint ways = use(tried, i);
                    values.push_back(std::log((second[i] ? ways.second : ways.first) / *timed[i].stepSeconds));
                }
                return values;
            },
            stack);
        fitWaitChance(waited, *chanceInfo, prior, stack);
    }
}

void fitMemory(const std::vector<const MeasuredRun*>& runs, SoftwareStack& stack) {
    std::vector<MeasuredRun> measured, evaluated;
    for (const MeasuredRun* run : runs) {
        if (run->memoryBytes && seesAllocator(*run)) measured.push_back(*run);
        if (run->fits) evaluated.push_back(*run);
    }
    const SoftwareStack prior;
    std::vector<ConstantInfo> infos;
    for (const ConstantInfo& info : stackConstants())
        if (info.ofMemory && info.member != &SoftwareStack::usableShare) infos.push_back(info);
    if (!measured.empty())
        fitConstants(
            infos, prior, kMemoryNoise,
            [&](const SoftwareStack& tried) {
                std::vector<double> values;
                for (MeasuredRun& run : measured) {
                    run.cluster.stack = tried;
                    const PeakBytes bytes = forecastRankBytes(run);
                    const double kept = std::log(bytes.kept / *run.memoryBytes),
                                 live = std::log(bytes.live / *run.memoryBytes);
                    values.push_back(std::abs(kept) < std::abs(live) ? kept : live);
                }
                return values;
            },
            stack);
    fitUsableShare(evaluated, stack);
    std::vector<double> sizes;
    for (MeasuredRun& run : measured) {
        run.cluster.stack = stack;
        const double error = std::abs(std::log(*run.memoryBytes / forecastMemory(run)));
        if (std::isfinite(error)) sizes.push_back(error);
    }
    if (sizes.empty()) return;
    std::sort(sizes.begin(), sizes.end());
    stack.memorySpread = std::max(0.01, sizes[sizes.size() * 4 / 5] / kInterval80);
}

}  // namespace slipway
