#include "core/process/file_lock.h"

#include "core/base/file_mode.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace slipway {

Result<FileLock> FileLock::tryLock(const std::filesystem::path& path) {
    FileLock lock;
    lock.m_fd = openInFolder(path, O_RDWR | O_NOFOLLOW);
    if (lock.m_fd < 0) {
        const int number = errno;
        return fail(number == ENOSPC ? "disk_full" : "file_unwritable",
                    "The lock file cannot be opened: %1."_text(std::strerror(number)), path.string());
    }
    while (::flock(lock.m_fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        return fail("locked", "Another program holds this lock."_text, path.string());
    }
    return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
    std::swap(m_fd, other.m_fd);
    return *this;
}

FileLock::~FileLock() {
    if (m_fd >= 0) ::close(m_fd);
}

}  // namespace slipway
