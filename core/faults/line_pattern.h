// Patterns of lines that other programs print: pieces of text in order, "*" for anything between them, "{}" for anything
// that is kept, "{79}" for a text that is kept. Without backtracking, so that a hostile line costs one pass.
//   matchLine("Out of memory: Killed process {} (*) total-vm", line)  ->  "4711"
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slipway {

/// Longest text that braces keep and longest line that a sentence quotes, in bytes.
constexpr std::size_t kKeptBytes = 80;
constexpr std::size_t kQuotedBytes = 200;

/// The text matched by the braces, "" without them; empty when the pattern occurs nowhere in the line.
std::optional<std::string> matchLine(std::string_view pattern, std::string_view line);

/// How Python begins what it prints of an exception.
constexpr std::string_view kTraceback = "Traceback (most recent call last)";

struct LineMatch {
    std::string kept;  ///< as matchLine()
    std::string line;  ///< cleanLine() of the line
};
/// The first line of a text in which the pattern occurs; one search over the text where it does not.
std::optional<LineMatch> findLine(std::string_view pattern, std::string_view text);

/// A line of a stranger's log as part of a sentence: without terminal escapes, control characters and outer spaces, at
/// most `mostBytes` and "…".
std::string cleanLine(std::string_view line, std::size_t mostBytes = kQuotedBytes);

/// The line of a log that explains most: the last one that names an error, else the last one that is not empty. Cleaned.
std::string tellingLine(std::string_view log);
/// The message of the last Python traceback of a log: the line below its frames. Empty where there is none, or where it was cut.
std::string exceptionLine(std::string_view log);

}  // namespace slipway
