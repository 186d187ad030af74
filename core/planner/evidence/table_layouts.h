// The two column layouts of measured runs, row by row, and the record of runs on one computer. An Error's message is the counted reason.
#pragma once

#include "core/base/csv_table.h"
#include "core/planner/evidence/measured_run.h"

namespace slipway {

/// A row of the layout benchmark published with the Ultra-Scale Playbook (nanotron, 2025).
Result<MeasuredRun> playbookRun(const CsvTable& csv, std::size_t row);

/// A row compiled from published tables; empty cells are unknown.
Result<MeasuredRun> publishedRun(const CsvTable& csv, std::size_t row);

/// A record of the bundled trainer's runs on one computer (benchmarks/forecast_layouts.py): {"cluster": ..., "runs": [{"config": ...,
/// "step_seconds": x}, ...]}.
Result<MeasuredTable> readOwnRuns(std::string_view text, const std::string& name);

/// The run itself, or the reason why it is unusable: the planner rejects its config, or its figures contradict its
/// device (more memory than available, an MFU above 100 %).
Result<MeasuredRun> checkedRun(MeasuredRun run);

}  // namespace slipway
