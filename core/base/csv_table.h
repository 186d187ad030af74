// A table with a header line, separated by commas (or semicolons or tabs, if the header has no comma); quoted cells may
// hold commas, doubled quotes and line breaks (RFC 4180).
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace slipway {

class CsvTable {
public:
    /// "csv_syntax" for an open quote or an empty file; lines with too few cells are kept, missing cells are empty.
    static Result<CsvTable> parse(std::string_view text, const std::string& name);
    /// The separator that parse() detects in this text.
    static char separatorOf(std::string_view text);

    [[nodiscard]] std::size_t numRows() const { return m_rows.size(); }
    [[nodiscard]] const std::vector<std::string>& header() const { return m_header; }
    [[nodiscard]] const std::vector<std::string>& cells(std::size_t row) const { return m_rows[row]; }
    /// 1-based line of the file on which the row begins.
    [[nodiscard]] std::size_t line(std::size_t row) const { return m_lines[row]; }
    [[nodiscard]] bool has(const std::string& column) const { return m_columns.count(column) > 0; }
    /// Empty when the table has no such column or the cell is empty.
    [[nodiscard]] const std::string& text(std::size_t row, const std::string& column) const;
    /// Empty when the cell is empty or not a number.
    [[nodiscard]] std::optional<double> number(std::size_t row, const std::string& column) const;
    [[nodiscard]] std::optional<std::int64_t> count(std::size_t row, const std::string& column) const;

private:
    std::unordered_map<std::string, std::size_t> m_columns;
    std::vector<std::string> m_header;
    std::vector<std::vector<std::string>> m_rows;
    std::vector<std::size_t> m_lines;
};

}  // namespace slipway
