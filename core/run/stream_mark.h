// Position mark in a run's stream, left by a program that fills the stream from another file. The mark is a key of the last line of each
// batch, so that figures and position reach the disk together and any program can continue after any kill.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace slipway {

/// The newest value of the key in the stream; null where there is none. It is searched from the end.
Result<Json> newestMark(const std::filesystem::path& stream, const std::string& key);

/// Complete lines, the last one with the key.
std::string withMark(std::string lines, const std::string& key, const Json& value);

}  // namespace slipway
