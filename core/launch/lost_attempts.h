// Attempts that were given up because a node of theirs could not be reached any more. Such a node may return with ranks that still run:
// nothing of them counts. They are recorded in lost.json of the run folder; a mark in the home, lost/NODE/RUN, keeps other attempts off
// the node until LostRanks has stopped the old ranks there.
//   giveUpAttempt(home, folder, run, {attempt, "gpu1", since, now});   for (const LostAttempt& each : lost.poll({"gpu1"}, now)) ...
#pragma once

#include "core/base/field_table.h"
#include "core/base/result.h"
#include "core/remote/errands.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct LostAttempt {
    std::int64_t attempt = 1;
    std::string node;
    std::int64_t silentUnixMilliseconds = 0;  ///< since then there was no sign of the node
    std::int64_t givenUpUnixMilliseconds = 0;
    std::int64_t stoppedUnixMilliseconds = 0;  ///< its ranks were stopped, or had ended; 0: the node has not returned

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("attempt"), s.attempt);
        v(field("node"), s.node);
        v(field("silent_unix_ms"), s.silentUnixMilliseconds);
        v(field("given_up_unix_ms"), s.givenUpUnixMilliseconds);
        v(field("stopped_unix_ms"), s.stoppedUnixMilliseconds);
    }
};

/// Oldest first; empty where none was given up or the file is unreadable.
std::vector<LostAttempt> lostAttempts(const RunDir& folder);

/// Records it, then marks the node. Doing it again completes a record whose writer was killed in between.
Result<void> giveUpAttempt(const Home& home, const RunDir& folder, const std::string& run, const LostAttempt& lost);

/// Runs of which ranks may remain on this node from an attempt that was given up; sorted.
std::vector<std::string> lostRunsOn(const Home& home, const std::string& node);
/// "lost_ranks", with the node as its place: nothing starts on the node before they are stopped. Empty: there are none.
std::optional<Error> lostRanksOn(const Home& home, const std::string& node);

/// For events and the output of a sweep.
Message lostRanksStoppedText(std::int64_t attempt, const std::string& node);

/// "control/attempt_0002": where this file exists, the agent of the attempt before it ends its ranks.
std::string supersedingFile(std::int64_t attempt);

/// Stops the ranks of attempts that were given up, as soon as their nodes can be reached.
class LostRanks {
public:
    LostRanks(Home home, std::shared_ptr<NodeLinks> links) : m_home(std::move(home)), m_links(std::move(links)) {}

    /// The node has not been cleared of such ranks yet.
    [[nodiscard]] bool mayRunOn(const std::string& node) const { return !lostRunsOn(m_home, node).empty(); }
    struct Stopped {
        std::string run, node;
        std::int64_t attempt = 1;
    };
    /// Advances; never blocks. Returns those whose ranks have ended: the folder of the run was set aside on the node.
    std::vector<Stopped> poll(const std::vector<std::string>& nodes, std::int64_t nowUnixMilliseconds);

private:
    struct Task {
        Stopped what;
        std::unique_ptr<NodeLink> link;
        Errands errands;
    };
    void look(const std::vector<std::string>& nodes);
    [[nodiscard]] Result<void> finish(const Task& task, std::int64_t nowUnixMilliseconds) const;

    Home m_home;
    std::shared_ptr<NodeLinks> m_links;
    std::map<std::pair<std::string, std::string>, std::unique_ptr<Task>> m_tasks;  // by node and run
    std::int64_t m_nextLook = 0;
};

}  // namespace slipway
