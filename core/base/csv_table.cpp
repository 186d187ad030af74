#include "core/base/csv_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace slipway {

namespace {

struct Record {
    std::size_t line = 1;
    std::vector<std::string> cells{""};
    [[nodiscard]] bool isEmpty() const { return cells.size() == 1 && cells.front().empty(); }
};

/// Cells of all non-empty lines; false for an unclosed quote.
bool split(std::string_view text, char separator, std::vector<Record>& records) {
    records.assign(1, {});
    bool quoted = false;
    std::size_t line = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        line += c == '\n' ? 1 : 0;
        std::string& cell = records.back().cells.back();
        if (quoted) {
            if (c != '"')
                cell += c;
            else if (i + 1 < text.size() && text[i + 1] == '"')
                cell += text[++i];
            else
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == separator) {
            records.back().cells.emplace_back();
        } else if (c == '\n') {
            if (records.back().isEmpty()) records.pop_back();
            records.push_back({line, {""}});
        } else if (c != '\r') {
            cell += c;
        }
    }
    if (records.back().isEmpty()) records.pop_back();
    return !quoted;
}

}  // namespace

char CsvTable::separatorOf(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of("\r\n"), text.size());
    const std::string_view header = text.substr(begin, text.find('\n', begin) - begin);
    for (const char c : {',', ';', '\t'})
        if (header.find(c) != std::string_view::npos) return c;
    return ',';
}

Result<CsvTable> CsvTable::parse(std::string_view text, const std::string& name) {
    std::vector<Record> records;
    if (!split(text, separatorOf(text), records)) return fail("csv_syntax", "A quoted cell is not closed."_text, name);
    if (records.empty())
        return fail("csv_syntax", "The file is empty; the first line must hold column names."_text, name);
    CsvTable table;
    table.m_header = std::move(records.front().cells);
    for (std::size_t i = 0; i < table.m_header.size(); ++i) table.m_columns.emplace(table.m_header[i], i);
    for (std::size_t i = 1; i < records.size(); ++i) {
        table.m_rows.push_back(std::move(records[i].cells));
        table.m_lines.push_back(records[i].line);
    }
    return table;
}

const std::string& CsvTable::text(std::size_t row, const std::string& column) const {
    static const std::string empty;
    const auto found = m_columns.find(column);
    if (found == m_columns.end() || found->second >= m_rows[row].size()) return empty;
    return m_rows[row][found->second];
}

std::optional<double> CsvTable::number(std::size_t row, const std::string& column) const {
    const std::string& cell = text(row, column);
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (cell.empty() || error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) return {};
    return value;
}

std::optional<std::int64_t> CsvTable::count(std::size_t row, const std::string& column) const {
    const std::optional<double> value = number(row, column);
    if (!value || *value != std::floor(*value) || std::abs(*value) > 1e15) return {};
    return static_cast<std::int64_t>(*value);
}

}  // namespace slipway
