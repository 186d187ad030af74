// AttemptFollower: the reports of the agents of one attempt, through a launcher. It is independent of the store.
//   follower.ask(launcher, now);   for (event : launcher.poll(...)) follower.take(event);   follower.outcome(now)
#pragma once

#include "core/launch/launcher.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

enum class AttemptOutcome {
    Waiting,       ///< no agent seen yet
    Alive,         ///< at least one agent watches its ranks, or is unreachable now
    Ended,         ///< every node left its exit.json
    Gone,          ///< an agent vanished without one, and no process of this attempt remains
    StartFailed,   ///< see startError()
    NeverStarted,  ///< it was not started, and will not be
};

class AttemptFollower {
public:
    /// An attempt unclaimed by any agent this long after its record counts as never started.
    static constexpr std::int64_t kStartMilliseconds = 10000;
    /// A heartbeat this old means that the agent is stuck (a full disk, a frozen computer).
    static constexpr std::int64_t kSilentMilliseconds = 10000;

    AttemptFollower() = default;
    /// @param createdUnixMilliseconds time of the attempt's record
    AttemptFollower(LaunchHandle handle, std::int64_t createdUnixMilliseconds);

    /// The start was requested by this program; its answer belongs to this request.
    void expectStart(RequestId request) { m_start = request; }
    /// That answer is pending.
    [[nodiscard]] bool isStarting() const { return m_start.has_value(); }
    /// Sends due requests; does nothing while answers are outstanding.
    void ask(Launcher& launcher, std::int64_t nowUnixMilliseconds);
    /// True when the event was an answer to one of the follower's requests.
    bool take(const LaunchEvent& event, std::int64_t nowUnixMilliseconds);

    [[nodiscard]] AttemptOutcome outcome(std::int64_t nowUnixMilliseconds) const;
    [[nodiscard]] const LaunchHandle& handle() const { return m_handle; }
    [[nodiscard]] std::vector<AgentExit> exits() const;
    /// An agent of this attempt runs on another computer or in another container and has not ended: this program must
    /// not decide its outcome.
    [[nodiscard]] bool isElsewhere() const;
    /// Its computer, for the first such node; "another computer" until its id.json was read.
    [[nodiscard]] std::string host() const;
    /// The newest heartbeat by the clock of its writer; empty before the first one.
    [[nodiscard]] std::optional<std::int64_t> lastSignUnixMilliseconds() const;
    [[nodiscard]] const std::vector<AgentHeartbeat>& heartbeats() const { return m_heartbeats; }
    [[nodiscard]] const Error& startError() const { return m_startError; }
    /// The start failed before any request to start an agent.
    [[nodiscard]] bool nothingStarted() const { return m_nothingStarted; }
    /// Start and reason of a node's unreachability; empty when all are reachable.
    [[nodiscard]] std::string unreachable() const;
    /// Nodes without any sign since this time or longer.
    [[nodiscard]] std::vector<std::string> silentNodes(std::int64_t sinceUnixMilliseconds) const;
    [[nodiscard]] std::int64_t silentUnixMilliseconds(const std::string& node) const;
    /// The attempt no longer waits for the node: it is treated as gone.
    void giveUp(const std::string& node);
    [[nodiscard]] bool isGivenUp(const std::string& node) const;
    /// The first such node; empty: none.
    [[nodiscard]] std::string givenUpNode() const;
    /// Events that do not end the run; each is returned once.
    std::vector<Error> takeProblems(std::int64_t nowUnixMilliseconds);

private:
    enum class Question { Presence, Exit, Heartbeat, Identity };
    struct Node {
        std::string name;
        AgentPresence presence = AgentPresence::NotStarted;
        bool gone = false;  ///< vanished, and its exit.json was checked afterwards
        bool lookedForExit = false;
        std::optional<AgentExit> exit;
        bool identityKnown = false;
        std::string host;
        std::int64_t beatCounter = -1;
        std::int64_t beatSeenUnixMilliseconds = 0;
        bool saidSilent = false;
        std::string unreachable;  ///< the launcher's sentence while it cannot see the node
        std::int64_t unreachableUnixMilliseconds = 0;
        bool isGivenUp = false;
    };
    struct Asked {
        std::size_t node = 0;
        Question question = Question::Presence;
    };

    void takeData(Node& node, Question question, const LaunchEvent& event, std::int64_t now);

    LaunchHandle m_handle;
    std::int64_t m_createdUnixMilliseconds = 0;
    std::vector<Node> m_nodes;
    std::map<RequestId, Asked> m_asked;
    std::optional<RequestId> m_start;
    Error m_startError;
    bool m_startFailed = false, m_nothingStarted = false;
    std::int64_t m_nextHeartbeat = 0;
    std::vector<AgentHeartbeat> m_heartbeats;
    std::vector<Error> m_problems;
};

}  // namespace slipway
