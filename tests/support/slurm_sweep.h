// A sweep whose trials are jobs of Slurm: opened, driven, and looked at.
#pragma once

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/sweep/sweep_result.h"
#include "core/sweep/sweep_runner.h"
#include "tests/support/run_home.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace slipway::test {

/// @param jobs elements at the same time; empty: on this computer, two at a time. @param login name of the login node
inline Result<SweepRunner> openSlurmSweep(RunStore& store, const RunHome& at, int trials, std::int64_t steps,
                                          const std::string& script, std::optional<std::int64_t> jobs, bool again,
                                          const std::string& login = {}) {
    Json file{{"schema", 1}, {"name", "jobs"}, {"base", toJson(tinyConfig("tiny [" + script + "]", steps))}};
    for (int trial = 1; trial <= trials; ++trial)
        file["points"].push_back({{"name", std::to_string(trial)}, {"train.seed", trial}});
    Issues issues;
    const SweepFile sweep = sweepFileFromJson(file, issues);
    if (hasErrors(issues)) return fail("bad_sweep", issues, "test");
    SweepOptions how{jobs.value_or(2), again, "test"};
    if (jobs) how.slurm.emplace().login = login;
    return SweepRunner::open(store, at.home, at.programs, sweep, ClusterSpec{}, how, unixMillisecondsNow());
}

inline bool sweepUntil(SweepRunner& runner, double seconds, auto done) {
    return waitUntil(seconds, [&] {
        (void)runner.tick(unixMillisecondsNow());
        return done();
    });
}

inline std::map<std::string, std::pair<std::string, double>> tableOfSweep(RunStore& store, const SweepId& id) {
    std::map<std::string, std::pair<std::string, double>> rows;
    const auto result = loadSweepResult(store, id);
    for (const TrialResult& trial : result ? result->trials : std::vector<TrialResult>())
        rows[trial.name] = {wordOf(trial.status), trial.measured.finalLoss.value_or(-1)};
    return rows;
}

/// "" when so many trials are completed, each by one run.
inline std::string problemOfSweep(RunStore& store, const SweepId& id, int trials) {
    const auto result = loadSweepResult(store, id);
    if (!result) return result.error().text();
    if (result->trials.size() != static_cast<std::size_t>(trials)) return "another number of trials";
    for (const TrialResult& trial : result->trials)
        if (trial.status != TrialStatus::Completed)
            return trial.name + ": " + wordOf(trial.status) + ", " + trial.reason;
    const auto runs = store.count({});
    return runs && runs->total == trials ? "" : "another number of runs";
}

}  // namespace slipway::test
