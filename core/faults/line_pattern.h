// Patterns of other programs' output lines: pieces of text in order, "*" for anything between them, "{}" for a capture
// of anything, "{79}" for a capture of that text. No backtracking, so that a hostile line costs one pass.
//   matchLine("Out of memory: Killed process {} (*) total-vm", line)  ->  "4711"
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slipway {

/// Longest captured text and longest quoted line, in bytes.
constexpr std::size_t kKeptBytes = 80;
constexpr std::size_t kQuotedBytes = 200;

/// The text matched by the braces, "" without them; empty when the pattern does not occur in the line.
std::optional<std::string> matchLine(std::string_view pattern, std::string_view line);

/// First line of a Python traceback.
constexpr std::string_view kTraceback = "Traceback (most recent call last)";

struct LineMatch {
    std::string kept;  ///< as matchLine()
    std::string line;  ///< cleanLine() of the line
};
/// The first line of a text that contains the pattern; where none does, the cost is one search over the text.
std::optional<LineMatch> findLine(std::string_view pattern, std::string_view text);

/// A line of a stranger's log as part of a sentence: without terminal escapes, control characters and outer spaces, at
/// most `mostBytes` and "…".
std::string cleanLine(std::string_view line, std::size_t mostBytes = kQuotedBytes);

/// The most informative line of a log: the last one that names an error, else the last non-empty one. Cleaned.
std::string tellingLine(std::string_view log);
/// The message of the last Python traceback of a log: the line below its frames. Empty where there is none, or where it is truncated.
std::string exceptionLine(std::string_view log);

}  // namespace slipway
