// JSON access: the one door to nlohmann/json. Object keys keep their order. Headers include json_fwd only.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace slipway {

using Json = nlohmann::ordered_json;

/// Parses one document. Refuses: syntax errors (line:column in `where`), nesting deeper than 64, repeated keys,
/// trailing text, invalid UTF-8. @param name file name or other place for messages.
Result<Json> parseJson(std::string_view text, const std::string& name);

/// Reads and parses a file ("file_missing", "file_unreadable", "json_syntax").
Result<Json> readJsonFile(const std::filesystem::path& path);

/// Compact text on one line, or indented with two spaces and a final newline. Non-finite numbers must already be
/// strings (jsonNumber).
std::string dumpJson(const Json& value, bool pretty);

/// Writes pretty text atomically (temporary file, fsync, rename).
Result<void> writeJsonFile(const std::filesystem::path& path, const Json& value);

/// A double as JSON; NaN and infinities become the strings "nan", "inf", "-inf" (docs/run_folder.md).
Json jsonNumber(double value);

/// Reads a number written by jsonNumber; accepts integers, rejects booleans and other text.
Result<double> numberFromJson(const Json& value, const std::string& where);

/// One token of a JSON pointer with "~" and "/" escaped.
std::string pointerToken(std::string_view key);

/// The nearest of `known` to `key` by edit distance, or empty when none is close (for didYouMean).
std::string nearestKey(std::string_view key, const std::vector<std::string>& known);
/// The end of a sentence about an unknown word: "; did you mean tp?", or "." where nothing is close.
Message didYouMean(const std::string& near);

}  // namespace slipway
