// FileLock: one holder per file on this computer; the kernel releases it when the holder dies, however it dies.
//   auto lock = FileLock::tryLock(folder / "lock");   if (!lock) ... lock.error().code == "locked" ...
#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace slipway {

class FileLock {
public:
    /// Takes the lock at once or fails: "locked" when somebody holds it, "file_unwritable" when the file cannot be made.
    /// The file stays when the lock is released (removing it would let two holders in).
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
