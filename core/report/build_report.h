// Reports on a sweep or on runs, built from the store.
//   auto report = buildSweepReport(store, home, sweepId, {.author = "Ada"});   writeFileAtomically(path, toHtml(*report));
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

/// The author's texts for a report; empty ones are taken from the sweep or the runs.
struct ReportHead {
    std::string title, author, date, question;
    Language language = Language::English;
};

/// Provenance of a run, from its folder; unrecorded values are empty.
struct RunOrigin {
    std::string configHash;
    std::string version, commit, libtorch;
    std::string host, device;
    std::string load;  ///< of the computer while it ran
};

/// Inputs of a report beyond the figures of its runs.
struct ReportData {
    std::map<std::string, MetricSeries> losses;  ///< by run id
    std::map<std::string, RunOrigin> origins;    ///< by run id
    std::optional<double> unigramEntropy;        ///< nats/token of the text, from the token file
    std::vector<NamedAccount> accounts;          ///< of one or two runs with step accounts
    std::string origin;                          ///< version of the program that writes the report
};

/// Begins with the sweep's findings, its heat map, the comparison table and the charts; then loss curves, failed points, setup and
/// provenance. Pure: every number is computed from `result` and `data`. A result without an id is a list of runs.
Report sweepReport(const SweepResult& result, const ReportData& data, const ReportHead& head = {});

/// The comparison table alone; also printed by `slipway`.
Table comparisonTable(const std::vector<TrialResult>& trials, Language language = Language::English);

/// Findings of the sweep as sentences: fastest and slowest layout, agreement of the losses, error of the forecast,
/// bubble, points that did not run.
std::vector<std::string> summarySentences(const SweepResult& result, const ReportData& data, Language language);
/// All of them as one text.
std::string sweepSummary(const SweepResult& result, const ReportData& data, Language language = Language::English);
/// The first sentences with at most kSummaryWords words in total, and the rest.
std::pair<std::string, std::string> shortened(const std::vector<std::string>& sentences);

/// Versions, commit, hardware and the hash of each config: program and platform behind these figures.
Section provenanceSection(const SweepResult& result, const ReportData& data, Language language);

/// Collects losses, origins and the text's entropy from the store and the run folders.
ReportData collectReportData(RunStore& store, const Home& home, const std::vector<TrialResult>& trials);

Result<Report> buildSweepReport(RunStore& store, const Home& home, const SweepId& id, const ReportHead& head = {});

/// One or more runs side by side; the others are compared with the first. "run_missing"; "no_runs" where there is none.
Result<Report> buildRunReport(RunStore& store, const Home& home, const std::vector<RunId>& ids,
                              const ReportHead& head = {});

/// Subject of a report: a sweep, or runs.
struct ReportSubject {
    SweepId sweep;
    std::vector<RunId> runs;
};
/// "too_many_runs" beyond this.
constexpr std::size_t kMostReportedRuns = 1000;

/// The file written by the command and the window: the same subject, head and form yield the same bytes. CSV has no language.
Result<std::string> reportFile(RunStore& store, const Home& home, const ReportSubject& subject, ReportHead head,
                               ReportFormat format);

/// Today's date for a report: "2026-11-23", UTC.
std::string reportDate(std::int64_t unixMilliseconds);

/// The runs as rows of a comparison, for commands and reports.
Result<std::vector<TrialResult>> runsAsTrials(RunStore& store, const std::vector<RunId>& ids);

}  // namespace slipway
