// RunSession: one run's life from "planned" to its end, the same for window, command line and sweeps.
//   auto session = RunSession::create(store, home, {.config = config, .cluster = cluster}, now);
//   if (!hasErrors(session->readiness())) session->launch(now);
//   while (!session->done()) { for (const RunEvent& e : session->poll(now)) ...; ...wait a little... }
// A run that restarts by itself (restart.h) is "queued" between two attempts, and poll() starts the next one.
// Never blocks. The run continues without its session: attach() resumes following, from another program or after a crash.
#pragma once

#include "core/base/ids.h"
#include "core/launch/launch_plan.h"
#include "core/launch/launcher.h"
#include "core/launch/programs.h"
#include "core/launch/slurm_options.h"
#include "core/run/program_file.h"
#include "core/spec/run_config.h"
#include "core/store/run_store.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct Plan;

struct RunRequest {
    RunConfig config{};
    ClusterSpec cluster{};
    std::vector<std::string> tags{};
    SweepId sweep{};                      ///< empty: none
    std::optional<std::int64_t> trial{};  ///< index in the sweep
    std::vector<LaunchNode> nodes{};      ///< of the home's nodes, reached over SSH; empty: this computer
    std::optional<SlurmOptions> slurm{};  ///< as a Slurm job; empty: not Slurm
    RunId id{};                   ///< empty: made from the time; sweeps supply one so that a run is never created twice
    std::string restart = "off";  ///< of kRestartWords (restart.h)
    std::vector<std::string> pool{};  ///< nodes allowed for restarts; empty: `nodes`
    std::shared_ptr<const Plan>
        plan{};  ///< of the config on the cluster, if it exists already; null: create() makes it
};

/// A program of the user's, on this computer.
struct ProgramRequest {
    ProgramRun program;
    std::string name;  ///< empty: programName()
    std::vector<std::string> tags{};
    std::string restart = "off";
};

/// News from poll().
struct RunEvent {
    enum class Kind {
        Status,    ///< the status changed; `text` is the reason, if any
        Progress,  ///< new points are in the store; `step` is the newest
        Event,     ///< an event line of the stream: `name`, `text`
        Problem,   ///< a problem while the run continues: `name` is the code, `text` a sentence
    };
    Kind kind = Kind::Status;
    RunStatus status = RunStatus::Planned;
    std::int64_t step = 0;
    std::string name;
    std::string text;
};

/// "running on HOST, last sign 3 s ago", for a run on another computer.
std::string elsewhereText(const std::string& host, std::optional<std::int64_t> lastSignUnixMilliseconds,
                          std::int64_t nowUnixMilliseconds);

class RunSession {
public:
    /// Writes the run folder (config.json, plan.json, meta.json) and inserts the run as planned. "bad_config" lists all
    /// problems; "run_exists". @param links to nodes, of a program that follows several runs in one thread; @param queue the same
    /// for Slurm on this computer: while an array is open there, runs that are started become its elements
    static Result<RunSession> create(RunStore& store, const Home& home, const RunRequest& request,
                                     std::int64_t nowUnixMilliseconds, const Programs& programs = Programs::find(),
                                     std::shared_ptr<NodeLinks> links = {}, std::shared_ptr<SlurmQueue> queue = {});
    /// The same for a program of the user's: nothing of its config is known but what it records itself.
    static Result<RunSession> createProgram(RunStore& store, const Home& home, const ProgramRequest& request,
                                            std::int64_t nowUnixMilliseconds,
                                            const Programs& programs = Programs::find());
    /// Follows an existing run: events since then arrive with the first polls. "run_missing".
    static Result<RunSession> attach(RunStore& store, const Home& home, const RunId& id,
                                     std::int64_t nowUnixMilliseconds, const Programs& programs = Programs::find(),
                                     std::shared_ptr<NodeLinks> links = {}, std::shared_ptr<SlurmQueue> queue = {});

    RunSession(RunSession&&) noexcept;
    RunSession& operator=(RunSession&&) noexcept;
    ~RunSession();

