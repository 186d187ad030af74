// FileDescriptor: an open file that is closed on every exit path.
#pragma once

#include <filesystem>

namespace slipway {

/// Owns a descriptor from open(); negative where it failed, with errno as open() set it.
struct FileDescriptor {
    int number = -1;

    FileDescriptor() = default;
    explicit FileDescriptor(int opened) : number(opened) {}
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor();
};

/// Flushes a folder's list of entries, so that a new or renamed file in it survives a power cut. "" is the working
/// directory. A folder that cannot be opened is skipped: not every file system allows it.
void flushFolder(const std::filesystem::path& folder);

}  // namespace slipway
