#include "core/report/drawing.h"

#include <algorithm>
#include <filesystem>

namespace slipway {
namespace {

constexpr double kCellPadding = 15;

double widthOf(const Cell& cell) {
    return std::max(textWidth(cell.text), textWidth(cell.note) * 0.9);
}

}  // namespace

double columnWidth(const Table& table, std::size_t column) {
    const Column& head = table.columns[column];
    const std::string below = head.note + (head.note.empty() || head.unit.empty() ? "" : ", ") + head.unit;
    double width = std::max(textWidth(head.title), textWidth(below));
    for (const auto& row : table.rows) width = std::max(width, widthOf(row[column]));
    if (!head.isNumber) width = std::min(width, kLongestTextWidth);
    return width + kCellPadding;
}

std::vector<Table> folded(const Table& table, double width) {
    std::vector<Table> parts;
    if (table.columns.empty()) return {table};
    std::vector<std::size_t> taken;  // columns of the growing part
    double used = 0;
    const auto close = [&] {
        Table part;
        part.title = parts.empty() ? table.title : std::string();
        for (const std::size_t c : taken) part.columns.push_back(table.columns[c]);
        for (const auto& row : table.rows) {
            part.rows.emplace_back();
            for (const std::size_t c : taken) part.rows.back().push_back(row[c]);
        }
        parts.push_back(std::move(part));
    };
    const double first = columnWidth(table, 0);
    taken = {0};
    used = first;
    for (std::size_t begin = 1; begin < table.columns.size();) {
        std::size_t end = begin + 1;
        const std::string& group = table.columns[begin].group;
        while (!group.empty() && end < table.columns.size() && table.columns[end].group == group) ++end;
        double needed = 0;
        for (std::size_t c = begin; c < end; ++c) needed += columnWidth(table, c);
        if (taken.size() > 1 && used + needed > width) {
            close();
            taken = {0};
            used = first;
        }
        for (std::size_t c = begin; c < end; ++c) taken.push_back(c);
        used += needed;
        begin = end;
    }
    close();
    parts.back().caption = table.caption;
    return parts;
}

std::string authorLine(const Report& report) {
    return report.author + (report.author.empty() || report.date.empty() ? "" : " · ") + report.date;
}

const std::vector<std::string>& reportFormats() {
    static const std::vector<std::string> all{"html", "pdf", "md", "csv", "latex"};
    return all;
}

std::optional<ReportFormat> reportFormatOf(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending == ".html" || ending == ".htm") return ReportFormat::Html;
    if (ending == ".pdf") return ReportFormat::Pdf;
    if (ending == ".md") return ReportFormat::Markdown;
    if (ending == ".csv") return ReportFormat::Csv;
    if (ending == ".tex") return ReportFormat::Latex;
    return {};
}

Result<std::string> writeReport(const Report& report, ReportFormat format) {
    switch (format) {
        case ReportFormat::Html: return toHtml(report);
        case ReportFormat::Pdf: return toPdf(report);
        case ReportFormat::Markdown: return toMarkdown(report);
        case ReportFormat::Csv: return toCsv(report);
        case ReportFormat::Latex: return toLatex(report);
    }
    return toHtml(report);
}

}  // namespace slipway
