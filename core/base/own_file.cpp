#include "core/base/own_file.h"

#include "core/base/error_of.h"
#include "core/base/file_descriptor.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace slipway {
namespace {

Error unreadable(SourceText what, int number, const std::filesystem::path& path) {
    return errorOf("file_unreadable", "%1: %2."_text(what, std::string(std::strerror(number))), path.string());
}

}  // namespace

Result<std::string> readOwnFile(const std::filesystem::path& path, std::uint64_t offset, std::size_t maxBytes) {
    // O_NONBLOCK: opening a pipe must not wait for its writer; regular files are read as usual.
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.number < 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return fail("file_missing", "The file does not exist."_text, path.string());
        if (errno == ELOOP || errno == ENXIO)
            return fail("not_a_file", "This is a link or a device; only regular files are read."_text, path.string());
        return fail(unreadable("The file cannot be opened"_text, errno, path));
    }
    struct stat info {};
    if (::fstat(file.number, &info) != 0) return fail(unreadable("The file cannot be read"_text, errno, path));
    if (!S_ISREG(info.st_mode))
        return fail("not_a_file", "This is not a regular file; only regular files are read."_text, path.string());
    const auto size = static_cast<std::uint64_t>(info.st_size);
    std::string out;
    if (size <= offset) return out;
    out.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size - offset, maxBytes)));
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t n = ::pread(file.number, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(unreadable("The file cannot be read"_text, errno, path));
        if (n == 0) break;
        done += static_cast<std::size_t>(n);
    }
    out.resize(done);
    return out;
}

Result<Json> readOwnJson(const std::filesystem::path& path) {
    const auto text = readOwnFile(path);
    if (!text) return fail(text.error());
    return parseJson(*text, path.string());
}

std::int64_t fileStamp(const std::filesystem::path& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return 0;
    std::uint64_t digest = 0xcbf29ce484222325;  // FNV-1a over words; it must detect changes, not attacks
    for (const auto part :
         {static_cast<std::uint64_t>(info.st_mtim.tv_sec), static_cast<std::uint64_t>(info.st_mtim.tv_nsec),
          static_cast<std::uint64_t>(info.st_ino), static_cast<std::uint64_t>(info.st_size)}) {
        digest = (digest ^ part) * 0x100000001b3;
        digest ^= digest >> 29;
    }
    return static_cast<std::int64_t>(digest >> 1 | 1);
}

std::int64_t modifiedUnixMilliseconds(const std::filesystem::path& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return 0;
    return static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1000 + info.st_mtim.tv_nsec / 1000000;
}

}  // namespace slipway
