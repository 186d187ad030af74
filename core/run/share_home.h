// A home that several people use: its folders and files belong to one of their groups.
//   auto shared = shareHome(home, "research");   // shared->folders, shared->files
#pragma once

#include "core/spec/run_dir.h"

#include <cstdint>
#include <string>

namespace slipway {

struct SharedHome {
    std::int64_t folders = 0, files = 0;  ///< that belong to the group now
};

/// Gives the home and all that is in it to a group, folders as 2770 and files as 0660; what is made there later is the
/// group's as well (core/base/file_mode.h). Makes the home if it is missing. Links and what they point to are left
/// alone. "unknown_group", "home_not_yours" (a file of somebody else's, or a group that the caller is not in),
/// "folder_unwritable".
Result<SharedHome> shareHome(const Home& home, const std::string& group);

}  // namespace slipway
