#include "app/cli/print.h"

#include "core/base/units.h"
#include "core/base/untrusted_text.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <functional>

namespace slipway {
namespace {

const char* toneCode(Tone tone) {
    switch (tone) {
        case Tone::Good: return "\x1b[32m";
        case Tone::Warn: return "\x1b[33m";
        case Tone::Bad: return "\x1b[31m";
        case Tone::Quiet: return "\x1b[2m";
        case Tone::Plain: return "";
    }
    return "";
}

std::string padded(const std::string& text, std::size_t width, bool right) {
    const std::string space(width - std::min(width, displayWidth(text)), ' ');
    return right ? space + text : text + space;
}

constexpr std::size_t kGap = 2, kBelowIndent = 4;
constexpr std::size_t kLeastText = 32;  ///< a narrower text column is hard to read

/// Line breaks in the longest text column of a table that is too wide; column: past the end if there is none.
struct Fold {
    std::size_t column, width = 0;
    bool below = false;
};

std::size_t rowWidth(const std::vector<std::size_t>& widths) {
    std::size_t total = widths.empty() ? 0 : (widths.size() - 1) * kGap;
    for (const std::size_t width : widths) total += width;
    return total;
}

std::size_t longestWord(const std::string& text) {
    std::size_t longest = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        longest = std::max(longest, displayWidth(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return longest;
}

Fold foldOf(const Table& table, const std::vector<std::size_t>& widths, std::size_t line) {
    const std::size_t count = widths.size(), total = rowWidth(widths);
    Fold none{count};
    if (total <= line) return none;
    std::size_t widest = count;
    for (std::size_t c = 0; c < count; ++c)
        if (!table.columns[c].isNumber && (widest == count || widths[c] > widths[widest])) widest = c;
    if (widest == count) return none;
    const std::size_t rest = total - widths[widest];
    // Names are broken at most once, into halves; texts only if a line stays readable.
    std::size_t least = std::min(kLeastText, widths[widest] / 2 + 2);
    for (const auto& row : table.rows) least = std::max(least, longestWord(printable(row[widest].text)));
    if (rest + least <= line) return {widest, line - rest};
    if (widths[widest] <= kLeastText) return none;
    return {widest, line - kBelowIndent, true};
}

/// The text, broken at spaces.
std::vector<std::string> linesOf(const std::string& text, std::size_t width) {
    std::vector<std::string> lines;
    const std::string wrapped = wrapText(text, width);
    for (std::size_t begin = 0; begin <= wrapped.size();) {
        const std::size_t end = std::min(wrapped.find('\n', begin), wrapped.size());
        lines.push_back(wrapped.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

std::string headOf(const Column& column) {
    return column.title + (column.note.empty() ? "" : ", " + column.note) +
           (column.unit.empty() ? "" : (column.title.empty() ? "" : " ") + ("(" + column.unit + ")"));
}

/// Slot of a stream for the columns of its terminal; 0: not set.
int columnsSlot() {
    static const int slot = std::ios_base::xalloc();
    return slot;
}

/// Slot of a stream for the language of its readers.
int languageSlot() {
    static const int slot = std::ios_base::xalloc();
    return slot;
}

void writeLine(std::ostream& out, std::string line) {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out << line << '\n';
}

}  // namespace

void setTerminalColumns(std::ostream& out, std::size_t columns) {
    out.iword(columnsSlot()) = static_cast<long>(std::clamp<std::size_t>(columns, 60, kLineWidth));
}

std::size_t lineWidth(std::ostream& out) {
    const long columns = out.iword(columnsSlot());
    return columns > 0 ? static_cast<std::size_t>(columns) : kLineWidth;
}

void setLanguage(std::ostream& out, Language language) {
    out.iword(languageSlot()) = static_cast<long>(language);
}

Language languageOf(std::ostream& out) {
    return static_cast<Language>(out.iword(languageSlot()));
}

std::ostream& operator<<(std::ostream& out, const Message& message) {
    return out << UntrustedText(textOf(message, languageOf(out))).terminalLines();
}

std::string printable(const std::string& text) {
    return UntrustedText(text).terminal();
}

std::size_t displayWidth(const std::string& text) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < text.size();) {
        const char32_t c = nextCodePoint(text, i);
        if ((c >= 0x0300 && c <= 0x036F) || c == 0x200B || c == 0x2060) continue;
        const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                          (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                          (c >= 0xFF00 && c <= 0xFF60) || c >= 0x1F300;
        width += wide ? 2 : 1;
    }
    return width;
}

void printTable(std::ostream& out, const Table& all, bool colour) {
    const Table table = readable(all);
    const std::size_t count = table.columns.size();
    std::vector<std::size_t> widths(count, 0);
    std::vector<std::vector<std::string>> heads(count);
    std::size_t headLines = 1;
    bool grouped = false;
    for (std::size_t c = 0; c < count; ++c) {
        heads[c] = {printable(headOf(table.columns[c]))};
        for (const auto& row : table.rows) widths[c] = std::max(widths[c], displayWidth(printable(row[c].text)));
        grouped = grouped || !table.columns[c].group.empty();
    }
    std::vector<std::size_t> whole(widths);
    for (std::size_t c = 0; c < count; ++c) whole[c] = std::max(whole[c], displayWidth(heads[c].front()));
    // If a row is too long for a line, the headers of numbers take several lines.
    const bool stacked = rowWidth(whole) > lineWidth(out);
    for (std::size_t c = 0; c < count; ++c) {
        const bool stacks = stacked && table.columns[c].isNumber;
        widths[c] = stacks ? std::max(widths[c], longestWord(heads[c].front())) : whole[c];
        if (stacks) heads[c] = linesOf(heads[c].front(), widths[c]);
        headLines = std::max(headLines, heads[c].size());
    }
    const Fold fold = foldOf(table, widths, lineWidth(out));
    if (fold.column < count) widths[fold.column] = fold.width;
    if (grouped) {
        std::string line;
        for (std::size_t c = 0; c < count;) {
            std::size_t end = c + 1;
            while (end < count && !table.columns[c].group.empty() && table.columns[end].group == table.columns[c].group)
                ++end;
            const std::string group = printable(table.columns[c].group);
            std::size_t span = (end - c - 1) * kGap;
            for (std::size_t k = c; k < end; ++k) span += widths[k];
            if (displayWidth(group) > span) {
                widths[end - 1] += displayWidth(group) - span;
                span = displayWidth(group);
            }
            line += padded(group, span, true) + std::string(kGap, ' ');
            c = end;
        }
        writeLine(out, line);
    }
    const auto writeRow = [&](const std::function<std::string(std::size_t)>& text,
                              const std::function<Tone(std::size_t)>& tone) {
        std::vector<std::string> folded;
        if (fold.column < count) folded = linesOf(text(fold.column), fold.width);
        for (std::size_t k = 0; k == 0 || (!fold.below && k < folded.size()); ++k) {
            std::string line;
            for (std::size_t c = 0; c < count; ++c) {
                if (fold.below && c == fold.column) continue;
                const std::string words = c == fold.column ? (k < folded.size() ? folded[k] : "")
                                          : k == 0         ? text(c)
                                                           : "";
                const bool last = c + 1 == count;
                const std::string cell =
                    last && !table.columns[c].isNumber ? words : padded(words, widths[c], table.columns[c].isNumber);
                const char* code = colour ? toneCode(tone(c)) : "";
                line += *code == 0 ? cell : code + cell + "\x1b[0m";
                if (!last) line += std::string(kGap, ' ');
            }
            writeLine(out, line);
        }
        if (fold.below)
            for (const std::string& line : folded)
                if (!line.empty()) writeLine(out, std::string(kBelowIndent, ' ') + line);
    };
    for (std::size_t k = 0; k < headLines; ++k)
        writeRow(
            [&](std::size_t c) {
                const std::size_t above = headLines - heads[c].size();
                return k < above ? std::string() : heads[c][k - above];
            },
            [](std::size_t) { return Tone::Plain; });
    for (const auto& row : table.rows)
        writeRow([&](std::size_t c) { return printable(row[c].text); }, [&](std::size_t c) { return row[c].tone; });
}

void printFacts(std::ostream& out, const FactLines& entries, std::size_t indent) {
    const Language language = languageOf(out);
    std::vector<std::pair<std::string, std::string>> lines;
    std::size_t width = 0;
    for (const auto& [label, value] : entries) {
        lines.emplace_back(std::string(indent, ' ') + printable(textOf(label, language)),
                           printable(textOf(value, language)));
        width = std::max(width, displayWidth(lines.back().first));
    }
    const std::size_t line = lineWidth(out);
    const std::size_t room = std::max(kLeastText, line - std::min(line, width + kGap));
    for (const auto& [label, value] : lines) {
        std::string head = padded(label, width, false);
        for (const std::string& words : linesOf(value, room)) {
            writeLine(out, head + std::string(kGap, ' ') + words);
            head.assign(width, ' ');
        }
    }
}

Table transposed(const Table& whole) {
    const Table table = readable(whole);
    Table out;
    out.title = table.title;
    if (table.columns.empty()) return out;
    out.columns.push_back({headOf(table.columns.front()), "", "", false, ""});
    for (const auto& row : table.rows) out.columns.push_back({row.front().text, "", "", true, ""});
    for (std::size_t c = 1; c < table.columns.size(); ++c) {
        const Column& column = table.columns[c];
        std::vector<Cell> line{{(column.group.empty() ? "" : column.group + ", ") + headOf(column), {}, Tone::Plain}};
        for (const auto& row : table.rows) line.push_back(row[c]);
        out.rows.push_back(std::move(line));
    }
    return out;
}

Table selectColumns(const Table& table, const std::vector<std::string>& keys) {
    Table out;
    out.title = table.title;
    out.rows.resize(table.rows.size());
    for (const std::string& key : keys) {
        const auto it = std::find_if(table.columns.begin(), table.columns.end(),
                                     [&](const Column& column) { return column.key == key; });
        if (it == table.columns.end()) continue;
        out.columns.push_back(*it);
        for (std::size_t r = 0; r < table.rows.size(); ++r)
            out.rows[r].push_back(table.rows[r][static_cast<std::size_t>(it - table.columns.begin())]);
    }
    return out;
}

void printIssues(std::ostream& out, const std::vector<Issue>& issues, bool colour, Language language) {
    for (const Issue& issue : issues) {
        const bool error = issue.severity == Severity::Error;
        const SourceText word = error                                 ? "error"_text
                                : issue.severity == Severity::Warning ? "warning"_text
                                                                      : "note"_text;
        const std::string sentence = asciiText(issue.inLanguage(language));
        out << (colour ? toneCode(error                                 ? Tone::Bad
                                  : issue.severity == Severity::Warning ? Tone::Warn
                                                                        : Tone::Quiet)
                       : "")
            << textOf(word, language) << (colour ? "\x1b[0m" : "") << "  "
            << printable(issue.field.empty() ? sentence : issue.field + ": " + sentence) << '\n';
    }
}

std::string wrapText(const std::string& text, std::size_t width) {
    std::string out;
    std::string line;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        if (!line.empty() && displayWidth(line) + 1 + displayWidth(word) > width) {
            out += line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
        begin = end + 1;
    }
    return out + line;
}

}  // namespace slipway
