// Reports built from what the store knows of a sweep or of runs.
//   auto report = buildSweepReport(store, home, sweepId);   writeFileAtomically(path, toHtml(*report));
#pragma once

#include "core/metrics/metric_series.h"
#include "core/report/report.h"
#include "core/report/step_report.h"
#include "core/spec/run_dir.h"
#include "core/sweep/sweep_result.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// What a report needs beyond the figures of its runs.
struct ReportData {
    std::map<std::string, MetricSeries> losses;  ///< by run id
    std::optional<double> unigramEntropy;        ///< nats/token of the text, from the token file
    std::vector<NamedAccount> accounts;          ///< of one or two runs, whose steps are accounted for
    std::string origin;                          ///< program and version, for the last line
};

/// Opens with what the sweep shows, the comparison table and the charts; then loss curves, setup, and what did not run.
/// Pure: every number is computed from `result` and `data`.
Report sweepReport(const SweepResult& result, const ReportData& data);

/// The comparison table alone; `slipway` prints it, too.
Table comparisonTable(const std::vector<TrialResult>& trials);

/// Sentences that say what the sweep shows: fastest and slowest layout, agreement of the losses, error of the forecast,
/// bubble, what did not run.
std::string sweepSummary(const SweepResult& result, const ReportData& data);

/// Collects losses and the text's entropy from the store.
ReportData collectReportData(RunStore& store, const Home& home, const std::vector<TrialResult>& trials);

Result<Report> buildSweepReport(RunStore& store, const Home& home, const SweepId& id);

/// One or more runs side by side; the first is the one the others are compared with. "run_missing".
Result<Report> buildRunReport(RunStore& store, const Home& home, const std::vector<RunId>& ids);

/// The runs as rows of a comparison, for commands and reports.
Result<std::vector<TrialResult>> runsAsTrials(RunStore& store, const std::vector<RunId>& ids);

}  // namespace slipway
