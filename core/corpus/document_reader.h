// Reads the documents of a source file one after the other, compressed or not.
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

/// Receives one document; returns false to stop. Bytes that are no UTF-8 were replaced by U+FFFD, line ends are \n.
using DocumentSink = std::function<bool(std::string_view)>;

/// Longest document handed on in one piece; a longer one comes as several.
constexpr std::size_t kMaxDocumentBytes = 16U << 20;

/// Calls `sink` with every document that is not empty. False when the sink stopped. Errors: "file_missing",
/// "file_unreadable", "corpus_bad_text" (broken compression, or one of more than a hundredfold;
/// a line that is no JSON object with a text, as file:line).
Result<bool> readDocuments(const std::filesystem::path& path, const DocumentSink& sink);

/// The text with every byte that belongs to no valid UTF-8 sequence replaced by U+FFFD, and NUL by a space.
std::string cleanUtf8(std::string_view text);

}  // namespace slipway
