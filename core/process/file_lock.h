// FileLock: one holder per file on this computer; the kernel releases it when the holder ends, for any cause.
//   auto lock = FileLock::tryLock(folder / "lock");   if (!lock) ... lock.error().code == "locked" ...
#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace slipway {

class FileLock {
public:
    /// Takes the lock immediately or fails: "locked" when another process holds it, "file_unwritable" when the file
    /// cannot be created. The file remains after the lock is released (removing it would allow two holders).
    static Result<FileLock> tryLock(const std::filesystem::path& path);

    FileLock() = default;
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    ~FileLock();

    [[nodiscard]] bool held() const { return m_fd >= 0; }

private:
    int m_fd = -1;
};

}  // namespace slipway
