// RunSession: one run's life from "planned" to its end, the same for window, command line and sweeps.
//   auto session = RunSession::create(store, home, {.config = config, .cluster = cluster}, now);
//   if (!hasErrors(session->readiness())) session->launch(now);
//   while (!session->done()) { for (const RunEvent& e : session->poll(now)) ...; ...wait a little... }
// A run that restarts by itself (restart.h) is "queued" between two attempts, and poll() starts the next one.
// Never blocks. The run continues without its session: attach() follows it again, from another program or after a crash.
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
    std::optional<SlurmOptions> slurm{};  ///< as a job of Slurm; empty: not
    RunId id{};                       ///< empty: made from the time; sweeps give one so that a run is never made twice
    std::string restart = "off";      ///< of kRestartWords (restart.h)
    std::vector<std::string> pool{};  ///< nodes that a restart may use; empty: those of `nodes`
    std::shared_ptr<const Plan>
        plan{};  ///< of the config on the cluster, where it is made already; null: create() makes it
};

/// A program of the user's, on this computer.
struct ProgramRequest {
    ProgramRun program;
    std::string name;  ///< empty: programName()
    std::vector<std::string> tags{};
    std::string restart = "off";
};

/// What poll() found.
struct RunEvent {
    enum class Kind {
        Status,    ///< the status changed; `text` is the reason, if any
        Progress,  ///< new points are in the store; `step` is the newest
        Event,     ///< an event line of the stream: `name`, `text`
        Problem,   ///< something is wrong though the run continues: `name` is the code, `text` a sentence
    };
    Kind kind = Kind::Status;
    RunStatus status = RunStatus::Planned;
    std::int64_t step = 0;
    std::string name;
    std::string text;
};

/// "running on HOST, last sign 3 s ago", of a run that belongs to another computer.
std::string elsewhereText(const std::string& host, std::optional<std::int64_t> lastSignUnixMilliseconds,
                          std::int64_t nowUnixMilliseconds);

class RunSession {
public:
    /// Writes the run folder (config.json, plan.json, meta.json) and inserts the run as planned. "bad_config" lists all
    /// problems; "run_exists". @param links to nodes, of a program that follows several runs in one thread
    static Result<RunSession> create(RunStore& store, const Home& home, const RunRequest& request,
                                     std::int64_t nowUnixMilliseconds, const Programs& programs = Programs::find(),
                                     std::shared_ptr<NodeLinks> links = {});
    /// The same for a program of the user's: nothing of its config is known but what it records itself.
    static Result<RunSession> createProgram(RunStore& store, const Home& home, const ProgramRequest& request,
                                            std::int64_t nowUnixMilliseconds,
                                            const Programs& programs = Programs::find());
    /// Follows an existing run: what happened meanwhile arrives with the first polls. "run_missing".
    static Result<RunSession> attach(RunStore& store, const Home& home, const RunId& id,
                                     std::int64_t nowUnixMilliseconds, const Programs& programs = Programs::find(),
                                     std::shared_ptr<NodeLinks> links = {});

    RunSession(RunSession&&) noexcept;
    RunSession& operator=(RunSession&&) noexcept;
    ~RunSession();

    /// Ready when none of the issues is an error; each names the missing part and its remedy.
    [[nodiscard]] Issues readiness() const;
    /// Starts the first attempt. "not_ready" lists the reasons, "wrong_status" when it has been started before.
    Result<void> launch(std::int64_t nowUnixMilliseconds);
    /// Starts a new attempt from the newest complete checkpoint (a user's program: the same arguments), after making sure that nothing of
    /// the former one is left. "nodes_unheard" (remote runs: call again), "still_running", "wrong_status" (completed runs), "not_ready".
    Result<void> resume(std::int64_t nowUnixMilliseconds);

    /// Follows the agents' files, stores new metric points, decides the status. Call it a few times per second.
    std::vector<RunEvent> poll(std::int64_t nowUnixMilliseconds);
    /// Descriptors for poll(2) that become readable when the next poll() will find something: waiting on them beside an
    /// interval costs nothing and loses no time. Good until the next call of this session.
    [[nodiscard]] std::vector<int> newsFds() const;
    /// Asks for a checkpoint and an end after the current step.
    Result<void> stop(std::int64_t nowUnixMilliseconds);
    /// Ends the ranks within seconds, without a checkpoint.
    Result<void> kill(std::int64_t nowUnixMilliseconds);

    [[nodiscard]] const RunId& id() const;
    [[nodiscard]] const RunConfig& config() const;
    /// Steps of the whole run; nothing for another program's run whose length is not given.
    [[nodiscard]] std::optional<std::int64_t> numSteps() const;
    [[nodiscard]] const RunDir& folder() const;
    [[nodiscard]] RunStatus status() const;
    [[nodiscard]] const std::string& reason() const;
    [[nodiscard]] std::int64_t attempt() const;
    [[nodiscard]] std::int64_t lastStep() const;
    /// A final status has been decided and every point is stored.
    [[nodiscard]] bool done() const;
    /// Nodes that it runs on, reached over SSH, in the order of their ranks; empty: this computer.
    [[nodiscard]] std::vector<std::string> nodes() const;
    /// It runs on nodes that are reached over SSH: each look is a connection.
    [[nodiscard]] bool isRemote() const;
    /// Requests to nodes are unanswered: a program that is about to end polls a while longer.
    [[nodiscard]] bool isBusy() const;
    /// While it is busy: waits until poll() has something to do, at most this long. For threads that may wait.
    void wait(double seconds) const;
    /// From now on the caller restarts the run: where that may help after a fault of a node or a link, it waits for restart(). One that
    /// could not be started on its nodes waits as well, however often.
    void driveRestarts();
    /// It waits for its next attempt.
    [[nodiscard]] bool isWaiting() const;
    /// While it waits: when it may be restarted, which nodes are excluded, and why its nodes could not start it (empty code: they did).
    [[nodiscard]] std::int64_t restartUnixMilliseconds() const;
    [[nodiscard]] std::vector<std::string> excludedNodes() const;
    [[nodiscard]] const Error& startError() const;
    /// While it waits: starts the next attempt on these nodes; as resume(). @param nodes empty: on those it had
    Result<void> restart(const std::vector<LaunchNode>& nodes, std::int64_t nowUnixMilliseconds);
    /// The nodes of the next launch() or resume().
    Result<void> useNodes(const std::vector<LaunchNode>& nodes);
    /// From now on a restart that is due is left to other programs: for those that look once and end.
    void leaveRestarts();
    /// Newest heartbeat of each node, for the per-rank view.
    [[nodiscard]] const std::vector<AgentHeartbeat>& heartbeats() const;

private:
    struct Impl;
    explicit RunSession(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace slipway
