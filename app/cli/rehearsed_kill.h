// The simulated failure of an experiment: kill -9 of the ranks of some of its points, after a step. The sweep then
// retries the trial from its newest checkpoint, as after any failure.
//   RehearsedKill kill(experiment, home, store);   driveSweep(context, runner, [&] { kill.tick(runner, now); });
#pragma once

#include "core/playbook/experiment_run.h"
#include "core/sweep/sweep_runner.h"

#include <set>

namespace slipway {

class RehearsedKill {
public:
    RehearsedKill(const Experiment& experiment, const Home& home, RunStore& store)
        : m_experiment(experiment), m_home(home), m_store(store) {}

    /// Kills the ranks of a running trial of these points once past the step; each trial once. Call it between two ticks.
    void tick(const SweepRunner& runner, std::int64_t nowUnixMilliseconds);

    /// Adds the metric "attempts" of each completed trial, which shows that the kill happened.
    Result<void> addAttempts(const SweepResult& result, Measurements& measurements) const;

private:
    [[nodiscard]] bool killRanks(const RunId& run) const;

    const Experiment& m_experiment;
    const Home& m_home;
    RunStore& m_store;
    std::set<std::size_t> m_killed;  ///< trials
};

}  // namespace slipway
