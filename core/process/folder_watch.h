// Names that appear in a folder, as the kernel reports them (inotify): finding what is new costs what is new, however many entries
// the folder has. Changes by other computers on a network file system are not reported.
//   FolderWatch watch(runs);   ... list the folder once ...   if (const auto names = watch.take()) ...only these are new...
#pragma once

#include "core/base/file_descriptor.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

class FolderWatch {
public:
    /// Without the folder, or without free watches of the kernel, it is not active.
    explicit FolderWatch(const std::filesystem::path& folder);

    [[nodiscard]] bool isActive() const { return m_isActive; }
    /// Names made in the folder or moved into it since the last call; never waits. Empty where some may be missing, as after an
    /// overflow: list the folder then. When the folder itself was moved or removed, the watch is no longer active.
    std::optional<std::vector<std::string>> take();

private:
    FileDescriptor m_events;
    bool m_isActive = false;
};

}  // namespace slipway
