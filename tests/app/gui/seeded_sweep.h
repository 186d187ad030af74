// A sweep in a store as its runner leaves it half-way: trials that ran, failed, ran out of memory, were skipped by the planner,
// run now, or wait. For tests of the Sweeps page.
//   SweepId id = test::seedSweep(store, {});
#pragma once

#include "core/base/json.h"
#include "core/base/json_fields.h"
#include "core/planner/presets.h"
#include "core/store/run_store.h"
#include "core/sweep/sweep_result.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace slipway::test {

struct SweepSeed {
    std::string name = "8B layouts";
    std::vector<int> tp = {1, 2, 4};
    std::vector<int> pp = {1, 2};
    std::vector<int> microBatch = {1, 2};
    std::vector<int> seeds = {};  ///< an axis of repeats
    std::size_t numRun = 1000;    ///< trials that were started, in order; the rest waits
    int failEvery = 0;            ///< of the started ones, each n-th fails; 0: none
    int outOfMemoryEvery = 0;
    bool isRunning = false;  ///< the last of the started trials runs
    double budgetSeconds = 0;
    std::int64_t startedUnixMilliseconds = 1763730900000;
};

inline ClusterSpec sweepCluster() {
    ClusterSpec cluster = *devicePresetsLike("H100").front();
    cluster.numNodes = 2;
    return cluster;
}

inline Json sweepJson(const SweepSeed& seed) {
    Json axes = Json::array({{{"field", "parallel.tp"}, {"values", seed.tp}},
                             {{"field", "parallel.pp"}, {"values", seed.pp}},
                             {{"field", "train.micro_batch_size"}, {"values", seed.microBatch}}});
    if (!seed.seeds.empty()) axes.push_back({{"field", "train.seed"}, {"values", seed.seeds}});
    return {{"schema", 1},
            {"name", seed.name},
            {"cluster", fields::toJson(sweepCluster())},
            {"base", {{"model", {{"num_layers", 8}}}, {"train", {{"num_steps", 40}, {"global_batch_size", 64}}}}},
            {"axes", axes},
            {"stop", {{"steps", 20}, {"seconds", seed.budgetSeconds}}}};
}

/// Tokens per second and device that the trial measured: falls with tp and pp, with a best at micro-batch 2.
inline double seededSpeed(const RunConfig& config) {
    const double spread = 1 + 0.01 * static_cast<double>(config.train.seed % 7);
    return 9000 * spread / std::pow(1.15, static_cast<double>(config.parallel.tp - 1)) /
           std::pow(1.1, static_cast<double>(config.parallel.pp - 1)) /
           (1 + 0.1 * std::fabs(static_cast<double>(config.train.microBatchSize) - 2));
}

/// An empty id when the store refused something.
inline SweepId seedSweep(RunStore& store, const SweepSeed& seed) {
    Issues issues;
    const SweepFile file = sweepFileFromJson(sweepJson(seed), issues);
    if (hasErrors(issues)) return {};
    const std::int64_t start = seed.startedUnixMilliseconds;
    const SweepId id(makeId(start, static_cast<std::uint32_t>(std::hash<std::string>()(seed.name))));
    std::vector<Trial> trials = expandSweep(file);
    planTrials(trials, sweepCluster());
    SweepRecord record{id,    seed.name, "identity of " + seed.name,          "paused",
                       start, {},        sweepDocument(file, sweepCluster()), {}};
    std::size_t started = 0;
    bool waits = false;
    const auto fill = [&]() -> Result<void> {
        if (auto stored = store.upsertSweep(record); !stored) return stored;
        for (const Trial& trial : trials) {
            TrialRecord row{id, static_cast<std::int64_t>(trial.index), trial.name, "planned", {}, {}, "hash", "{}"};
            const bool starts = trial.skipReason.empty() && started < seed.numRun;
            waits = waits || (trial.skipReason.empty() && !starts);
            if (!trial.skipReason.empty()) {
                row.status = "skipped";
                row.reason = trial.skipReason;
            } else if (starts) {
                ++started;
                const auto n = static_cast<int>(started);
                const bool memory = seed.outOfMemoryEvery > 0 && n % seed.outOfMemoryEvery == 0;
                const bool failed = !memory && seed.failEvery > 0 && n % seed.failEvery == 0;
                const bool runs = seed.isRunning && started == seed.numRun;
                NewRun run;
                const std::int64_t now = start + n * 60000;
                run.id = RunId(makeId(now, static_cast<std::uint32_t>(n)));
                run.config = trial.config;
                run.cluster = sweepCluster();
                run.forecastJson = trial.forecastJson;
                run.sweep = id;
                run.trial = row.index;
                if (auto made = store.createRun(run, now); !made) return made;
                RunChange change;
                change.startedUnixMilliseconds = now;
                change.status = runs ? RunStatus::Running : memory || failed ? RunStatus::Failed : RunStatus::Completed;
                if (!runs) change.endedUnixMilliseconds = now + 30000;
                if (memory) {
                    change.exitCode = 11;
                    change.reason = "Rank 0 ran out of memory.";
                } else if (failed) {
                    change.exitCode = 13;
                    change.reason = "The loss became NaN at step 3.";
                } else if (!runs) {
                    RunFigures figures;
                    const double speed = seededSpeed(trial.config);
                    figures.tokensPerSecondPerDevice = speed;
                    figures.stepSeconds = 20000 / speed;
                    figures.mfu = speed / 20000;
                    figures.mfuRule = "C";
                    figures.memoryPeakBytes = 3.1e9 / static_cast<double>(trial.config.parallel.tp);
                    figures.bubbleFraction = 0.02 * static_cast<double>(trial.config.parallel.pp - 1);
                    figures.finalLoss = 2.4 + 0.001 * n;
                    figures.numSteps = 20;
                    change.measured = figures;
                }
                if (auto changed = store.updateRun(run.id, change); !changed) return changed;
                // On another computer, so that nobody here looks for its processes.
                if (runs)
                    if (auto seen = store.observeRun(run.id, RunStatus::Running, "node-1", now); !seen) return seen;
                row.run = run.id;
                row.status = runs ? "running" : memory || failed ? "failed" : "completed";
            } else {
                continue;  // the runner has no row for what it did not touch
            }
            if (auto stored = store.upsertTrial(row); !stored) return stored;
        }
        record.status = waits ? (seed.isRunning ? "running" : "paused") : "completed";
        if (!waits) record.endedUnixMilliseconds = start + 100000000;
        return store.upsertSweep(record);
    };
    return store.together(fill) ? id : SweepId();
}

}  // namespace slipway::test
