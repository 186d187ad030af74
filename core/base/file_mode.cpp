#include "core/base/file_mode.h"

#include "core/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace slipway {
namespace {

struct Openness {
    mode_t mode = 0777;     ///< permission bits of the folder
    bool isShared = false;  ///< with its group, which owns new entries (setgid): then the umask does not apply
};

Openness opennessOf(const std::filesystem::path& folder) {
    struct stat info {};
    if (::stat(folder.empty() ? "." : folder.c_str(), &info) != 0) return {};
    const mode_t mode = info.st_mode & 0777;
    return {mode, (info.st_mode & S_ISGID) != 0 && (mode & 0077) == 0070};
}

}  // namespace

int openInFolder(const std::filesystem::path& path, int flags) {
    const Openness folder = opennessOf(path.parent_path());
    const int fd = ::open(path.c_str(), flags | O_CREAT | O_CLOEXEC, folder.mode & 0666);
    struct stat info {};
    if (fd >= 0 && folder.isShared && ::fstat(fd, &info) == 0 && info.st_size == 0)
        (void)::fchmod(fd, folder.mode & 0666);  // fails for somebody else's file, which has its mode already
    return fd;
}

int makeFolder(const std::filesystem::path& path) {
    const Openness parent = opennessOf(path.parent_path());
    const int made = ::mkdir(path.c_str(), parent.mode);
    return made != 0 || !parent.isShared ? made : ::chmod(path.c_str(), parent.mode | S_ISGID);
}

Result<void> makePrivateFolder(const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return {};
    if (auto parent = makeFolders(path.parent_path()); !parent) return parent;
    const int number = ::mkdir(path.c_str(), 0700) == 0 ? 0 : errno;  // before the next call changes it
    if (number == 0 || std::filesystem::is_directory(path, ignored)) return {};
    return fail(number == ENOSPC || number == EDQUOT ? "disk_full" : "folder_unwritable",
                "%1: %2."_text("The folder cannot be created"_text, std::string(std::strerror(number))), path.string());
}

void matchFolderMode(const std::filesystem::path& file) {
    const Openness folder = opennessOf(file.parent_path());
    struct stat info {};
    if (::stat(file.c_str(), &info) == 0)
        (void)::chmod(file.c_str(), folder.mode & (folder.isShared ? 0666 : info.st_mode & 0666));
}

void takeUmaskOf(const std::filesystem::path& folder) {
    struct stat info {};
    if (::stat(folder.c_str(), &info) == 0) ::umask(~info.st_mode & 0777);
}

}  // namespace slipway
