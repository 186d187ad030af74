// The two column layouts of measured runs, a row at a time. An Error's message is the reason that is counted.
#pragma once

#include "core/base/csv_table.h"
#include "core/planner/validate/measured_run.h"

namespace slipway {

/// A row of the layout benchmark that the Ultra-Scale Playbook (nanotron, 2025) published.
Result<MeasuredRun> playbookRun(const CsvTable& csv, std::size_t row);

/// A row compiled from published tables; empty cells are unknown.
Result<MeasuredRun> publishedRun(const CsvTable& csv, std::size_t row);

/// "not usable: ..." when the planner refuses the config, else the run itself.
Result<MeasuredRun> checkedRun(MeasuredRun run);

}  // namespace slipway
