#include "core/faults/line_pattern.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace slipway {
namespace {

constexpr std::size_t kLongestLine = 8192;  // the rest is neither searched nor quoted

/// End of a pattern's leading literal.
std::size_t literalEnd(std::string_view pattern) {
    return std::min(pattern.find_first_of("*{"), pattern.size());
}

bool namesAnError(const std::string& line) {
    std::string lower = line;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array<const char*, 9> words = {"error",  "what():", "terminate called", "exception", "failed",
                                                  "cannot", "assert",  "out of memory",    "killed"};
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return lower.find(word) != std::string::npos; });
}

template <class Use>
void eachLine(std::string_view text, const Use& use) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        use(text.substr(begin, std::min(end - begin, kLongestLine)));
        begin = end + 1;
    }
}

}  // namespace

std::string cleanLine(std::string_view line, std::size_t mostBytes) {
    std::string out;
    line = line.substr(0, kLongestLine);
    for (std::size_t i = 0; i < line.size();) {
        const auto c = static_cast<unsigned char>(line[i]);
        if (c == 0x1B && i + 1 < line.size() && line[i + 1] == '[') {
            i += 2;
            while (i < line.size() && !(line[i] >= '@' && line[i] <= '~')) ++i;
            ++i;
            continue;
        }
        const std::size_t length = utf8Length(line, i);
        if (length == 0)
            out += "\xEF\xBF\xBD";  // U+FFFD: the sentence is stored as JSON
        else if (c == '\t')
            out += ' ';
        else if (c >= 0x20 && c != 0x7F)
            out += line.substr(i, length);
        i += std::max<std::size_t>(1, length);
    }
    const std::size_t first = out.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    out = out.substr(first, out.find_last_not_of(' ') - first + 1);
    if (out.size() <= mostBytes) return out;
    std::size_t cut = mostBytes;
    while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xC0U) == 0x80U) --cut;  // not inside a character
    return out.substr(0, cut) + "…";
}

std::optional<std::string> matchLine(std::string_view pattern, std::string_view line) {
    line = line.substr(0, kLongestLine);
    std::string kept;
    std::optional<std::size_t> keepFrom;
    bool adjacent = false;  // the next piece must follow directly: it is a captured literal, or follows one
    std::size_t at = 0;
    while (true) {
        const std::size_t end = literalEnd(pattern);
        std::string_view piece = pattern.substr(0, end);
        pattern.remove_prefix(end);
        const bool isEnd = pattern.empty() && piece.empty();
        const std::size_t found = isEnd && keepFrom ? line.size() : line.find(piece, at);
        if (found == std::string_view::npos || (adjacent && found != at)) return {};
        if (keepFrom) kept = cleanLine(line.substr(*keepFrom, found - *keepFrom), kKeptBytes);
        keepFrom.reset();
        adjacent = false;
        at = found + piece.size();
        if (pattern.empty()) return kept;
        if (pattern.front() == '*') {
            pattern.remove_prefix(1);
            continue;
        }
        const std::size_t close = std::min(pattern.find('}'), pattern.size() - 1);
        const std::string_view literal = pattern.substr(1, close - 1);
        pattern.remove_prefix(close + 1);
        if (literal.empty()) {
            keepFrom = at;
            continue;
        }
        if (!line.substr(at).starts_with(literal)) return {};
        kept = literal;
        at += literal.size();
        adjacent = true;
    }
}

std::optional<LineMatch> findLine(std::string_view pattern, std::string_view text) {
    const std::string_view first = pattern.substr(0, literalEnd(pattern));
    for (std::size_t at = text.find(first); at != std::string_view::npos;) {
        const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
        const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        if (auto kept = matchLine(pattern, line)) return LineMatch{std::move(*kept), cleanLine(line)};
        at = text.find(first, end);
    }
    return {};
}

std::string tellingLine(std::string_view log) {
    std::string last, telling;
    eachLine(log, [&](std::string_view line) {
        std::string text = cleanLine(line);
        if (text.empty() || text.starts_with("--- attempt")) return;
        if (namesAnError(text)) telling = text;
        last = std::move(text);
    });
    return telling.empty() ? last : telling;
}

std::string exceptionLine(std::string_view log) {
    std::string said;
    bool inFrames = false;
    eachLine(log, [&](std::string_view line) {
        if (line.starts_with(kTraceback)) {
            inFrames = true;
            said.clear();
        } else if (inFrames && !line.empty() && line.front() != ' ') {
            inFrames = false;
            said = cleanLine(line);
        }
    });
    return said;
}

}  // namespace slipway
