// Reports built from what the store knows of a sweep or of runs.
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

/// What a run was made with, from its folder; what was not recorded is empty.
struct RunOrigin {
    std::string configHash;
    std::string version, commit, libtorch;
    std::string host, device;
    std::string load;  ///< of the computer while it ran
};

/// What a report needs beyond the figures of its runs.
struct ReportData {
    std::map<std::string, MetricSeries> losses;  ///< by run id
    std::map<std::string, RunOrigin> origins;    ///< by run id
    std::optional<double> unigramEntropy;        ///< nats/token of the text, from the token file
    std::vector<NamedAccount> accounts;          ///< of one or two runs, whose steps are accounted for
    std::string origin;                          ///< version of the program that writes the report
};

/// Opens with what the sweep shows, its heat map, the comparison table and the charts; then loss curves, what did not run, setup
/// and provenance. Pure: every number is computed from `result` and `data`. A result without an id is a list of runs.
Report sweepReport(const SweepResult& result, const ReportData& data, const ReportHead& head = {});

/// The comparison table alone; `slipway` prints it, too.
Table comparisonTable(const std::vector<TrialResult>& trials, Language language = Language::English);

/// Findings of the sweep as sentences: fastest and slowest layout, agreement of the losses, error of the forecast,
/// bubble, what did not run.
std::vector<std::string> summarySentences(const SweepResult& result, const ReportData& data, Language language);
/// All of them as one text.
std::string sweepSummary(const SweepResult& result, const ReportData& data, Language language = Language::English);
/// The first sentences that have at most kSummaryWords words together, and the others.
std::pair<std::string, std::string> shortened(const std::vector<std::string>& sentences);

/// Versions, commit, hardware and the hash of each config: which program, on what, made these figures.
Section provenanceSection(const SweepResult& result, const ReportData& data, Language language);

/// Collects losses, origins and the text's entropy from the store and the run folders.
ReportData collectReportData(RunStore& store, const Home& home, const std::vector<TrialResult>& trials);

Result<Report> buildSweepReport(RunStore& store, const Home& home, const SweepId& id, const ReportHead& head = {});

/// One or more runs side by side; the first is the one the others are compared with. "run_missing"; "no_runs" where there is none.
Result<Report> buildRunReport(RunStore& store, const Home& home, const std::vector<RunId>& ids,
                              const ReportHead& head = {});

/// What a report is about: a sweep, or runs.
struct ReportSubject {
    SweepId sweep;
    std::vector<RunId> runs;
};
/// "too_many_runs" beyond this.
constexpr std::size_t kMostReportedRuns = 1000;

/// The file that the command and the window write: the same subject, head and form give the same bytes. CSV has no language.
Result<std::string> reportFile(RunStore& store, const Home& home, const ReportSubject& subject, ReportHead head,
                               ReportFormat format);

/// The day of a report that is made now: "2026-11-23", UTC.
std::string reportDate(std::int64_t unixMilliseconds);

/// The runs as rows of a comparison, for commands and reports.
Result<std::vector<TrialResult>> runsAsTrials(RunStore& store, const std::vector<RunId>& ids);

}  // namespace slipway
