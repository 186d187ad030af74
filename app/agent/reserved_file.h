// Room on the disk that is kept for one file, so that its writing does not need any when the disk is full.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace slipway {

/// Makes `reserve`, a file that holds `bytes` of the disk. "disk_full", "file_unwritable".
Result<void> reserveFile(const std::filesystem::path& reserve, std::int64_t bytes);

/// Writes `text` over the blocks of `reserve` and renames it to `path` in the same folder: at no moment is room given back
/// that others could take first. Works on a full disk for texts no longer than the reserve, on file systems that write in
/// place. "disk_full", "file_unwritable" (also without a reserve).
Result<void> writeReserved(const std::filesystem::path& reserve, const std::filesystem::path& path,
                           std::string_view text);

}  // namespace slipway
