#include "core/base/units.h"
#include "core/base/untrusted_text.h"
#include "core/report/runs_table.h"

#include <algorithm>

namespace slipway {
namespace {

/// Text without commands, groups, alignments or comments, and without sequences that typeset as another character.
std::string latexText(const std::string& text) {
    std::string out;
    for (const char c : UntrustedText(asciiText(text)).plain()) {
        switch (c) {
            case '\\': out += "\\textbackslash{}"; break;
            case '~': out += "\\textasciitilde{}"; break;
            case '^': out += "\\textasciicircum{}"; break;
            case '<': out += "\\textless{}"; break;
            case '>': out += "\\textgreater{}"; break;
            case '|': out += "\\textbar{}"; break;
            case '"': out += "\\textquotedbl{}"; break;
            case '\'': out += "\\textquotesingle{}"; break;
            case '`': out += "\\textasciigrave{}"; break;
            case '[':
            case ']': out += std::string("{") + c + "}"; break;  // after \\ a bracket would be its argument
            case '-': out += "{-}"; break;                       // -- would become a dash
            case '&':
            case '%':
            case '$':
            case '#':
            case '_':
            case '{':
            case '}': out += '\\'; [[fallthrough]];
            default: out += c;
        }
    }
    return out;
}

std::string latexRow(const std::vector<std::string>& cells) {
    std::string out;
    for (const std::string& cell : cells) out += (&cell == &cells.front() ? "" : " & ") + cell;
    return out + " \\\\\n";
}

/// @param wraps whether long texts have a width
std::string tabular(const Table& table, bool wraps) {
    std::string alignment;
    std::vector<std::string> head;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Column& column = table.columns[i];
        alignment += column.isNumber ? "r" : wraps && columnWidth(table, i) > kLongestTextWidth ? "p{5.5cm}" : "l";
        const std::string group = column.group.empty() ? "" : column.group + (column.title.empty() ? "" : ", ");
        head.push_back(latexText(group + column.title + (column.unit.empty() ? "" : " (" + column.unit + ")")));
    }
    const bool hasHead = std::any_of(head.begin(), head.end(), [](const std::string& title) { return !title.empty(); });
    std::string out =
        "\\begin{tabular}{" + alignment + "}\n\\toprule\n" + (hasHead ? latexRow(head) + "\\midrule\n" : "");
    for (const auto& row : table.rows) {
        std::vector<std::string> cells;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const bool isNegative = row[i].number && *row[i].number < 0;
            const std::string text = asciiText(row[i].text);
            cells.push_back(isNegative && text.starts_with('-') ? "$-$" + latexText(text.substr(1)) : latexText(text));
        }
        out += latexRow(cells);
    }
    return out + "\\bottomrule\n\\end{tabular}\n";
}

/// Labels and values as two columns without a header.
Table tableOf(const Facts& facts) {
    Table table;
    table.title = facts.title;
    table.columns = {{"", "label", "", false, ""}, {"", "value", "", false, ""}};
    for (const auto& [label, value] : facts.entries)
        table.rows.push_back({{label, {}, Tone::Plain}, {value, {}, Tone::Plain}});
    return table;
}

/// A line of a comment; a line break would end it.
std::string comment(const std::string& text) {
    return "% " + UntrustedText(asciiText(text)).plain() + "\n";
}

/// Width of a 6.5-inch line in pixels of 12 px text.
constexpr double kLatexWidth = 560;

void addTable(std::string& out, const Table& whole) {
    const std::string caption =
        latexText(whole.title) + (whole.title.empty() || whole.caption.empty() ? "" : ". ") + latexText(whole.caption);
    bool isFirst = true;
    for (const Table& table : folded(readable(whole), kLatexWidth)) {
        out += "\n\\begin{table}[htbp]\n\\centering\\small\n";
        if (isFirst && !caption.empty()) out += "\\caption{" + caption + "}\n";
        out += tabular(table, true) + "\\end{table}\n";
        isFirst = false;
    }
}

}  // namespace

std::string toLatex(const Table& whole) {
    return "% needs \\usepackage{booktabs}\n" + tabular(readable(whole), false);
}

std::string toLatex(const Report& report) {
    std::string out = comment(report.title);
    for (const std::string& text : {authorLine(report), report.question, report.summary})
        if (!text.empty()) out += comment(text);
    out += "% needs \\usepackage{booktabs}";
    if (report.language == Language::Korean) out += " \\usepackage{kotex}";
    out += "\n";
    for (const Section& section : report.sections) {
        if (!section.title.empty()) out += "\n" + comment(section.title);
        for (const Block& block : section.blocks) {
            if (const auto* table = std::get_if<Table>(&block)) addTable(out, *table);
            if (const auto* facts = std::get_if<Facts>(&block)) addTable(out, tableOf(*facts));
        }
    }
    return out + "\n" + comment(report.footer);
}

}  // namespace slipway
