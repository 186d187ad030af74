// The rows of tests/data/examples.csv for rooms that bind some of them. Each row names its source.
#pragma once

#include "core/base/file.h"
#include "core/base/json.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace slipway::test {

/// Column name -> text.
using ExampleRow = std::map<std::string, std::string>;

/// Splits comma-separated text with quoted fields and doubled quotes.
inline std::vector<std::vector<std::string>> parseCsv(const std::string& text) {
    std::vector<std::vector<std::string>> lines{{""}};
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        std::string& cell = lines.back().back();
        if (quoted) {
            if (c == '"' && i + 1 < text.size() && text[i + 1] == '"')
                cell += text[++i];
            else if (c == '"')
                quoted = false;
            else
                cell += c;
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
    if (lines.back().size() == 1 && lines.back().front().empty()) lines.pop_back();
    return lines;
}

/// Rows whose id begins with one of the prefixes; empty if the file cannot be read.
inline std::vector<ExampleRow> exampleRows(const std::vector<std::string>& prefixes) {
    std::vector<ExampleRow> rows;
    const auto text = readFile(std::string(SLIPWAY_TEST_DATA) + "/examples.csv");
    if (!text) return rows;
    const auto lines = parseCsv(*text);
    for (std::size_t i = 1; i < lines.size(); ++i) {
        ExampleRow row;
        for (std::size_t column = 0; column < lines[0].size(); ++column) row[lines[0][column]] = lines[i].at(column);
        for (const std::string& prefix : prefixes)
            if (row["id"].starts_with(prefix)) {
                rows.push_back(std::move(row));
                break;
            }
    }
    return rows;
}

}  // namespace slipway::test
