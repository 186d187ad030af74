// Tables and lines for people at a terminal.
#pragma once

#include "core/base/result.h"
#include "core/report/report.h"

#include <ostream>
#include <string>
#include <vector>

namespace slipway {

/// Text that cannot steer a terminal: UntrustedText::terminal().
std::string printable(const std::string& text);

/// Sets the language of a stream; English by default.
void setLanguage(std::ostream& out, Language language);
Language languageOf(std::ostream& out);
/// A message in the language of the stream; no name in it can steer a terminal.
std::ostream& operator<<(std::ostream& out, const Message& message);

/// The help text of a value of an enumeration.
template <class Enum>
Message meaningOf(Enum value) {
    for (const auto& one : enumNames(value))
        if (one.value == value) return one.help;
    return {};
}

/// Value in a line of facts: a message, or a language-independent name or figure.
class Words : public Message {
public:
    Words(const Message& message) : Message(message) {}
    Words(SourceText text) : Message(text) {}
    Words(const std::string& name) : Message(Message::name(name)) {}
    Words(const char* name) : Message(Message::name(name)) {}
};
using FactLines = std::vector<std::pair<Words, Words>>;

/// Terminal columns of the text: wide characters count two, combining ones none.
std::size_t displayWidth(const std::string& text);

/// Maximum columns of a table or paragraph on a wider terminal.
constexpr std::size_t kLineWidth = 100;

/// Sets the number of columns of a stream's terminal; lines are never narrower than 60 nor wider than kLineWidth.
void setTerminalColumns(std::ostream& out, std::size_t columns);

/// Maximum columns of a table or paragraph on this stream.
std::size_t lineWidth(std::ostream& out);

/// Aligned columns with headers; colour marks states, but never alone. Where a row is longer than a line, headers of
/// numbers wrap, and the longest text column is wrapped at spaces or placed below its row.
void printTable(std::ostream& out, const Table& table, bool colour);

/// "label   value" lines, aligned, in the language of the stream; values wrap at spaces.
/// @param indent spaces before each line
void printFacts(std::ostream& out, const FactLines& entries, std::size_t indent = 0);

/// The transposed table, for few rows with many figures: a line per column, a column per row headed by its first cell.
Table transposed(const Table& table);

/// The table with these columns only, in this order; unknown keys are ignored.
Table selectColumns(const Table& table, const std::vector<std::string>& keys);

/// Issues as lines "error parallel.tp: ...".
void printIssues(std::ostream& out, const std::vector<Issue>& issues, bool colour,
                 Language language = Language::English);

/// Text wrapped at a width, as paragraphs of a terminal.
std::string wrapText(const std::string& text, std::size_t width);

}  // namespace slipway
