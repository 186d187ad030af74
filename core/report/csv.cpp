#include "core/base/untrusted_text.h"
#include "core/report/csv_number.h"
#include "core/report/report.h"

namespace slipway {

std::string toCsv(const Report& report) {
    const Table* table = nullptr;
    for (const Section& section : report.sections)
        for (const Block& block : section.blocks)
            if (const auto* other = std::get_if<Table>(&block);
                other != nullptr && (table == nullptr || other->columns.size() > table->columns.size()))
                table = other;
    if (table == nullptr) return "";
    std::string out;
    for (std::size_t i = 0; i < table->columns.size(); ++i)
        out += (i == 0 ? "" : ",") + UntrustedText(table->columns[i].key).csv();
    out += "\r\n";
    for (const auto& row : table->rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            // A number column without a number is empty: unknown is neither 0 nor a dash.
            const bool isNumber = i < table->columns.size() && table->columns[i].isNumber;
            out += (i == 0 ? "" : ",") + (row[i].number ? csvNumber(*row[i].number)
                                          : isNumber    ? ""
                                                        : UntrustedText(row[i].text).csv());
        }
        out += "\r\n";
    }
    return out;
}

Table readable(const Table& table) {
    Table out;
    out.title = table.title;
    out.caption = table.caption;
    out.rows.resize(table.rows.size());
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].isCsvOnly) continue;
        out.columns.push_back(table.columns[c]);
        for (std::size_t r = 0; r < table.rows.size(); ++r) out.rows[r].push_back(table.rows[r][c]);
    }
    return out;
}

void shareUnits(Table& table) {
    static const std::string kThin = "\xE2\x80\xAF";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (!table.columns[c].isNumber || !table.columns[c].unit.empty()) continue;
        std::string unit;
        bool shared = true;
        for (const auto& row : table.rows) {
            if (!row[c].number) continue;
            const std::size_t at = row[c].text.rfind(kThin);
            const std::string own = at == std::string::npos ? "" : row[c].text.substr(at + kThin.size());
            if (own.empty() && row[c].text == "0") continue;
            shared = shared && !own.empty() && (unit.empty() || unit == own);
            unit = own;
        }
        if (!shared || unit.empty()) continue;
        for (auto& row : table.rows)
            if (row[c].number && row[c].text.ends_with(kThin + unit))
                row[c].text.resize(row[c].text.size() - kThin.size() - unit.size());
        table.columns[c].unit = unit;
    }
}

}  // namespace slipway
