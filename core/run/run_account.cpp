#include "core/run/run_account.h"

#include "core/spec/stored_config.h"

#include <nlohmann/json.hpp>

namespace slipway {

Result<AccountedRun> readAccount(RunStore& store, const RunId& id) {
    const auto record = store.run(id);
    if (!record) return fail(record.error());
    const auto json = parseJson(record->configJson.empty() ? "{}" : record->configJson, "config of " + id.value);
    if (!json) return fail(json.error());
    auto config = readStoredConfig(*json, id.value);
    if (!config) return fail(config.error());
    const auto attempts = store.attempts(id);
    if (!attempts) return fail(attempts.error());
    AccountedRun run;
    run.stored = std::move(*config);
    AccountEvidence evidence;
    evidence.layout = run.stored.config.parallel;
    const RunFigures& figures = record->measured.flopsPerToken ? record->measured : record->forecast;
    // Another program's config may lack its layout; the attempts have the number of ranks, or 0.
    const std::int64_t numDevices = run.stored.knows("parallel.dp") ? run.stored.config.parallel.worldSize()
                                    : attempts->empty()             ? 0
                                                                    : attempts->back().worldSize;
    evidence.basis = {figures.flopsPerToken, figures.peakFlops,
                      figures.mfuRule.empty() ? record->forecast.mfuRule : figures.mfuRule, numDevices};
    for (const AttemptRecord& attempt : *attempts)
        if (attempt.resumeStep > 0) evidence.resumeSteps.push_back(attempt.resumeStep);
    evidence.forecastJson = record->forecastJson;
    std::optional<Error> failed;
    evidence.seriesOf = [&](const std::string& name) {
        auto series = store.series(id, name);
        if (!series) failed = series.error();
        return series ? std::move(*series) : MetricSeries();
    };
    run.account = accountOf(evidence);
    if (failed) return fail(*failed);
    return run;
}

}  // namespace slipway
