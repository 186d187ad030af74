// A chapter of the playbook, or all of them, as a report with its pictures, the reader's guess, the worked numbers and the verdicts of
// the own experiments.
//   writeFileAtomically(path, toHtml(chapterReport(playbook, chapter, {guesses, records, host, plan}, head)));
#pragma once

#include "core/planner/plan.h"
#include "core/playbook/standing.h"
#include "core/report/build_report.h"

namespace slipway {

/// What a reader did, on which computer, and the plan that pictures are drawn from.
struct ReaderState {
    std::vector<Guess> guesses;
    std::vector<Json> records;
    std::string here;  ///< HostIdentity::host: records of other computers are shown as theirs
    Plan plan;
};

Report chapterReport(const Playbook& playbook, const Chapter& chapter, const ReaderState& reader,
                     const ReportHead& head);
/// All chapters one after the other, with the calibration of all guesses and the map of claims at the end. A chapter without a guess
/// has its question alone: a report would answer it.
Report playbookReport(const Playbook& playbook, const ReaderState& reader, const ReportHead& head);

}  // namespace slipway
