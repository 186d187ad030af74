#include "core/run/share_home.h"

#include "core/base/file_mode.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace slipway {
namespace {

namespace fs = std::filesystem;

Result<void> shareOne(const fs::path& path, gid_t group, SharedHome& shared) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return {};  // deleted in the meantime
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) return {};
    // The group first: changing it clears the setgid bit.
    const mode_t mode = S_ISDIR(info.st_mode) ? 02770 : (info.st_mode & 0700) | 060;
    if ((info.st_gid == group || ::lchown(path.c_str(), static_cast<uid_t>(-1), group) == 0) &&
        ((info.st_mode & 07777) == mode || ::chmod(path.c_str(), mode) == 0)) {
        ++(S_ISDIR(info.st_mode) ? shared.folders : shared.files);
        return {};
    }
    return fail("home_not_yours",
                "The group of this file cannot be changed: %1. Only its owner can, as a member of the group."_text(
                    std::string(std::strerror(errno))),
                path.string());
}

}  // namespace

Result<SharedHome> shareHome(const Home& home, const std::string& group) {
    errno = 0;
    const struct group* known = ::getgrnam(group.c_str());
    if (known == nullptr)
        return fail("unknown_group", "There is no group %1 on this computer; `id -nG` lists yours."_text(group),
                    "--share");
    const gid_t id = known->gr_gid;
    if (auto made = makePrivateFolder(home.path); !made) return fail(made.error());
    SharedHome shared;
    if (auto given = shareOne(home.path, id, shared); !given) return fail(given.error());
    std::error_code code;
    for (fs::recursive_directory_iterator at(home.path, code), end; !code && at != end; at.increment(code))
        if (auto given = shareOne(at->path(), id, shared); !given) return fail(given.error());
    if (code)
        return fail("folder_unwritable", "The home cannot be read completely: %1."_text(code.message()),
                    home.path.string());
    return shared;
}

}  // namespace slipway
