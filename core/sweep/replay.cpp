#include "core/sweep/replay.h"

#include "core/base/hash.h"
#include "core/planner/evidence/forecast_run.h"
#include "core/sweep/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

namespace slipway {
namespace {

using State = SearchOutcome::State;

constexpr std::int64_t kSteps = 90;  // of a replayed run: rungs of 10, 30 and 90
constexpr std::array kRungNoise{0.2, 0.06, 0.0};

struct Cell {
    std::vector<SearchPoint> points;
    std::vector<double> seconds;  ///< NaN: failed
    double best = 0;
};

double scaledLog(std::int64_t value) {
    return std::log2(static_cast<double>(std::max<std::int64_t>(1, value))) / 6;
}

Cell cellOf(const std::vector<const MeasuredRun*>& runs) {
    Cell cell;
    for (const MeasuredRun* run : runs) {
        const ParallelLayout& p = run->config.parallel;
        SearchPoint point;
        point.place = {scaledLog(p.dp), scaledLog(p.tp), scaledLog(p.pp), scaledLog(run->config.train.microBatchSize),
                       static_cast<double>(p.zeroStage) / 3};
        point.forecast = forecastStep(*run).seconds;
        if (!std::isfinite(point.forecast)) point.forecast = kUnknown;
        point.canRun = forecastFits(*run) || run->stepSeconds.has_value();
        const double seconds = run->stepSeconds.value_or(kUnknown);
        if (std::isfinite(seconds) && (cell.best == 0 || seconds < cell.best)) cell.best = seconds;
        cell.seconds.push_back(seconds);
        cell.points.push_back(std::move(point));
    }
    return cell;
}

double noise(std::uint64_t seed, std::uint64_t index) {
    return 2 * static_cast<double>(splitMix64(seed * kSplitMix64Step + index) >> 11) * 0x1.0p-53 - 1;
}

struct Played {
    std::vector<double> regret;  ///< after each whole trial
    double endTrials = 0;
};

Played play(const Cell& cell, SearchMethod method, std::uint64_t seed, std::int64_t trials) {
    SearchRules rules;
    rules.method = method;
    rules.seed = static_cast<std::int64_t>(seed);
    rules.sampling = SearchSampling::Uniform;
    // asha begins more trials than it finishes: three rungs of a ninth, a third and a whole run.
    rules.trials = method == SearchMethod::Asha ? 3 * trials : trials;
    std::vector<SearchPoint> points = cell.points;
    for (SearchPoint& point : points)
        if (method != SearchMethod::Planner) point.canRun = true;  // only the planner knows this before a run
    std::vector<SearchOutcome> outcomes(points.size());
    for (SearchOutcome& outcome : outcomes) outcome.numSteps = kSteps;
    Played out;
    double best = 0, spent = 0;
    const auto note = [&] {
        while (static_cast<double>(out.regret.size()) < spent && static_cast<std::int64_t>(out.regret.size()) < trials)
            out.regret.push_back(best > 0 ? std::min(1.0, best / cell.best - 1) : 1);
    };
    while (spent < static_cast<double>(trials)) {
        const SearchDecision next = proposeNext(rules, points, outcomes);
        if (!next.point) break;
        SearchOutcome& outcome = outcomes[*next.point];
        const double seconds = cell.seconds[*next.point];
        const bool isAsha = method == SearchMethod::Asha;
        const double share = !isAsha ? 1 : next.rung == 0 ? 1.0 / 9 : next.rung == 1 ? 2.0 / 9 : 2.0 / 3;
        const double before = spent;
        spent += std::isfinite(seconds) ? share : std::min(share, 1.0 / 9);
        if (!isAsha) spent = before + 1;
        outcome.state = std::isfinite(seconds) ? State::Finished : State::Failed;
        if (std::isfinite(seconds)) {
            outcome.cost = seconds * (isAsha ? 1 + kRungNoise[next.rung] * noise(seed, *next.point) : 1);
            outcome.rungCosts.push_back(outcome.cost);
            if (!isAsha || next.rung == 2) best = best == 0 ? seconds : std::min(best, seconds);
        }
        note();
    }
    out.endTrials = std::min(spent, static_cast<double>(trials));
    spent = static_cast<double>(trials);
    note();
    return out;
}

}  // namespace

Replay replayMethods(const std::vector<MeasuredRun>& runs, const ReplayRequest& request) {
    std::map<std::string, std::vector<const MeasuredRun*>> byCell;
    for (const MeasuredRun& run : runs)
        if (run.stepSeconds || run.fits == false)
            byCell[run.cell + " " + std::to_string(run.numDevices())].push_back(&run);
    Replay replay;
    std::vector<Cell> cells;
    for (const auto& [name, rows] : byCell) {
        // Published tables are often sorted by speed, which a grid cannot know.
        std::vector<const MeasuredRun*> sorted = rows;
        std::ranges::stable_sort(sorted, {}, [](const MeasuredRun* run) {
            const ParallelLayout& p = run->config.parallel;
            return std::array{p.dp, p.tp, p.pp, run->config.train.microBatchSize, p.zeroStage};
        });
        Cell cell = cellOf(sorted);
        const auto ran =
            static_cast<std::size_t>(std::ranges::count_if(cell.seconds, [](double s) { return std::isfinite(s); }));
        if (ran < request.leastLayouts) continue;
        replay.layouts += cell.points.size();
        replay.failed += cell.points.size() - ran;
        cells.push_back(std::move(cell));
    }
    replay.cells = cells.size();
    const auto trials = static_cast<std::size_t>(request.trials);
    for (const SearchMethod method : {SearchMethod::Grid, SearchMethod::Random, SearchMethod::Asha,
                                      SearchMethod::Bayesian, SearchMethod::Planner}) {
        const auto games = cells.size() * static_cast<std::size_t>(request.seeds);
        std::vector<Played> played(games);
        const auto body = [&](std::size_t game) {
            played[game] = play(cells[game % cells.size()], method, game / cells.size() + 1, request.trials);
        };
        if (request.run)
            request.run(games, body);
        else
            for (std::size_t game = 0; game < games; ++game) body(game);
        ReplayCurve curve{method, std::vector<double>(trials, 0), 0, 0, 0};
        const double share = 1 / static_cast<double>(std::max<std::size_t>(1, games));
        for (const Played& one : played) {
            const auto within = std::ranges::find_if(one.regret, [](double r) { return r <= 0.03; });
            const auto first = static_cast<std::size_t>(within - one.regret.begin());
            curve.trialsWithin3Percent += share * static_cast<double>(std::min(first + 1, trials));
            curve.chosenTrials += share * one.endTrials;
            curve.regretAtEnd += share * one.regret.back();
            for (std::size_t i = 0; i < trials; ++i) curve.regret[i] += share * one.regret[i];
        }
        replay.curves.push_back(std::move(curve));
    }
    return replay;
}

}  // namespace slipway
