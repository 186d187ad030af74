// Measured runs of the bundled trainer on a computer, as benchmarks/forecast_layouts.py records them: a document, not a table.
#include "core/base/json_fields.h"
#include "core/planner/evidence/table_layouts.h"
#include "core/planner/stack/known_software.h"

#include <nlohmann/json.hpp>

namespace slipway {
namespace {

/// A finished step of one config.
Result<MeasuredRun> ownRun(const Json& row, const ClusterSpec& cluster) {
    if (!row.is_object() || !row.contains("config")) return fail("bad_row", "without a config"_text);
    const auto seconds = numberFromJson(row.value("step_seconds", Json()), "step_seconds");
    if (!seconds || !(*seconds > 0)) return fail("bad_row", "without a step time"_text);
    Issues issues;
    MeasuredRun run = ownRun(runConfigFromJson(row["config"], issues), cluster, *seconds);
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error) return fail("bad_row", "not a legal layout: %1"_text(issue.code));
    return checkedRun(std::move(run));
}

}  // namespace

MeasuredRun ownRun(RunConfig config, const ClusterSpec& cluster, double stepSeconds) {
    MeasuredRun run;
    run.source = run.software = kBundledTrainer;
    run.precision.clear();
    run.model = config.name;
    run.cell = std::string(wordOf(config.train.precision));
    run.config = std::move(config);
    run.cluster = cluster;
    run.cluster.stack.reset();
    run.stepSeconds = stepSeconds;
    return run;
}

Result<MeasuredTable> readOwnRuns(std::string_view text, const std::string& name) {
    const auto json = parseJson(std::string(text), name);
    if (!json) return fail(json.error());
    if (!json->contains("cluster") || !json->contains("runs") || !(*json)["runs"].is_array())
        return fail("missing_columns", "A record of runs has a cluster and runs."_text, name);
    Issues issues;
    const ClusterSpec cluster = clusterFromJson((*json)["cluster"], issues);
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error) return fail(issue.code, issue.sentence(), name);
    MeasuredTable table;
    for (const Json& row : (*json)["runs"]) {
        ++table.numRows;
        if (auto run = ownRun(row, cluster))
            table.runs.push_back(std::move(*run));
        else
            countReason(table.refused, run.error().sentence());
    }
    return table;
}

}  // namespace slipway
