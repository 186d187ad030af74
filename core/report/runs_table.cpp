#include "core/report/runs_table.h"

#include "core/base/recorded_text.h"
#include "core/base/units.h"
#include "core/metrics/titles.h"
#include "core/report/parquet.h"
#include "core/report/words.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace slipway {
namespace {

/// "2026-11-21T13:05:00Z": files do not depend on the writer's time zone.
std::string utcText(std::int64_t unixMilliseconds) {
    const std::time_t seconds = unixMilliseconds / 1000;
    std::tm parts{};
    char buffer[32];
    if (::gmtime_r(&seconds, &parts) == nullptr ||
        std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        return "?";
    return buffer;
}

std::string realText(const RunField& field, double value, Language language) {
    if (std::isnan(value) || std::isinf(value)) return formatFixed(value, 0);
    if (field.unit == "bytes") return formatBytes(value);
    if (field.unit == "s") return formatSeconds(value, language);
    if (field.unit == "fraction") return formatPercent(value);
    if (field.unit.english().starts_with("tokens/s")) return formatCount(value);
    if (field.name.find("loss") != std::string::npos) return formatFixed(value, 3);
    return std::fabs(value) >= 1e5 ? formatShort(value, language) : formatSignificant(value, 4);
}

/// Tags are stored between line breaks.
std::string tagsText(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
    return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

bool isNumeric(const RunField& field) {
    return field.kind == RunFieldKind::Integer || field.kind == RunFieldKind::Real;
}

std::optional<double> numberOf(const CellValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return {};
}

ParquetType parquetTypeOf(const RunField& field) {
    switch (field.kind) {
        case RunFieldKind::Integer: return ParquetType::Integer;
        case RunFieldKind::Real: return ParquetType::Real;
        case RunFieldKind::Flag: return ParquetType::Flag;
        case RunFieldKind::Time: return ParquetType::Time;
        default: return ParquetType::Text;
    }
}

CellValue parquetValueOf(const RunField& field, const CellValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    switch (field.kind) {
        case RunFieldKind::Integer:
        case RunFieldKind::Flag:
        case RunFieldKind::Time:
            if (const auto number = numberOf(value); number && std::isfinite(*number))
                return std::holds_alternative<std::int64_t>(value) ? value : static_cast<std::int64_t>(*number);
            return {};
        case RunFieldKind::Real:
            if (const auto number = numberOf(value)) return *number;
            return {};
        case RunFieldKind::Tags: return text ? CellValue(tagsText(*text)) : CellValue();
        default: return text ? value : CellValue();
    }
}

Result<std::vector<const RunField*>> fieldsOf(const std::vector<std::string>& columns) {
    std::vector<const RunField*> out;
    for (const std::string& name : columns) {
        out.push_back(findRunField(name));
        if (out.back() == nullptr)
            return fail("unknown_field", "Unknown field %1%2"_text(name, didYouMean(nearestRunField(name))), "columns");
    }
    return out;
}

std::string shownUnit(const RunField& field, Language language) {
    // The units of these are in the cells, or in the title.
    static const std::vector<std::string_view> elsewhere{"bytes", "s", "fraction", "tokens/s/device"};
    const bool isElsewhere = std::find(elsewhere.begin(), elsewhere.end(), field.unit.english()) != elsewhere.end();
    return isElsewhere ? std::string() : textOf(field.unit, language);
}

/// A formatted value of a run, by the unit of its field. @param ended whether the run has ended: then absent is "n/a", else "–"
std::string fieldText(const RunField& field, const CellValue& value, bool ended, Language language) {
    if (std::holds_alternative<std::monostate>(value)) return ended ? "n/a" : "–";
    if (const auto* text = std::get_if<std::string>(&value)) {
        const std::string shown = field.kind == RunFieldKind::Tags ? tagsText(*text) : *text;
        if (field.name == "status")
            if (const auto status = runStatusFrom(shown)) return textOf(statusText(*status), language);
        if (field.name == "reason" && !shown.empty()) return recordedText(shown, language);
        return shown.empty() ? "–" : shown;
    }
    const double number = *numberOf(value);
    switch (field.kind) {
        case RunFieldKind::Flag: return textOf(number != 0 ? "yes"_text : "no"_text, language);
        case RunFieldKind::Time: return utcText(static_cast<std::int64_t>(number));
        case RunFieldKind::Real: return realText(field, number, language);
        default: return formatCount(number);
    }
}

}  // namespace

const std::vector<std::string>& tableFormats() {
    static const std::vector<std::string> all{"csv", "markdown", "latex", "parquet"};
    return all;
}

std::string fileEnding(TableFormat format) {
    switch (format) {
        case TableFormat::Csv: return "csv";
        case TableFormat::Markdown: return "md";
        case TableFormat::Latex: return "tex";
        case TableFormat::Parquet: break;
    }
    return "parquet";
}

std::vector<std::string> allColumns() {
    std::vector<std::string> out;
    for (const RunField& field : runFields()) out.push_back(field.name);
    return out;
}

Result<Table> runsTable(const std::vector<RunRow>& rows, const std::vector<std::string>& columns, Language language) {
    const auto fields = fieldsOf(columns);
    if (!fields) return fail(fields.error());
    Table table;
    for (const RunField* field : *fields)
        table.columns.push_back(
            {textOf(titleOf(field->name), language), field->name, "", isNumeric(*field), shownUnit(*field, language)});
    for (const RunRow& row : rows) {
        auto& cells = table.rows.emplace_back();
        for (std::size_t i = 0; i < fields->size(); ++i) {
            const RunField& field = *(*fields)[i];
            const CellValue value = i < row.cells.size() ? row.cells[i] : CellValue();
            cells.push_back({fieldText(field, value, isFinal(row.record.status), language),
                             isNumeric(field) ? numberOf(value) : std::nullopt});
        }
    }
    return table;
}

Result<Table> groupsTable(const std::vector<RunGroup>& groups, const std::string& groupBy,
                          const std::vector<std::string>& figures, Language language) {
    const auto by = fieldsOf({groupBy});
    if (!by) return fail(by.error());
    const auto fields = fieldsOf(figures);
    if (!fields) return fail(fields.error());
    const RunField& field = *by->front();
    Table table;
    const auto say = [&](const Message& message) { return textOf(message, language); };
    table.columns = {{say(titleOf(field.name)), field.name, "", isNumeric(field), shownUnit(field, language)},
                     {say("Runs"_text), "runs", "", true, ""},
                     {say("Ran"_text), "ran", "", true, ""},
                     {say("Failed"_text), "failed", "", true, ""}};
    for (const RunField* figure : *fields)
        for (const SourceText what : {"mean"_text, "min"_text, "max"_text})
            table.columns.push_back({say(what), figure->name + "_" + std::string(what.english()),
                                     say(titleOf(figure->name)), true, shownUnit(*figure, language)});
    for (const RunGroup& group : groups) {
        const auto count = [](std::int64_t number) {
            return Cell{formatCount(static_cast<double>(number)), static_cast<double>(number)};
        };
        auto& cells = table.rows.emplace_back();
        const auto value = numberOf(group.value);
        cells.push_back(
            {value && isNumeric(field) ? formatSignificant(*value, 6) : fieldText(field, group.value, true, language),
             isNumeric(field) ? value : std::nullopt});
        cells.push_back(count(group.count));
        cells.push_back(count(group.ran));
        cells.push_back(count(group.failed));
        for (std::size_t i = 0; i < fields->size(); ++i) {
            const FigureSummary& figure = group.figures[i];
            for (const double number : {figure.mean, figure.least, figure.greatest})
                cells.push_back(figure.numKnown > 0 ? Cell{realText(*(*fields)[i], number, language), number}
                                                    : Cell{"n/a", {}});
        }
    }
    return table;
}

std::string writeTable(const Table& table, TableFormat format) {
    if (format == TableFormat::Latex) return toLatex(table);
    if (format == TableFormat::Markdown) return markdownTable(table);
    Report report;
    report.sections.push_back({"", {table}});
    return toCsv(report);
}

Result<std::string> writeRuns(const std::vector<RunRow>& rows, const std::vector<std::string>& columns,
                              TableFormat format, Language language) {
    if (format != TableFormat::Parquet) {
        auto table = runsTable(rows, columns, format == TableFormat::Csv ? Language::English : language);
        if (!table) return fail(table.error());
        // For programs, unknown is empty, never a word or a dash.
        for (std::size_t r = 0; format == TableFormat::Csv && r < rows.size(); ++r)
            for (std::size_t c = 0; c < rows[r].cells.size(); ++c)
                if (const CellValue& value = rows[r].cells[c];
                    value == CellValue() || value == CellValue(std::string()))
                    table->rows[r][c].text.clear();
        return writeTable(*table, format);
    }
    const auto fields = fieldsOf(columns);
    if (!fields) return fail(fields.error());
    std::vector<ParquetColumn> out;
    for (std::size_t i = 0; i < fields->size(); ++i) {
        const RunField& field = *(*fields)[i];
        ParquetColumn& column = out.emplace_back(ParquetColumn{field.name, parquetTypeOf(field), {}});
        column.values.reserve(rows.size());
        for (const RunRow& row : rows)
            column.values.push_back(parquetValueOf(field, i < row.cells.size() ? row.cells[i] : CellValue()));
    }
    return toParquet(out, rows.size());
}

}  // namespace slipway
