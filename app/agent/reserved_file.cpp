#include "app/agent/reserved_file.h"

#include "core/base/file_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace slipway {
namespace {

Result<void> failed(int number, const std::filesystem::path& path) {
    const bool full = number == ENOSPC || number == EDQUOT;
    if (full) return fail("disk_full", "The disk is full; free some space and try again."_text, path.string());
    return fail("file_unwritable", "The file cannot be written: " + std::string(std::strerror(number)) + ".",
                path.string());
}

}  // namespace

Result<void> reserveFile(const std::filesystem::path& reserve, std::int64_t bytes) {
    const FileDescriptor file(::open(reserve.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (file.number < 0) return failed(errno, reserve);
    if (const int number = ::posix_fallocate(file.number, 0, static_cast<off_t>(bytes)); number != 0)
        return failed(number, reserve);
    return {};
}

Result<void> writeReserved(const std::filesystem::path& reserve, const std::filesystem::path& path,
                           std::string_view text) {
    const FileDescriptor file(::open(reserve.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    if (file.number < 0) return failed(errno, path);
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n = ::pwrite(file.number, text.data() + done, text.size() - done, static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failed(errno, path);
        done += static_cast<std::size_t>(n);
    }
    if (::ftruncate(file.number, static_cast<off_t>(text.size())) != 0 || ::fsync(file.number) != 0 ||
        std::rename(reserve.c_str(), path.c_str()) != 0)
        return failed(errno, path);
    flushFolder(path.parent_path());
    return {};
}

}  // namespace slipway
