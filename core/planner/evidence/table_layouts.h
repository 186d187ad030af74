// The two column layouts of measured runs, row by row. An Error's message is the counted reason.
#pragma once

#include "core/base/csv_table.h"
#include "core/planner/evidence/measured_run.h"

namespace slipway {

/// A row of the layout benchmark published with the Ultra-Scale Playbook (nanotron, 2025).
Result<MeasuredRun> playbookRun(const CsvTable& csv, std::size_t row);

/// A row compiled from published tables; empty cells are unknown.
Result<MeasuredRun> publishedRun(const CsvTable& csv, std::size_t row);

/// The run itself, or the reason why it is unusable: the planner rejects its config, or its figures contradict its
/// device (more memory than available, an MFU above 100 %).
Result<MeasuredRun> checkedRun(MeasuredRun run);

}  // namespace slipway
