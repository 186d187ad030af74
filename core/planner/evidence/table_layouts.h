// The two column layouts of measured runs, a row at a time. An Error's message is the reason that is counted.
#pragma once

#include "core/base/csv_table.h"
#include "core/planner/evidence/measured_run.h"

namespace slipway {

/// A row of the layout benchmark that the Ultra-Scale Playbook (nanotron, 2025) published.
Result<MeasuredRun> playbookRun(const CsvTable& csv, std::size_t row);

/// A row compiled from published tables; empty cells are unknown.
Result<MeasuredRun> publishedRun(const CsvTable& csv, std::size_t row);

/// The run itself, or why it cannot be used: the planner refuses its config, or its figures contradict its device (more
/// memory than it has, an MFU above 100 %).
Result<MeasuredRun> checkedRun(MeasuredRun run);

}  // namespace slipway
