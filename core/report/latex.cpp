#include "core/base/units.h"
#include "core/base/untrusted_text.h"
#include "core/report/runs_table.h"

namespace slipway {
namespace {

/// Text without commands, groups, alignments or comments, and without what typesets as another sign.
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
            case ']': out += std::string("{") + c + "}"; break;  // behind \\ a bracket would be its argument
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

}  // namespace

std::string toLatex(const Table& whole) {
    const Table table = readable(whole);
    std::string alignment;
    std::vector<std::string> head;
    for (const Column& column : table.columns) {
        alignment += column.isNumber ? 'r' : 'l';
        const std::string group = column.group.empty() ? "" : column.group + (column.title.empty() ? "" : ", ");
        head.push_back(latexText(group + column.title + (column.unit.empty() ? "" : " (" + column.unit + ")")));
    }
    std::string out = "% needs \\usepackage{booktabs}\n\\begin{tabular}{" + alignment + "}\n\\toprule\n" +
                      latexRow(head) + "\\midrule\n";
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

}  // namespace slipway