    /// Ready when none of the issues is an error; each names the missing part and its remedy.
    [[nodiscard]] Issues readiness() const;
    /// Starts the first attempt. "not_ready" lists the reasons, "wrong_status" for a run started before.
    Result<void> launch(std::int64_t nowUnixMilliseconds);
    /// Starts a new attempt from the newest complete checkpoint (a user's program: the same arguments), once nothing of the former one is
    /// left. "nodes_unheard" (remote runs: call again), "still_running", "wrong_status" (completed runs), "not_ready".
    Result<void> resume(std::int64_t nowUnixMilliseconds);

    /// Follows the agents' files, stores new metric points, determines the status. Call it a few times per second.
    std::vector<RunEvent> poll(std::int64_t nowUnixMilliseconds);
    /// Descriptors for poll(2) that become readable when the next poll() has news: waiting on them in addition to an
    /// interval is free and loses no time. Valid until the next call of this session.
    [[nodiscard]] std::vector<int> newsFds() const;
    /// Asks for a checkpoint and an end after the current step.
    Result<void> stop(std::int64_t nowUnixMilliseconds);
    /// Ends the ranks within seconds, without a checkpoint.
    Result<void> kill(std::int64_t nowUnixMilliseconds);

    [[nodiscard]] const RunId& id() const;
    [[nodiscard]] const RunConfig& config() const;
    /// Steps of the full run; absent for another program's run of unknown length.
    [[nodiscard]] std::optional<std::int64_t> numSteps() const;
    [[nodiscard]] const RunDir& folder() const;
    [[nodiscard]] RunStatus status() const;
    [[nodiscard]] const std::string& reason() const;
    [[nodiscard]] std::int64_t attempt() const;
    [[nodiscard]] std::int64_t lastStep() const;
    /// The final status is determined and every point is stored.
    [[nodiscard]] bool done() const;
    /// Its nodes, reached over SSH, in the order of their ranks; empty: this computer.
    [[nodiscard]] std::vector<std::string> nodes() const;
    /// It runs on nodes reached over SSH: each query is a connection.
    [[nodiscard]] bool isRemote() const;
    /// Requests to nodes are pending: a program about to exit continues to poll.
    [[nodiscard]] bool isBusy() const;
    /// While it is busy: waits until poll() has something to do, at most this long. For threads that may block.
    void wait(double seconds) const;
    /// Makes the caller responsible for restarts: where one may help after a fault of a node or a link, the run waits
    /// for restart(). So does a run that could not be started on its nodes, any number of times.
    void driveRestarts();
    /// It waits for its next attempt.
    [[nodiscard]] bool isWaiting() const;
    /// While it waits: earliest restart, excluded nodes, and reason why its nodes could not start it (empty code: they did).
    [[nodiscard]] std::int64_t restartUnixMilliseconds() const;
    [[nodiscard]] std::vector<std::string> excludedNodes() const;
    [[nodiscard]] const Error& startError() const;
    /// While it waits: starts the next attempt on these nodes; as in resume(). @param nodes empty: the previous ones
    Result<void> restart(const std::vector<LaunchNode>& nodes, std::int64_t nowUnixMilliseconds);
    /// The nodes of the next launch() or resume().
    Result<void> useNodes(const std::vector<LaunchNode>& nodes);
    /// Nodes of the running attempt, reached over SSH, without any sign since this time or longer.
    [[nodiscard]] std::vector<std::string> silentNodes(std::int64_t sinceUnixMilliseconds) const;
    /// Gives the attempt up because of such nodes: its ranks elsewhere are killed, and the run waits for restart() on other nodes. Ranks
    /// on the given nodes are stopped once these return (lost_attempts.h).
    Result<void> giveUp(const std::vector<std::string>& nodes, std::int64_t nowUnixMilliseconds);
    /// Leaves due restarts to other programs: for one-shot programs.
    void leaveRestarts();
    /// Newest heartbeat of each node, for the per-rank view.
    [[nodiscard]] const std::vector<AgentHeartbeat>& heartbeats() const;

private:
    struct Impl;
    explicit RunSession(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace slipway
