#include "tests/support/seed_store.h"

#include "core/metrics/metric_reader.h"

#include <cmath>
#include <limits>

namespace slipway::test {

std::vector<RunId> seedRuns(RunStore& store, const SeedOptions& options) {
    std::vector<RunId> ids;
    for (int i = 0; i < options.numRuns; ++i) {
        RunConfig config;
        config.parallel.dp = 1 << (i % 3);
        config.parallel.tp = 1 << (i / 3 % 3);
        config.train.numSteps = std::max(1, options.numSteps);
        config.train.seed = i;
        config.name = "run " + std::to_string(i) + ": dp " + std::to_string(config.parallel.dp) + " tp " +
                      std::to_string(config.parallel.tp);
        const std::int64_t start = options.nowUnixMilliseconds + i * 60000;
        NewRun run;
        run.id = RunId(makeId(start, static_cast<std::uint32_t>(i)));
        run.config = config;
        run.cluster = options.cluster;
        run.forecastJson =
            R"({"step_seconds":0.25,"tokens_per_second":16384,"tokens_per_second_per_device":8192,"mfu":0.4,"mfu_rule":"C","memory_peak_bytes":2.0e9,"bubble_fraction":0.1})";
        run.tags = i % 2 == 0 ? std::vector<std::string>{"even"} : std::vector<std::string>{};
        if (!store.createRun(run, start)) return ids;

        const bool failed = options.withFailures && i % 5 == 4;
        const double stepSeconds = 0.2 + 0.01 * i;
        MetricBatch batch;
        batch.records.push_back(MetricHeader{1, run.id.value, 1, 0, config.parallel.worldSize(), start});
        const int steps = failed ? std::min(3, options.numSteps) : options.numSteps;
        for (int step = 1; step <= steps; ++step) {
            const double loss = failed && step == steps ? std::numeric_limits<double>::quiet_NaN()
                                                        : 2 + 5 * std::exp(-step / 12.0) + 0.01 * i;
            batch.records.push_back(MetricStep{step,
                                               step * config.tokensPerStep(),
                                               start + static_cast<std::int64_t>(step * stepSeconds * 1000),
                                               {{"loss", loss},
                                                {"step_seconds", stepSeconds},
                                                {"grad_norm", 1.0 / step},
                                                {"memory_peak_bytes", 1.9e9}}});
        }
        batch.records.push_back(MetricEnd{failed ? "failed" : "completed", steps, failed ? 13 : 0, start + 100000});
        batch.toOffset = 1000;
        if (!store.append(run.id, batch)) return ids;

        RunChange change;
        change.status = failed ? RunStatus::Failed : RunStatus::Completed;
        change.startedUnixMilliseconds = start;
        change.endedUnixMilliseconds = start + 100000;
        change.reason = failed ? "The loss became NaN at step 3." : "";
        RunFigures figures;
        if (!failed) {
            figures.numSteps = steps;
            figures.stepSeconds = stepSeconds;
            figures.tokensPerSecond = static_cast<double>(config.tokensPerStep()) / stepSeconds;
            figures.tokensPerSecondPerDevice =
                *figures.tokensPerSecond / static_cast<double>(config.parallel.worldSize());
            figures.mfu = 0.42 / (1 + 0.1 * i);
            figures.mfuRule = "C";
            figures.memoryPeakBytes = 1.9e9;
            figures.bubbleFraction = 0.1;
            figures.finalLoss = 2.2 + 0.01 * i;
        }
        change.measured = figures;
        if (!store.updateRun(run.id, change)) return ids;
        ids.push_back(run.id);
    }
    return ids;
}

}  // namespace slipway::test
