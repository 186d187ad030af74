// A home shared by several people: its folders and files belong to one of their groups.
//   auto shared = shareHome(home, "research");   // shared->folders, shared->files
#pragma once

#include "core/spec/run_dir.h"

#include <cstdint>
#include <string>

namespace slipway {

struct SharedHome {
    std::int64_t folders = 0, files = 0;  ///< now owned by the group
};

/// Gives the home with all its contents to a group, folders as 2770 and files as 0660; later additions also belong to
/// the group (core/base/file_mode.h). Creates a missing home. Links and their targets are left unchanged.
/// "unknown_group", "home_not_yours" (a file owned by somebody else, or a group without the caller),
/// "folder_unwritable".
Result<SharedHome> shareHome(const Home& home, const std::string& group);

}  // namespace slipway
