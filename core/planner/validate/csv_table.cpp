#include "core/planner/validate/csv_table.h"

#include <charconv>
#include <cmath>

namespace slipway {

namespace {

/// Cells of all lines; false when a quote stays open.
bool split(std::string_view text, std::vector<std::vector<std::string>>& lines) {
    lines.assign(1, {""});
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        std::string& cell = lines.back().back();
        if (quoted) {
            if (c != '"')
                cell += c;
            else if (i + 1 < text.size() && text[i + 1] == '"')
                cell += text[++i];
            else
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',') {
            lines.back().emplace_back();
        } else if (c == '\n') {
            lines.push_back({""});
        } else if (c != '\r') {
            cell += c;
        }
    }
    std::erase_if(lines, [](const auto& cells) { return cells.size() == 1 && cells.front().empty(); });
    return !quoted;
}

}  // namespace

Result<CsvTable> CsvTable::parse(std::string_view text, const std::string& name) {
    std::vector<std::vector<std::string>> lines;
    if (!split(text, lines)) return fail("csv_syntax", "A quoted cell does not end.", name);
    if (lines.empty()) return fail("csv_syntax", "The file is empty; a line with column names is needed.", name);
    CsvTable table;
    for (std::size_t i = 0; i < lines.front().size(); ++i) table.m_columns.emplace(lines.front()[i], i);
    table.m_rows.assign(std::make_move_iterator(lines.begin() + 1), std::make_move_iterator(lines.end()));
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
