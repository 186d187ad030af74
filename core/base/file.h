// Small files, safely: complete reads, atomic replacement, durable appends.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace slipway {

/// The complete file as bytes, or a pipe to its end ("file_missing", "file_unreadable", "file_too_large" over 1 GiB).
Result<std::string> readFile(const std::filesystem::path& path);

/// At most `maxBytes` from `offset`; an empty string at or past the end.
Result<std::string> readFileFrom(const std::filesystem::path& path, std::uint64_t offset, std::size_t maxBytes);

/// Replaces the complete file: temporary file in the same folder, fsync, rename, fsync of the folder. A reader sees the
/// old or the new text, never a part ("disk_full", "file_unwritable").
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view text);

/// Many files at once: while one of these lives, this thread's writeFileAtomically below `folder` leaves flushing to
/// it: one request to the file system instead of two per file. Readers still see complete files, and a killed process
/// loses nothing; a power cut may lose writes since the last flush().
class FlushTogether {
public:
    explicit FlushTogether(std::filesystem::path folder);
    FlushTogether(const FlushTogether&) = delete;
    FlushTogether& operator=(const FlushTogether&) = delete;
    ~FlushTogether();  ///< without a flush: nothing depends on unflushed files

    /// Everything written so far is on the disk ("disk_full", "file_unwritable").
    Result<void> flush();

private:
    std::filesystem::path m_folder;
    const std::filesystem::path* m_outer;  // folder of an outer one of this thread
};

/// Makes the folder and its parents ("folder_unwritable").
Result<void> makeFolders(const std::filesystem::path& path);

/// An open file that appends complete records with one write each; for metric streams and logs of trials.
class AppendFile {
public:
    AppendFile() = default;
    AppendFile(AppendFile&& other) noexcept;
    AppendFile& operator=(AppendFile&& other) noexcept;
    ~AppendFile();

    /// Opens for appending and cuts off an unfinished last line, so that a crash cannot swallow the next record.
    static Result<AppendFile> open(const std::filesystem::path& path);

    /// Appends the record in one write call. On a full disk the file is cut back to its length before the call
    /// ("disk_full"), so earlier records are intact and no partial record remains.
    Result<void> append(std::string_view record);

    /// Flushes appended records to the disk.
    Result<void> sync();

private:
    int m_fd = -1;
    std::string m_path;
};

}  // namespace slipway
