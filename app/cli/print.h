// Tables and lines for people at a terminal.
#pragma once

#include "core/base/result.h"
#include "core/report/report.h"

#include <ostream>
#include <string>
#include <vector>

namespace slipway {

/// Text that cannot steer a terminal: UntrustedText::terminal().
std::string printable(const std::string& text);

/// Columns a terminal needs for the text: wide characters count two, combining ones none.
std::size_t displayWidth(const std::string& text);

/// Columns that a table or paragraph may take where the terminal is not narrower.
constexpr std::size_t kLineWidth = 100;

/// Says how many columns the terminal behind a stream has; lines are never set narrower than 60 nor wider than kLineWidth.
void setTerminalColumns(std::ostream& out, std::size_t columns);

/// Columns that a table or paragraph on this stream may take.
std::size_t lineWidth(std::ostream& out);

/// Aligned columns, heads above; colour marks states, never carries them alone. Where a row would be longer than a line,
/// heads of numbers stand on several lines, and the longest column of text is broken at spaces or stands below its row.
void printTable(std::ostream& out, const Table& table, bool colour);

/// "label   value" lines, aligned; values are broken at spaces.
void printFacts(std::ostream& out, const std::vector<std::pair<std::string, std::string>>& entries);

/// The table turned over for few rows with many figures: a line per column, a column per row headed by its first cell.
Table transposed(const Table& table);

/// The table with these columns only, in this order; unknown keys are passed over.
Table selectColumns(const Table& table, const std::vector<std::string>& keys);

/// Issues as lines "error parallel.tp: ...".
void printIssues(std::ostream& out, const std::vector<Issue>& issues, bool colour,
                 Language language = Language::English);

/// Text wrapped at a width, as paragraphs of a terminal.
std::string wrapText(const std::string& text, std::size_t width);

}  // namespace slipway
