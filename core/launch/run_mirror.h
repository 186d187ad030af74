// RunMirror: copies the files of a run from its node into the local run folder, by byte offset, so that readers see the
// same files as for a local run. Complete lines only: a partial line is copied in a later round.
#pragma once

#include "core/launch/launcher.h"
#include "core/remote/node_link.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slipway {

/// Writes bytes into a file of a run at this offset; a new one gets the mode of its folder. "disk_full", "file_unwritable".
Result<void> writeAt(const std::filesystem::path& path, std::uint64_t offset, std::string_view bytes);

class RunMirror {
public:
    /// @param ranks of the plan on this node: the only ones whose files are accepted; @param remoteHome of the node's record
    RunMirror(RunDir folder, std::string run, std::string node, std::int64_t attempt, std::set<std::int64_t> ranks,
              std::string remoteHome);

    void poll(NodeLink& link, double nowSeconds);
    /// True when the answer belongs to one of its requests.
    bool take(const LinkAnswer& answer);

    /// Last report of the node, once all files of that time are copied; empty before.
    [[nodiscard]] std::optional<AgentPresence> presence() const { return m_presence; }
    /// Its agent is alive and has not reported its end.
    [[nodiscard]] bool isRunning() const { return m_presence == AgentPresence::Alive && !m_hasExit; }
    /// Once after each heartbeat that was copied.
    bool takeHeartbeat() { return std::exchange(m_hasHeartbeat, false); }
    /// Problems of the node's files, each reported once: "stream_replaced", "line_too_long", "too_many_bytes",
    /// "file_unwritable", "disk_full".
    std::vector<Error> takeProblems() { return std::exchange(m_problems, {}); }

    /// Limit on streams and logs of one run copied from a node; the rest stays on the node.
    static constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30;
    /// May a file of this name come from this node?
    [[nodiscard]] bool isExpected(const std::string& path) const;

private:
    struct File {
        std::string path;
        std::uint64_t bytes = 0;
        std::int64_t stamp = 0;
    };

    void takeStatus(const Json& answer);
    void takeBytes(File file, const Frame& frame);
    void read(NodeLink& link, File file, std::uint64_t offset);
    void endRound();
    /// Offset at which copying continues: the end of the last complete local line.
    [[nodiscard]] std::uint64_t copiedBytes(const std::string& path);
    [[nodiscard]] std::uint64_t copiedInAll() const;
    void problem(const char* code, const Message& message, const std::string& path);
    void next();

    RunDir m_folder;
    std::string m_run, m_node, m_remoteHome;
    std::int64_t m_attempt;
    std::set<std::int64_t> m_ranks;
    std::deque<File> m_files;                      // remaining in this round
    std::map<std::uint64_t, File> m_reading;       // asked for
    std::optional<File> m_exit;                    // read after all others, whose readers then find complete streams
    std::map<std::string, std::int64_t> m_stamps;  // of local documents
    std::map<std::string, std::uint64_t> m_offsets;
    std::optional<AgentPresence> m_presence, m_coming;
    bool m_hasExit = false, m_hadNews = false;
    std::optional<std::uint64_t> m_asked;  // for its status
    double m_nextRound = 0, m_now = 0;
    std::string m_known, m_comingDigest;  // the node holds back its status while its files have the known digest
    double m_least = 0;                   // and, while the agent lives, for this long in any case
    double m_askedSeconds = 0, m_expectedSeconds = 0;  // to the answer, at least, unless there are news
    bool m_hasFailed = false, m_hasHeartbeat = false;
    std::vector<Error> m_problems;
    std::set<std::string> m_told;
};

}  // namespace slipway
