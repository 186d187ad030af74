// Files of a home folder, read as what Slipway writes there: regular files. A link, a pipe or a device in the place of one
// is refused, so that nothing outside of the home is read and no read waits for ever.
//   const auto meta = readOwnJson(folder.meta());   if (!meta && meta.error().code == "not_a_file") ...
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace slipway {

/// At most `maxBytes` from `offset` on. "file_missing", "not_a_file" (a link, pipe, socket, device or folder),
/// "file_unreadable".
Result<std::string> readOwnFile(const std::filesystem::path& path, std::uint64_t offset = 0,
                                std::size_t maxBytes = std::size_t{1} << 30);

/// The whole file as a JSON document; also "json_syntax".
Result<Json> readOwnJson(const std::filesystem::path& path);

/// Changes whenever the file is replaced or written to: its modification time in nanoseconds, 0 when there is none.
std::int64_t fileStamp(const std::filesystem::path& path);

}  // namespace slipway
