// A chapter of the playbook, or all of them, as a report with its pictures, the reader's guess, the worked numbers and
// the verdicts of the reader's own experiments.
//   writeFileAtomically(path, toHtml(chapterReport(playbook, chapter, {guesses, records, host, plan}, head)));
#pragma once

#include "core/planner/plan.h"
#include "core/playbook/standing.h"
#include "core/report/build_report.h"

namespace slipway {

/// A reader's history, the computer, and the plan behind the pictures.
struct ReaderState {
    std::vector<Guess> guesses;
    std::vector<Json> records;
    std::string here;  ///< HostIdentity::host: records of other computers are marked as such
    Plan plan;
};

Report chapterReport(const Playbook& playbook, const Chapter& chapter, const ReaderState& reader,
                     const ReportHead& head);
/// All chapters in order, with the calibration of all guesses and the map of claims at the end. A chapter without a
/// guess shows only its question: the rest would reveal the answer.
Report playbookReport(const Playbook& playbook, const ReaderState& reader, const ReportHead& head);

}  // namespace slipway
