// Reads the documents of a source file one by one, compressed or not.
//   .jsonl           one document per line: the text of its key "text"
//   .dict            a dictd dictionary: an entry begins at each line that is not indented
//   everything else  one document: the whole file
// Each may also be compressed: .gz, or .dz (dictzip, which is gzip with an index).
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace slipway {

/// Receives one document; returns false to stop. Invalid UTF-8 is replaced by U+FFFD, line ends are \n.
using DocumentSink = std::function<bool(std::string_view)>;

/// Longest document passed in one piece; a longer one is split.
constexpr std::size_t kMaxDocumentBytes = 16U << 20;

/// Calls `sink` with every non-empty document. False when the sink stopped. Errors: "file_missing", "file_unreadable",
/// "corpus_bad_text" (broken compression, or a ratio above 100; a line that is not a JSON object with a text, as
/// file:line).
Result<bool> readDocuments(const std::filesystem::path& path, const DocumentSink& sink);

/// The text with every byte outside a valid UTF-8 sequence replaced by U+FFFD, and NUL by a space.
std::string cleanUtf8(std::string_view text);

}  // namespace slipway
