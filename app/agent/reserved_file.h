// Disk space reserved for one file, so that it can be written when the disk is full.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace slipway {

/// Creates `reserve`, a file that occupies `bytes` of the disk. "disk_full", "file_unwritable".
Result<void> reserveFile(const std::filesystem::path& reserve, std::int64_t bytes);

/// Writes `text` over the blocks of `reserve` and renames it to `path` in the same folder: space is never released for
/// others to take. Works on a full disk for texts no longer than the reserve, on file systems that write in place.
/// "disk_full", "file_unwritable" (also without a reserve).
Result<void> writeReserved(const std::filesystem::path& reserve, const std::filesystem::path& path,
                           std::string_view text);

}  // namespace slipway
