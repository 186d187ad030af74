// Access modes of new files and folders: as open as their parent folder. In a folder of mode 0700 files get 0600; in
// one that is shared with its group (2770) files get 0660 and folders 2770, for any umask.
#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace slipway {

/// open() for a file that may be new. @return the descriptor, closed on exec; negative with errno
int openInFolder(const std::filesystem::path& path, int flags);

/// mkdir() for one folder. @return 0, or -1 with errno
int makeFolder(const std::filesystem::path& path);

/// Makes a folder that only its owner can enter (0700), and its parents as makeFolders does. An existing folder keeps
/// its mode ("folder_unwritable", "disk_full").
Result<void> makePrivateFolder(const std::filesystem::path& path);

/// Gives a file that a library made the mode of a new file in its folder.
void matchFolderMode(const std::filesystem::path& file);

/// Sets the umask of this process and its children to match the mode of their working folder.
void takeUmaskOf(const std::filesystem::path& folder);

}  // namespace slipway
