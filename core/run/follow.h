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
    Waiting,       ///< no agent has been seen yet
    Alive,         ///< at least one agent watches its ranks, or cannot be reached now
    Ended,         ///< every node left its exit.json
    Gone,          ///< an agent vanished without one, and nothing of this attempt runs any more
    StartFailed,   ///< see startError()
    NeverStarted,  ///< nobody started it, and nobody will
};

class AttemptFollower {
public:
    /// An attempt that no agent has claimed this long after it was written down is taken for never started.
    static constexpr std::int64_t kStartMilliseconds = 10000;
    /// A heartbeat this old means that the agent is stuck (a full disk, a frozen computer).
    static constexpr std::int64_t kSilentMilliseconds = 10000;

    AttemptFollower() = default;
    /// @param createdUnixMilliseconds when the attempt was written down
    AttemptFollower(LaunchHandle handle, std::int64_t createdUnixMilliseconds);

    /// The start was requested by this program; its answer belongs to this request.
    void expectStart(RequestId request) { m_start = request; }
    /// That answer is still awaited.
    [[nodiscard]] bool isStarting() const { return m_start.has_value(); }
    /// Asks for what is due; does nothing while answers are outstanding.
    void ask(Launcher& launcher, std::int64_t nowUnixMilliseconds);
    /// True when the event was an answer to one of the follower's requests.
    bool take(const LaunchEvent& event, std::int64_t nowUnixMilliseconds);

    [[nodiscard]] AttemptOutcome outcome(std::int64_t nowUnixMilliseconds) const;
    [[nodiscard]] const LaunchHandle& handle() const { return m_handle; }
    [[nodiscard]] std::vector<AgentExit> exits() const;
    /// An agent of this attempt runs on another computer or in another container and has not ended: this program must not
    /// decide what became of it.
    [[nodiscard]] bool isElsewhere() const;
    /// Where it runs, of the first such node; "another computer" until its id.json was read.
    [[nodiscard]] std::string host() const;
    /// The newest heartbeat by the clock of the computer that wrote it; empty before one was read.
    [[nodiscard]] std::optional<std::int64_t> lastSignUnixMilliseconds() const;
    [[nodiscard]] const std::vector<AgentHeartbeat>& heartbeats() const { return m_heartbeats; }
    [[nodiscard]] const Error& startError() const { return m_startError; }
    /// The start failed before any request to start an agent.
    [[nodiscard]] bool nothingStarted() const { return m_nothingStarted; }
    /// Since when a node cannot be reached, and why; empty when all can.
    [[nodiscard]] std::string unreachable() const;
    /// Events that do not end the run; each is returned once.
    std::vector<Error> takeProblems(std::int64_t nowUnixMilliseconds);

private:
    enum class Question { Presence, Exit, Heartbeat, Identity };
    struct Node {
        std::string name;
        AgentPresence presence = AgentPresence::NotStarted;
        bool gone = false;  ///< vanished, and its exit.json was looked for afterwards
        bool lookedForExit = false;
        std::optional<AgentExit> exit;
        bool identityKnown = false;
        std::string host;
        std::int64_t beatCounter = -1;
        std::int64_t beatSeenUnixMilliseconds = 0;
        bool saidSilent = false;
        std::string unreachable;  ///< the launcher's sentence while it cannot see the node
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
