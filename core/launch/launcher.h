// Launcher: starts ranks on nodes. Requests return an id immediately; their results arrive as events from poll().
//   const RequestId request = launcher->start(plan, folder);
//   for (LaunchEvent& event : launcher->poll(now)) if (event.request == request) ...
// A dead link never stops the others: an event names its node.
#pragma once

#include "core/launch/programs.h"
#include "core/remote/agent_presence.h"
#include "core/spec/agent_files.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

class NodeLinks;
class SlurmQueue;

using RequestId = std::uint64_t;

/// Identifies a started attempt; made from launch.json, so it outlives this program.
struct LaunchHandle {
    std::string launcher;
    std::string runId;
    std::int64_t attempt = 1;
    std::filesystem::path folder;  ///< the run folder on this computer
    std::vector<std::string> nodes;
    std::string job;  ///< the scheduler's name for it, if any
};
LaunchHandle handleOf(const LaunchPlan& plan, const RunDir& folder);

/// Stop: checkpoint and end after the current step. Kill: end the ranks within seconds.
enum class StopKind { Stop, Kill };

struct LaunchEvent {
    enum class Kind { Checked, Started, Stopped, Data, Presence, Failed };
    RequestId request = 0;
    Kind kind = Kind::Failed;
    std::string node;                                 ///< empty: all nodes of the request
    Issues issues;                                    ///< Checked
    AgentPresence presence = AgentPresence::Unknown;  ///< Presence
    std::string bytes;                                ///< Data: contents of the file from `offset`
    std::uint64_t offset = 0;                         ///< Data: first byte
    std::uint64_t fileBytes = 0;                      ///< Data: size of the whole file
    bool missing = false;                             ///< Data: there is no such file
    Error error;                                      ///< Failed
    bool nothingStarted = false;                      ///< Failed: before any request to start an agent
};

class Launcher {
public:
    virtual ~Launcher() = default;

    /// Can this node run ranks? -> Checked with issues.
    virtual RequestId check(const std::string& node) = 0;
    /// Starts the agents of all nodes -> Started when every agent watches its ranks, or Failed. The plan has been
    /// written to launch.json. Starting the same attempt twice never runs it twice ("already_started").
    virtual RequestId start(const LaunchPlan& plan, const RunDir& folder) = 0;
    /// -> Stopped once the request is visible to the ranks.
    virtual RequestId stop(const LaunchHandle& handle, StopKind kind) = 0;
    /// Bytes of a file of the run folder on a node, at most kMaxReadBytes -> Data. A negative offset counts from the end.
    virtual RequestId readFrom(const LaunchHandle& handle, const std::string& node,
                               const std::filesystem::path& relativePath, std::int64_t offset) = 0;
    /// Is the agent of this attempt alive? -> Presence.
    virtual RequestId presence(const LaunchHandle& handle, const std::string& node) = 0;

    /// Advances and returns new events; never blocks. @param nowSeconds since the Unix epoch
    virtual std::vector<LaunchEvent> poll(double nowSeconds) = 0;
    /// Requests to nodes are pending: a program about to exit continues to poll.
    [[nodiscard]] virtual bool isBusy() const { return false; }
    /// While it is busy: waits until poll() has something to do, at most this long. For threads that may block.
    virtual void wait(double seconds) const;

    /// Reason why a started attempt is not running yet, as reported by a scheduler; empty: it is not waiting.
    [[nodiscard]] virtual Message waiting() const { return {}; }
    /// A scheduler's report on the end of an attempt; read when its agents have ended or are gone. Codes are from the
    /// fault table, "job_cancelled" and "job_failed".
    [[nodiscard]] virtual std::optional<Error> endOf(const LaunchHandle& handle) const;
    /// The plan of a later attempt begun by the scheduler's job itself.
    virtual std::optional<LaunchPlan> newAttempt(const LaunchHandle& handle);

    /// Descriptors for poll(2) that become readable when there are events: a local agent has started or ended, a node has
    /// answered. Owned by the launcher and valid until its next call. Without any, poll at intervals.
    [[nodiscard]] virtual std::vector<int> newsFds() const { return {}; }

    static constexpr std::size_t kMaxReadBytes = 4U << 20;
};

/// An agent has shown up for this attempt, as far as the folder here has it.
bool hasAgent(const RunDir& folder, const LaunchHandle& handle);

/// Bytes of a file of a run folder on this computer, as in Launcher::readFrom; without a request.
LaunchEvent readRunFile(const RunDir& folder, const std::filesystem::path& relativePath, std::int64_t offset);

/// The launcher of this kind ("local", "ssh", "slurm"), for one run; "unknown_launcher" names all. @param home has the nodes
/// @param links to them that other runs use as well; null: it has its own @param queue the same for Slurm on this computer
Result<std::unique_ptr<Launcher>> makeLauncher(const std::string& kind, const Programs& programs, const Home& home,
                                               std::shared_ptr<NodeLinks> links = {},
                                               std::shared_ptr<SlurmQueue> queue = {});

}  // namespace slipway
