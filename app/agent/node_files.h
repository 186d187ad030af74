// Files on a node that a launcher may read and write: content that is named by its hash, and run folders, all below one home. Names
// come from another computer: no path leads out of the home, and no link is followed.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

class NodeFiles {
public:
    /// The home of this name, made where it is missing; "" is ~/.local/share/slipway-node. "bad_path", "folder_unwritable".
    static Result<NodeFiles> open(const std::string& home);

    [[nodiscard]] const std::filesystem::path& home() const { return m_home; }
    /// A path below the home: names of letters, digits and . _ - that do not begin with a dot, none of them a link. "bad_path".
    [[nodiscard]] Result<std::filesystem::path> below(const std::string& relative) const;

    /// How many of the first bytes of this content are here; all of them only when they have its hash.
    [[nodiscard]] Result<std::uint64_t> have(const std::string& sha256, std::uint64_t bytes) const;
    /// The next piece of it. "wrong_offset" when the piece does not begin where the last one ended, "bad_checksum" when
    /// the whole does not have the hash (it is removed), "disk_full". @return as have()
    Result<std::uint64_t> put(const std::string& sha256, std::uint64_t bytes, std::uint64_t offset,
                              std::string_view piece);
    /// Gives content that is here a name below the home, replacing what had it. "file_missing".
    /// @param isOwn the file will be changed: the content is not kept for others
    Result<void> place(const std::string& sha256, const std::string& relative, bool execute, bool isOwn = false);

    struct File {
        std::string path;  ///< relative to the folder
        std::uint64_t bytes = 0;
        std::int64_t stamp = 0;  ///< of fileStamp()
    };
    /// The files of a run that are copied to the launcher. The agent's own files come first, so that the streams are whole
    /// where exit.json is among them.
    [[nodiscard]] std::vector<File> filesOf(const std::string& run, const std::string& node) const;
    /// The files of its checkpoints, whole or not.
    [[nodiscard]] std::vector<File> checkpointsOf(const std::string& run) const;

private:
    [[nodiscard]] Result<std::filesystem::path> contentOf(const std::string& sha256) const;
    std::filesystem::path m_home;
};

}  // namespace slipway
