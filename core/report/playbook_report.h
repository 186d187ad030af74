// A chapter of the playbook as a report, with the reader's guess, the worked numbers and the verdicts of the own experiments.
//   writeFileAtomically(path, toHtml(chapterReport(playbook, chapter, guesses, records, head)));
#pragma once

#include "core/playbook/standing.h"
#include "core/report/build_report.h"

namespace slipway {

Report chapterReport(const Playbook& playbook, const Chapter& chapter, const std::vector<Guess>& guesses,
                     const std::vector<Json>& records, const ReportHead& head);

}  // namespace slipway
