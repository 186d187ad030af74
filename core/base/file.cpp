#include "core/base/file.h"

#include "core/base/error_of.h"
#include "core/base/file_descriptor.h"
#include "core/base/file_mode.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace slipway {
namespace {

/// @param what a clause: "the file cannot be read"
Error ioError(SourceText what, const std::string& path, const char* code) {
    const int number = errno;
    if (number == ENOSPC || number == EDQUOT)
        return errorOf("disk_full", "The disk is full (%1); free some space and try again."_text(what), path);
    return errorOf(code, "%1: %2."_text(what, std::string(std::strerror(number))), path);
}

Result<void> writeAll(int fd, std::string_view text, const std::string& path) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
        if (n < 0) {
            if (errno == EINTR) continue;
            return fail(ioError("The file cannot be written"_text, path, "file_unwritable"));
        }
        done += static_cast<std::size_t>(n);
    }
    return {};
}

constexpr auto kWhole = static_cast<std::size_t>(-1);
constexpr std::size_t kLargestWhole = std::size_t{1} << 30;

Error tooLarge(const std::string& path) {
    return errorOf("file_too_large",
                   "The file is larger than 1 GiB; Slipway reads no file of this kind that is larger."_text, path);
}

Result<std::string> readRange(const std::filesystem::path& path, std::uint64_t offset, std::size_t maxBytes) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number < 0) {
        if (errno == ENOENT) return fail("file_missing", "The file does not exist."_text, path.string());
        return fail(ioError("The file cannot be opened"_text, path.string(), "file_unreadable"));
    }
    std::string out;
    struct stat info {};
    if (::fstat(file.number, &info) == 0 && S_ISDIR(info.st_mode))
        return fail("file_unreadable", "This is a folder, not a file."_text, path.string());
    // A pipe (/dev/stdin, <(...)) cannot seek and ends with its writer; a device may never end.
    const bool isRegular = S_ISREG(info.st_mode);
    const auto size = static_cast<std::uint64_t>(isRegular ? info.st_size : 0);
    if (maxBytes == kWhole && size > kLargestWhole) return fail(tooLarge(path.string()));
    if (size > offset) out.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(size - offset, maxBytes)));
    char buffer[1 << 16];
    while (out.size() < maxBytes) {
        const std::size_t want = std::min(sizeof buffer, maxBytes - out.size());
        const ssize_t n = isRegular ? ::pread(file.number, buffer, want, static_cast<off_t>(offset + out.size()))
                                    : ::read(file.number, buffer, want);
        if (n < 0) {
            if (errno == EINTR) continue;
            return fail(ioError("The file cannot be read"_text, path.string(), "file_unreadable"));
        }
        if (n == 0) break;
        out.append(buffer, static_cast<std::size_t>(n));
        if (maxBytes == kWhole && out.size() > kLargestWhole) return fail(tooLarge(path.string()));
    }
    return out;
}

thread_local const std::filesystem::path* flushedTogether = nullptr;

/// Whether a FlushTogether of this thread will flush the file.
bool isFlushedLater(const std::filesystem::path& path) {
    if (flushedTogether == nullptr) return false;
    const auto [end, unused] =
        std::mismatch(flushedTogether->begin(), flushedTogether->end(), path.begin(), path.end());
    return end == flushedTogether->end();
}

}  // namespace

Result<std::string> readFile(const std::filesystem::path& path) {
    return readRange(path, 0, kWhole);
}

Result<std::string> readFileFrom(const std::filesystem::path& path, std::uint64_t offset, std::size_t maxBytes) {
    return readRange(path, offset, maxBytes);
}

Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view text) {
    // The process id separates two writers; the last rename wins.
    const std::string temporary = path.string() + ".tmp." + std::to_string(::getpid());
    const bool flushedNow = !isFlushedLater(path);
    {
        const FileDescriptor file(openInFolder(temporary, O_WRONLY | O_TRUNC));
        if (file.number < 0) return fail(ioError("The file cannot be created"_text, path.string(), "file_unwritable"));
        auto written = writeAll(file.number, text, path.string());
        if (written && flushedNow && ::fsync(file.number) != 0)
            written = fail(ioError("The file cannot be flushed"_text, path.string(), "file_unwritable"));
        if (!written) {
            ::unlink(temporary.c_str());
            return written;
        }
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
        const Error error = ioError("The file cannot be put in place"_text, path.string(), "file_unwritable");
        ::unlink(temporary.c_str());
        return fail(error);
    }
    if (flushedNow) flushFolder(path.parent_path());
    return {};
}

FlushTogether::FlushTogether(std::filesystem::path folder)
    : m_folder(std::move(folder)), m_outer(std::exchange(flushedTogether, &m_folder)) {}

FlushTogether::~FlushTogether() {
    flushedTogether = m_outer;
}

Result<void> FlushTogether::flush() {
    const FileDescriptor opened(::open(m_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.number < 0 && errno == ENOENT) return {};  // no earlier writes there
    if (opened.number < 0 || ::syncfs(opened.number) != 0)
        return fail(ioError("The files cannot be flushed"_text, m_folder.string(), "file_unwritable"));
    return {};
}

Result<void> makeFolders(const std::filesystem::path& path) {
    std::error_code ignored;
    if (path.empty() || std::filesystem::is_directory(path, ignored)) return {};
    if (path.has_relative_path())
        if (auto parent = makeFolders(path.parent_path()); !parent) return parent;
    if (makeFolder(path) != 0) {
        if (errno == EEXIST && std::filesystem::is_directory(path, ignored)) return {};
        return fail(ioError("The folder cannot be created"_text, path.string(), "folder_unwritable"));
    }
    return {};
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1)), m_path(std::move(other.m_path)) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
    std::swap(m_fd, other.m_fd);
    std::swap(m_path, other.m_path);
    return *this;
}

AppendFile::~AppendFile() {
    if (m_fd >= 0) ::close(m_fd);
}

Result<AppendFile> AppendFile::open(const std::filesystem::path& path) {
    AppendFile file;
    file.m_path = path.string();
    file.m_fd = openInFolder(path, O_RDWR | O_APPEND);
    if (file.m_fd < 0)
        return fail(ioError("The file cannot be opened for appending"_text, file.m_path, "file_unwritable"));
    off_t end = ::lseek(file.m_fd, 0, SEEK_END);
    const off_t size = end;
    char buffer[4096];
    while (end > 0) {
        const off_t start = end > static_cast<off_t>(sizeof buffer) ? end - static_cast<off_t>(sizeof buffer) : 0;
        const ssize_t n = ::pread(file.m_fd, buffer, static_cast<std::size_t>(end - start), start);
        if (n <= 0) return fail(ioError("The file cannot be read"_text, file.m_path, "file_unreadable"));
        ssize_t i = n;
        while (i > 0 && buffer[i - 1] != '\n') --i;
        end = start + i;
        if (i > 0) break;
    }
    if (end < size && ::ftruncate(file.m_fd, end) != 0)
        return fail(ioError("The unfinished last line cannot be cut off"_text, file.m_path, "file_unwritable"));
    return file;
}

Result<void> AppendFile::append(std::string_view record) {
    const off_t before = ::lseek(m_fd, 0, SEEK_END);
    auto written = writeAll(m_fd, record, m_path);
    if (!written && ::ftruncate(m_fd, before) != 0)
        written.error().append("The half-written record could not be removed."_text);
    return written;
}

Result<void> AppendFile::sync() {
    if (::fdatasync(m_fd) != 0) return fail(ioError("The file cannot be flushed"_text, m_path, "file_unwritable"));
    return {};
}

}  // namespace slipway
