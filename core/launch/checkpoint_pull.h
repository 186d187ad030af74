// CheckpointPull: copies the newest checkpoint of a run from one of its nodes into the run folder here, so that the run
// can continue on other nodes. The manifest comes first and lists the files; each transfer resumes by offset and is
// complete once both ends have the same SHA-256. The folder gets its name when all files are here, from any nodes.
#pragma once

#include "core/launch/checkpoint_files.h"
#include "core/process/file_lock.h"
#include "core/remote/errands.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

/// Removes checkpoints that are half here: once the nodes of an attempt have sent what they can, no file of it may end in a checkpoint
/// of the next attempt.
void discardComingCheckpoints(const RunDir& folder);

class CheckpointPull {
public:
    /// @param ranks whose files this node supplies, and with rank 0 the manifest; empty: all of its files
    CheckpointPull(RunDir folder, std::string run, std::string node, std::string remoteHome,
                   std::optional<std::set<std::int64_t>> ranks);

    void poll(NodeLink& link, double nowSeconds);
    /// True when the answer belongs to one of its requests.
    bool take(const LinkAnswer& answer);
    /// The node has listed its checkpoints, and has nothing missing here.
    [[nodiscard]] bool isUpToDate();
    /// Each reported once: "disk_full", "file_unwritable", "bad_checksum".
    std::vector<Error> takeProblems() { return std::exchange(m_problems, {}); }

private:
    struct Wanted {
        std::int64_t step = 0;
        std::string name;
        std::uint64_t bytes = 0;
        bool operator==(const Wanted&) const = default;
    };

    [[nodiscard]] std::filesystem::path comingFolder(std::int64_t step) const;
    [[nodiscard]] std::optional<std::int64_t> target() const;
    std::optional<Wanted> wanted();
    void publish(std::int64_t step);
    void discard(std::int64_t step);
    void giveUp(std::int64_t step, const Error& error);
    void takeList(const std::string& data);
    void takeBytes(const Frame& frame);
    void compare();

    RunDir m_folder;
    std::string m_run, m_node, m_remoteHome;
    std::optional<std::set<std::int64_t>> m_ranks;
    std::optional<std::uint64_t> m_asked;
    std::map<std::int64_t, std::map<std::string, std::uint64_t>> m_there;  // bytes by step and name
    bool m_isListed = false;
    std::optional<std::int64_t> m_listedFor;  // the checkpoint to complete when the list was asked for
    double m_nextList = 0, m_nextLook = 0, m_now = 0;
    std::optional<Wanted> m_current;
    std::optional<FileHash> m_hash;  // of the received bytes
    std::string m_remoteHash;
    int m_checksumFailures = 0;
    std::int64_t m_newestHere = -1;
    std::set<std::int64_t> m_givenUp;
    std::optional<FileLock> m_lock;  // only one program copies
    std::vector<Error> m_problems;
};

}  // namespace slipway
