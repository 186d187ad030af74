#include "core/base/untrusted_text.h"

#include "core/base/units.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace slipway {
namespace {

bool isLineBreak(char32_t c) {
    return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/// Other line breaks and tabs become spaces.
std::string shown(std::string_view text, bool keepsLines, bool keepsTabs) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        const char32_t c = nextCodePoint(text, at);
        if (isLineBreak(c)) {
            if (c == '\r' && at < text.size() && text[at] == '\n') ++at;
            out += keepsLines ? '\n' : ' ';
        } else if (c == '\t') {
            out += keepsTabs ? '\t' : ' ';
        } else if (steersText(c)) {
            char mark[16];
            std::snprintf(mark, sizeof mark, "<U+%04X>", static_cast<unsigned>(c));
            out += mark;
        } else if (c == kReplacementCharacter) {
            out += "\xEF\xBF\xBD";
        } else {
            out.append(text, begin, at - begin);
        }
    }
    return out;
}

/// "1." or "12)" followed by a blank or the end: the beginning of a list. @return position of its mark, or npos
std::size_t listMark(const std::string& text) {
    std::size_t at = 0;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
    const bool isMark = at < text.size() && (at == 0 ? text[at] == '-' || text[at] == '+' || text[at] == '='
                                                     : text[at] == '.' || text[at] == ')');
    if (!isMark) return std::string::npos;
    // "---" and "===" are rules and underlines, "-5" is a number and "-" alone a dash.
    const bool stands = at + 1 < text.size() && (text[at + 1] == ' ' || (at == 0 && text[at + 1] == text[at]));
    return stands ? at : std::string::npos;
}

bool startsFormula(const std::string& text) {
    // The full-width variants of = + - @ also start a formula in some spreadsheets.
    static constexpr std::string_view kStarts[] = {
        "=", "+", "-", "@", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
    const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
    return std::ranges::any_of(
        kStarts, [&](std::string_view start) { return std::string_view(text).substr(first).starts_with(start); });
}

/// "-5.2 %", "+1e-3" or a dash alone.
bool isFigure(const std::string& text) {
    if (text == "-") return true;
    return text.size() > 1 && (text[0] == '-' || text[0] == '+') &&
           std::isdigit(static_cast<unsigned char>(text[1])) != 0 &&
           text.find_first_of("*/^=|!&(@") == std::string::npos;
}

}  // namespace

// The marks of reading direction: Unicode 15, annex 9.
bool steersText(char32_t codePoint) {
    const auto isIn = [&](char32_t first, char32_t last) { return codePoint >= first && codePoint <= last; };
    return codePoint < 0x20 || isIn(0x7F, 0x9F) || codePoint == 0x061C || isIn(0x200E, 0x200F) ||
           isIn(0x202A, 0x202E) || isIn(0x2066, 0x2069);
}

std::string UntrustedText::plain() const {
    return shown(m_text, false, false);
}

std::string UntrustedText::plainLines() const {
    return shown(m_text, true, true);
}

std::string UntrustedText::terminal() const {
    return asciiText(plain());
}

std::string UntrustedText::terminalLines() const {
    return asciiText(shown(m_text, true, false));
}

std::string UntrustedText::html() const {
    std::string out;
    for (const char c : plain()) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string UntrustedText::markdown() const {
    // Parentheses only matter after a bracket, which is escaped; leaving them unescaped keeps units readable.
    static constexpr std::string_view kSpecial = "\\`*_{}[]<>#|!~&@";
    const std::string text = terminal();
    const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());  // four blanks begin a block of code
    const std::string rest = text.substr(begin);
    const std::size_t mark = listMark(rest);
    std::string out;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const auto before = [&](std::string_view word) {
            return i >= word.size() &&
                   std::equal(word.begin(), word.end(), rest.begin() + static_cast<std::ptrdiff_t>(i - word.size()),
                              [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
        };
        // GitHub's Markdown makes links of bare addresses.
        const bool isAddress = (rest[i] == ':' && rest.compare(i, 3, "://") == 0) ||
                               (rest[i] == '.' && before("www")) ||
                               (rest[i] == ':' && (before("mailto") || before("xmpp")));
        if (i == mark || isAddress || kSpecial.find(rest[i]) != std::string_view::npos) out += '\\';
        out += rest[i];
    }
    return out;
}

std::string UntrustedText::csv() const {
    const std::string text = plain();
    const std::string safe = (startsFormula(text) ? "'" : "") + text;
    if (safe.find_first_of(",\"") == std::string::npos) return safe;
    std::string out = "\"";
    for (const char c : safe) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

std::string UntrustedText::tsv() const {
    const std::string text = plain();
    return (startsFormula(text) && !isFigure(asciiText(text)) ? "'" : "") + text;
}

Result<void> checkText(std::string_view text, const std::string& field) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8Length(text, at);
        if (length == 0 || text[at] == '\0')
            return fail(
                "bad_name",
                (length == 0 ? "%1 must be text in UTF-8."_text : "%1 must not contain a NUL character."_text)(field),
                field);
        at += length;
    }
    return {};
}

Result<void> checkName(std::string_view name, const std::string& field) {
    if (auto readable = checkText(name, field); !readable) return readable;
    if (const std::size_t count = countCodePoints(name); count > kLongestName)
        return fail("bad_name", "%1 has %2 characters; shorten it to %3."_text(field, count, kLongestName), field);
    return {};
}

Result<void> checkNames(const std::vector<std::string>& names, const std::string& field) {
    for (const std::string& name : names)
        if (auto checked = checkName(name, field); !checked) return checked;
    return {};
}

std::string repairedName(std::string_view name) {
    std::string out;
    std::size_t count = 0;
    for (std::size_t at = 0; at < name.size(); ++count) {
        if (count + 1 == kLongestName && countCodePoints(name.substr(at)) > 1) return out + "\xE2\x80\xA6";
        const std::size_t begin = at;
        const char32_t c = nextCodePoint(name, at);
        if (c == 0 || c == kReplacementCharacter)
            out += "\xEF\xBF\xBD";
        else
            out.append(name.substr(begin, at - begin));
    }
    return out;
}

}  // namespace slipway
