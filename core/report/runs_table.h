// The list of runs as a table, for files and terminals; the window and `slipway runs` write the same bytes.
//   auto file = writeRuns(rows, {"name", "mfu"}, TableFormat::Latex);
#pragma once

#include "core/report/report.h"
#include "core/store/run_fields.h"
#include "core/store/run_listing.h"
#include "core/store/run_record.h"

#include <string>
#include <vector>

namespace slipway {

enum class TableFormat { Csv, Markdown, Latex, Parquet };

/// "csv", "markdown", ... in the order of TableFormat.
const std::vector<std::string>& tableFormats();
/// The file extension: "csv", "md", "tex", "parquet".
std::string fileEnding(TableFormat format);

/// Every field available in a list.
std::vector<std::string> allColumns();

/// A row per run with these fields (RunQuery::columns of the rows, in this order); "unknown_field".
Result<Table> runsTable(const std::vector<RunRow>& rows, const std::vector<std::string>& columns, Language language);

/// A row per group: its value, the numbers of runs, of successful and of failed ones, and mean, minimum and maximum of
/// each field (those passed to RunStore::groups).
Result<Table> groupsTable(const std::vector<RunGroup>& groups, const std::string& groupBy,
                          const std::vector<std::string>& figures, Language language);

/// The table as a file. CSV has full numbers, Markdown and LaTeX formatted ones.
std::string writeTable(const Table& table, TableFormat format);

/// The runs as a file, also as Parquet; CSV and Parquet have no language. "unknown_field", and the errors of toParquet().
Result<std::string> writeRuns(const std::vector<RunRow>& rows, const std::vector<std::string>& columns,
                              TableFormat format, Language language);

/// A Markdown table (GitHub's).
std::string markdownTable(const Table& table);

/// A LaTeX tabular with booktabs' rules; cells never become commands. Needs \usepackage{booktabs}.
std::string toLatex(const Table& table);

}  // namespace slipway
