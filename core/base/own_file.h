// Files of a home folder. Slipway writes only regular files there: a link, a pipe or a device in place of one is
// refused, so that nothing outside the home is read and no read blocks forever.
//   const auto meta = readOwnJson(folder.meta());   if (!meta && meta.error().code == "not_a_file") ...
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace slipway {

/// At most `maxBytes` from `offset`. "file_missing", "not_a_file" (a link, pipe, socket, device or folder),
/// "file_unreadable".
Result<std::string> readOwnFile(const std::filesystem::path& path, std::uint64_t offset = 0,
                                std::size_t maxBytes = std::size_t{1} << 30);

/// The whole file as a JSON document; also "json_syntax".
Result<Json> readOwnJson(const std::filesystem::path& path);

/// Changes whenever the file is replaced or written to: a digest of modification time, inode and size, 0 when there is no file. The time
/// alone is not enough: two replacements within one tick of the file system's clock have the same time.
std::int64_t fileStamp(const std::filesystem::path& path);

/// 0 when there is no file.
std::int64_t modifiedUnixMilliseconds(const std::filesystem::path& path);

}  // namespace slipway
