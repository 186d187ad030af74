// Text from outside: names, tags, notes, events, reasons and errors (they quote logs and files), file names. It reaches
// a screen, a terminal or a document only through one of these writers:
//
//   out << UntrustedText(run.name).terminal();
//
// All writers show control characters and direction marks as "<U+202E>", line breaks and tabs as spaces (a name cannot
// draw a second line), and bytes that are not UTF-8 as U+FFFD.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// Maximum number of characters (code points) of a name or a tag.
constexpr std::size_t kLongestName = 200;

class UntrustedText {
public:
    /// Refers to `text`; to be written immediately.
    explicit UntrustedText(std::string_view text) : m_text(text) {}

    /// For plain-text labels (Qt::PlainText), window titles, list items and painted text.
    [[nodiscard]] std::string plain() const;
    /// As plain(), with its line breaks and tabs: for logs, for notes, and for errors that list several problems.
    [[nodiscard]] std::string plainLines() const;
    /// For a terminal and for logs: plain() without the thin spaces and the typographic minus of our own figures.
    [[nodiscard]] std::string terminal() const;
    /// As terminal(), with its line breaks: for errors.
    [[nodiscard]] std::string terminalLines() const;
    /// For text and attribute values of HTML and SVG.
    [[nodiscard]] std::string html() const;
    /// For a paragraph, a heading, an entry of a list or a cell of a table in Markdown (CommonMark and GitHub's): none
    /// of it becomes markup, a link or an image.
    [[nodiscard]] std::string markdown() const;
    /// One field of CSV. Text that begins with = + - @ gets an apostrophe in front (OWASP, CSV injection).
    [[nodiscard]] std::string csv() const;
    /// A cell of a tab-separated table whose figures are also texts: as csv(), but "-5 ms" and "-" stay, and nothing is
    /// quoted.
    [[nodiscard]] std::string tsv() const;

private:
    std::string_view m_text;
};

/// Whether a code point is a control character (C0, DEL, C1) or changes the reading direction.
bool steersText(char32_t codePoint);

/// Whether a name or a tag may be stored as typed: "bad_name" with more than kLongestName characters, with NUL, or if
/// it is not UTF-8. @param field its name in the message: "name"
Result<void> checkName(std::string_view name, const std::string& field);
/// The same for each name.
Result<void> checkNames(const std::vector<std::string>& names, const std::string& field);

/// The same for texts of any length, such as notes.
Result<void> checkText(std::string_view text, const std::string& field);

/// A name or tag repaired to satisfy checkName(), for one already stored in a file: U+FFFD for NUL and invalid UTF-8,
/// "…" for the part beyond kLongestName characters.
std::string repairedName(std::string_view name);

}  // namespace slipway
