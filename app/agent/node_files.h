// Files on a node that a launcher may read and write: content named by its hash, and run folders, all below one home.
// Names come from another computer: no path leaves the home, and links are never followed.
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
    /// The home of this name, created if missing; "" is ~/.local/share/slipway-node. "bad_path", "folder_unwritable".
    static Result<NodeFiles> open(const std::string& home);

    [[nodiscard]] const std::filesystem::path& home() const { return m_home; }
    /// A path below the home: names of letters, digits and . _ - that do not begin with a dot, none of them a link. "bad_path".
    [[nodiscard]] Result<std::filesystem::path> below(const std::string& relative) const;

    /// Number of leading bytes of this content that are here; all of them only with the right hash.
    [[nodiscard]] Result<std::uint64_t> have(const std::string& sha256, std::uint64_t bytes) const;
    /// The next piece of it. "wrong_offset" when the piece does not begin where the last one ended, "bad_checksum" when
    /// the complete content does not match the hash (it is removed), "disk_full". @return as have()
    Result<std::uint64_t> put(const std::string& sha256, std::uint64_t bytes, std::uint64_t offset,
                              std::string_view piece);
    /// Places local content under a name below the home, replacing an existing file. "file_missing".
    /// @param isOwn the file will be changed: the content is not stored for others
    Result<void> place(const std::string& sha256, const std::string& relative, bool execute, bool isOwn = false);

    /// Takes the folder of a run out of `runs`, into `lost`: what a given-up attempt has written must not be continued. Nothing happens
    /// where a later attempt is here already (in a home that nodes share). "still_running" while a process of the attempt may be alive.
    Result<void> setAside(const std::string& run, const std::string& node, std::int64_t attempt) const;

    struct File {
        std::string path;  ///< relative to the folder
        std::uint64_t bytes = 0;
        std::int64_t stamp = 0;  ///< of fileStamp()
    };
    /// The files of a run to copy to the launcher. The agent's own files come first, so that the streams are complete
    /// if exit.json is among them.
    [[nodiscard]] std::vector<File> filesOf(const std::string& run, const std::string& node) const;
    /// Changes with any of these files of the run; of the heartbeat only with the ranks' states and the note, since its time is another
    /// one each second.
    [[nodiscard]] std::string digestOf(const std::string& run, const std::vector<File>& files) const;
    /// The files of its checkpoints, complete or not.
    [[nodiscard]] std::vector<File> checkpointsOf(const std::string& run) const;

private:
    [[nodiscard]] Result<std::filesystem::path> contentOf(const std::string& sha256) const;
    std::filesystem::path m_home;
};

}  // namespace slipway
