// SweepRunner, second half: choosing the next trial, and stopping trials that fall behind.
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/run/run_files.h"
#include "core/sweep/search_points.h"
#include "core/sweep/sweep_runner.h"

#include <algorithm>
#include <numeric>

namespace slipway {
namespace {

constexpr std::size_t kLeastOthers = 3;  // least number of trials for a median

/// Mean of the values of steps from `first` to `last`; empty if none is finite.
std::optional<double> meanOf(const MetricSeries& series, std::int64_t first, std::int64_t last) {
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (series.steps[i] < first || series.steps[i] > last || !std::isfinite(series.values[i])) continue;
        sum += series.values[i];
        ++count;
    }
    if (count == 0) return {};
    return sum / count;
}

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

SearchRules SweepRunner::rules() const {
    return m_file.search.value_or(SearchRules{});
}

void SweepRunner::prepareSearch() {
    if (!m_file.search) return;
    m_points = searchPoints(m_file, m_trials, rules().objective);
    m_outcomes.assign(m_trials.size(), {});
    for (std::size_t i = 0; i < m_trials.size(); ++i) takeOutcome(i);
}

/// Everything from the store: state in this program would be lost with it.
void SweepRunner::takeOutcome(std::size_t trial) {
    m_decision.reset();
    if (!m_file.search) return;
    const State& state = m_states[trial];
    SearchOutcome& outcome = m_outcomes[trial];
    outcome = {};
    outcome.numSteps = m_trials[trial].config.train.numSteps;
    const auto run =
        state.run.empty() ? Result<RunRecord>(fail(Error{"run_missing", {}, {}})) : m_store->run(state.run);
    if (run) outcome.rungCosts = rungCosts(*run);
    if (!isSettled(state.status)) {
        const bool hasRun = run && run->status != RunStatus::Planned;
        outcome.state = state.status == TrialStatus::Running || hasRun ? SearchOutcome::State::Running
                                                                       : SearchOutcome::State::Untried;
        return;
    }
    if (state.status == TrialStatus::Skipped) return;
    outcome.state = SearchOutcome::State::Failed;
    if (state.status != TrialStatus::Completed || !run) return;
    outcome.cost = costOf(run->measured, rules().objective).value_or(outcome.cost);
    if (outcome.cost > 0) outcome.state = SearchOutcome::State::Finished;
}

std::vector<double> SweepRunner::rungCosts(const RunRecord& run) const {
    std::vector<double> costs;
    if (rules().method != SearchMethod::Asha || run.lastStep < 1) return costs;
    const auto measured = costOf(run.measured, rules().objective);
    const auto losses = m_store->series(run.id, "loss");
    for (const std::int64_t steps : rungSteps(rules(), run.numSteps)) {
        if (run.lastStep < steps) break;
        // The loss of a rung is the mean of its last tenth; a figure of speed is the same at every rung.
        const auto loss =
            losses ? meanOf(*losses, steps - std::max<std::int64_t>(0, steps / 10 - 1), steps) : std::nullopt;
        const auto cost = isForecast(rules().objective) ? measured : loss;
        if (!cost || *cost <= 0) break;
        costs.push_back(*cost);
    }
    return costs;
}

const SearchDecision* SweepRunner::decision() const {
    if (!m_file.search) return nullptr;
    if (!m_decision) m_decision = proposeNext(rules(), m_points, m_outcomes);
    return &*m_decision;
}

/// Unfinished trials of a killed or stopped runner precede new ones.
std::optional<std::size_t> SweepRunner::nextTrial() const {
    for (const std::size_t i : m_order) {
        const bool begun = !m_file.search || !m_states[i].run.empty();
        if (begun && !isSettled(m_states[i].status) && !m_states[i].tried) return i;
    }
    return m_file.search ? decision()->point : std::nullopt;
}

/// asha: last step of the rung of the trial that is about to start; 0: its own last step.
std::int64_t SweepRunner::endOfRung(std::size_t trial) const {
    if (rules().method != SearchMethod::Asha) return 0;
    const std::vector<std::int64_t> steps = rungSteps(rules(), m_trials[trial].config.train.numSteps);
    const std::size_t rung = m_outcomes[trial].rungCosts.size();
    return rung + 1 < steps.size() ? steps[rung] : 0;
}

Result<void> SweepRunner::endSearch(std::vector<SweepEvent>& events) {
    if (!m_file.search || !m_active.empty() || isPaused() || nextTrial() || !decision()->ended) return {};
    const SearchDecision ended = *decision();
    for (std::size_t i = 0; i < m_states.size(); ++i) {
        if (isSettled(m_states[i].status)) continue;
        std::string reason = textOf("Not tried: %1."_text(ended.reason));
        const SearchBelief belief = i < ended.beliefs.size() ? ended.beliefs[i] : SearchBelief{};
        if (std::isfinite(belief.chance))
            reason += " " + textOf("The chance that it is %1 better than the best was %2."_text(
                                asciiText(formatPercent(rules().gain)), asciiText(formatPercent(belief.chance))));
        if (auto settled = settle(i, TrialStatus::Skipped, std::move(reason), events); !settled) return settled;
    }
    return {};
}

/// Golovin et al., Google Vizier (2017), section 3.2.2, but with the mean of only the later half of the steps so far.
void SweepRunner::applyMedianRule(Active& active, std::int64_t now) {
    const std::int64_t every = m_file.stop.medianAfterSteps;
    const std::int64_t at = every > 0 ? active.session.lastStep() / every * every : 0;
    if (at <= active.evaluatedStep || active.killAtUnixMilliseconds != 0) return;
    active.evaluatedStep = at;
    const bool isLoss = !isForecast(rules().objective) || !m_file.search;
    const std::string metric = isLoss ? "loss" : "step_seconds";
    const auto paceOf = [&](const RunId& run) -> std::optional<double> {
        const auto series = m_store->series(run, metric);
        return series ? meanOf(*series, at / 2 + 1, at) : std::nullopt;
    };
    const auto own = paceOf(active.session.id());
    if (!own) return;
    std::vector<double> others;
    for (std::size_t i = 0; i < m_states.size(); ++i) {
        if (i == active.trial || m_states[i].run.empty() || m_states[i].status == TrialStatus::Failed) continue;
        const auto run = m_store->run(m_states[i].run);
        if (!run || run->lastStep < at) continue;
        if (const auto pace = paceOf(m_states[i].run)) others.push_back(*pace);
    }
    if (others.size() < kLeastOthers) return;
    const double median = medianOf(others);
    if (*own <= median) return;
    const auto shown = [&](double value) {
        return asciiText(isLoss ? formatSignificant(value, 4) : formatSeconds(value));
    };
    endActive(active, TrialStatus::Completed,
              textOf("Stopped after %1 steps by the median rule: %2 %3 against a median of %4 of %5 other trials."_text(
                  at, metric, shown(*own), shown(median), others.size())),
              now);
}

}  // namespace slipway
