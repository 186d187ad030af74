// SweepRunner: runs a sweep to its end, tick by tick. Every change of a trial is stored before the next action, so the
// runner can be killed at any time and restarted: it completes exactly the missing trials.
//   auto runner = SweepRunner::open(store, home, programs, file, cluster, options, now);
//   while (!runner->done()) { for (const SweepEvent& e : runner->tick(now)) ...; ...wait a little... }
#pragma once

#include "core/launch/slurm_queue.h"
#include "core/process/file_lock.h"
#include "core/remote/node_link.h"
#include "core/run/run_session.h"
#include "core/sweep/node_pool.h"
#include "core/sweep/search.h"
#include "core/sweep/sweep_control.h"
#include "core/sweep/trial.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// A node that reboots, or a link that fails for a while, returns within it.
constexpr std::int64_t kLostAfterSeconds = 600;

struct SweepOptions {
    std::int64_t jobs = 1;       ///< number of concurrent trials
    bool again = false;          ///< begin a new sweep even if one with the same identity exists
    std::string trainerVersion;  ///< part of the identity
    /// Settled trials to rerun, each from its newest checkpoint: kRetryReasons of trial_state.h. Trials skipped by a
    /// stop rule run too.
    std::vector<std::string> retry{};
    /// Selects one of several sweeps with the same identity; empty: the newest.
    SweepId id{};
    /// Nodes of the trials (from the home); `jobs` is then per node. Empty: this computer.
    std::vector<std::string> nodes{};
    /// Each trial as a Slurm job, `jobs` of them running at the same time: elements of arrays, one array after the other. With a search,
    /// or behind a login node, each has a job of its own, and `jobs` of them are in the queue or running. Empty: not Slurm.
    std::optional<SlurmOptions> slurm{};
    /// After this time without any sign of a node its trials continue on other nodes. 0: never.
    std::int64_t lostAfterSeconds = kLostAfterSeconds;
};

struct SweepEvent {
    enum class Kind { Started, Ended, Problem };
    Kind kind = Kind::Started;
    std::size_t trial = 0;
    TrialStatus status = TrialStatus::Planned;
    std::string text;  ///< reason of an end, sentence of a problem
};

struct SweepProgress {
    std::size_t total = 0, completed = 0, failed = 0, skipped = 0, infeasible = 0;
    [[nodiscard]] std::size_t settled() const { return completed + failed + skipped + infeasible; }
    struct Running {
        std::size_t trial = 0;
        std::int64_t step = 0, numSteps = 0;
        bool isWaiting = false;  ///< for a node, or for its next attempt
    };
    std::vector<Running> running;
    std::size_t queued = 0;             ///< elements of an array that wait in Slurm's queue; not among `running`
    std::optional<double> secondsLeft;  ///< from the speed so far; empty until known
};

class SweepRunner {
public:
    /// Finds the sweep with the identity of the file, or creates a new one. "sweep_running" when another runner holds it.
    static Result<SweepRunner> open(RunStore& store, const Home& home, const Programs& programs, const SweepFile& file,
                                    const ClusterSpec& cluster, const SweepOptions& options,
                                    std::int64_t nowUnixMilliseconds);

    /// Follows running trials, stores changes, applies the stop rules, starts trials while slots are free. A killed or
    /// lost trial is retried three times; one with a full disk pauses the sweep. Errors of the store end the tick; the
    /// next one retries ("disk_full" and "store_busy" can pass).
    Result<std::vector<SweepEvent>> tick(std::int64_t nowUnixMilliseconds);

    /// Descriptors for poll(2) that become readable when the next tick has news (RunSession::newsFds).
    [[nodiscard]] std::vector<int> newsFds() const;

    /// Starts no more trials; running ones finish.
    void pause() { m_paused = true; }
    /// Also requests running trials to stop after their current step.
    void stop(std::int64_t nowUnixMilliseconds);
    /// Paused or stopped by a file (sweep_control.h), not withdrawn.
    [[nodiscard]] bool pausedFromOutside() const { return m_request.has_value(); }

    /// No trial is running and none will be started.
    [[nodiscard]] bool done() const;
    /// All trials are settled.
    [[nodiscard]] bool complete() const;
    /// It was already complete when opened.
    [[nodiscard]] bool wasComplete() const { return m_wasComplete; }

    [[nodiscard]] const SweepId& id() const { return m_id; }
    [[nodiscard]] const std::vector<Trial>& trials() const { return m_trials; }
    /// The current decision of the file's search; null without one. Valid until the next tick.
    [[nodiscard]] const SearchDecision* decision() const;
    [[nodiscard]] SweepProgress progress(std::int64_t nowUnixMilliseconds) const;

private:
    struct State {
        TrialStatus status = TrialStatus::Planned;
        std::string reason;
        RunId run;
        bool tried = false;  ///< started or refused by this runner; only another runner retries it
    };
    struct Active {
        std::size_t trial = 0;
        RunSession session;
        std::int64_t startedUnixMilliseconds = 0;
        std::int64_t checkedStep = 0;    ///< the loss is known to be finite up to here
        std::int64_t evaluatedStep = 0;  ///< the median rule was applied up to here
        std::int64_t rungSteps = 0;      ///< asha: end of its current rung; 0: its own end
        std::string endReason;           ///< reason of a stop by a rule
        TrialStatus endStatus = TrialStatus::Cancelled;
        std::int64_t killAtUnixMilliseconds = 0;  ///< 0: no stop requested
        int retries = 0;
        bool saidWaiting = false;   ///< it waits for a node or its next attempt, and does not hold slots
        bool wantsResume = false;   ///< Slurm has not told yet what is left of its former attempt
        std::int64_t nextPoll = 0;  ///< of one in Slurm's queue
        bool saidSilent = false;    ///< a node of it does not answer
        bool isStranded = false;    ///< for so long that it would continue elsewhere, but no other node answers
    };

    SweepRunner(RunStore& store, Home home, Programs programs)
        : m_store(&store),
          m_home(std::move(home)),
          m_programs(std::move(programs)),
          m_links(std::make_shared<NodeLinks>(m_programs.agent)) {}

    Result<void> prepareSlurm(const SweepOptions& options);
    [[nodiscard]] bool isIdle() const;
    [[nodiscard]] bool isInQueue(const Active& active) const;
    bool isResting(Active& active, std::int64_t now) const;
    [[nodiscard]] bool canJoin(const RunConfig& config, const RunId& run) const;
    Result<bool> resumeWanted(Active& active, std::int64_t now, std::vector<SweepEvent>& events);
    void openArray(std::int64_t now);
    Result<void> fillArray(std::int64_t now, std::vector<SweepEvent>& events);
    [[nodiscard]] std::optional<std::size_t> nextElement() const;
    void leaveQueue(TrialStatus status, const std::string& reason, std::int64_t now);

    Result<void> load(const std::vector<TrialRecord>& records, const std::vector<std::string>& retry);
    [[nodiscard]] std::string endStatus() const;
    Result<void> storeTrial(std::size_t trial);
    Result<void> storeSweep(const std::string& status, std::int64_t now);
    Result<void> settle(std::size_t trial, TrialStatus status, std::string reason, std::vector<SweepEvent>& events);
    Result<bool> startOne(std::int64_t now, std::vector<SweepEvent>& events);
    Result<bool> startTrial(std::size_t trial, std::int64_t now, std::vector<SweepEvent>& events);
    Result<RunSession> sessionFor(std::size_t trial, const std::vector<LaunchNode>& nodes, std::int64_t now);
    Result<void> giveRunId(std::size_t trial, std::int64_t now);
    Result<std::vector<LaunchNode>> placeTrial(std::size_t trial, std::int64_t now);
    void tendSilent(Active& active, std::int64_t now, std::vector<SweepEvent>& events);
    void leaveStranded(std::vector<SweepEvent>& events);
    void tend(Active& active, std::int64_t now, std::vector<SweepEvent>& events);
    void pollPool(std::int64_t now, std::vector<SweepEvent>& events);
    void prepareOrder();
    void pauseWithoutNodes(std::size_t trial, const Error& why, std::vector<SweepEvent>& events);
    void applyRules(Active& active, std::int64_t now);
    void applyMedianRule(Active& active, std::int64_t now);
    [[nodiscard]] SearchRules rules() const;
    void prepareSearch();
    void takeOutcome(std::size_t trial);
    [[nodiscard]] std::vector<double> rungCosts(const RunRecord& run) const;
    [[nodiscard]] std::int64_t endOfRung(std::size_t trial) const;
    Result<void> endSearch(std::vector<SweepEvent>& events);
    void endActive(Active& active, TrialStatus status, std::string reason, std::int64_t now);
    /// Ends it for this session of the sweep; the next one continues it.
    void stopActive(Active& active, std::int64_t now);
    Result<void> skipRest(const std::string& reason, std::int64_t now, std::vector<SweepEvent>& events);
    [[nodiscard]] std::optional<std::size_t> nextTrial() const;
    Result<void> takeRequests(std::int64_t now);
    void stopRunning(std::int64_t now);
    [[nodiscard]] bool isPaused() const { return m_paused || m_request.has_value(); }

    RunStore* m_store;
    Home m_home;
    Programs m_programs;
    std::shared_ptr<NodeLinks> m_links;  // one connection per node for all trials there
    FileLock m_lock;
    SweepFile m_file;
    ClusterSpec m_cluster;
    std::int64_t m_jobs = 1;
    std::int64_t m_lostMilliseconds = 0;
    std::optional<SlurmOptions> m_slurm;
    std::shared_ptr<SlurmQueue> m_queue;  // null: not Slurm
    bool m_inArrays = false;
    SweepId m_id;
    std::string m_identity;
    std::int64_t m_createdUnixMilliseconds = 0;
    std::int64_t m_openedUnixMilliseconds = 0;
    double m_usedSeconds = 0;
    std::vector<Trial> m_trials;
    std::vector<double> m_weights;     ///< forecast seconds of each trial, for the time left
    std::vector<std::size_t> m_order;  ///< start order of trials
    /// Trials whose runs were under way when this runner opened the sweep. They come first: each holds a slot, which a trial before it in
    /// the order may be waiting for.
    std::vector<std::size_t> m_underWay;
    std::vector<State> m_states;
    std::vector<Active> m_active;
    std::vector<SearchPoint> m_points;  ///< empty without a search
    std::vector<SearchOutcome> m_outcomes;
    mutable std::optional<SearchDecision> m_decision;  ///< for these outcomes; made on first use
    std::string m_storedStatus;
    bool m_paused = false;
    std::unique_ptr<NodePool> m_pool;       ///< null: this computer
    std::optional<SweepRequest> m_request;  ///< from a control file
    bool m_wasComplete = false;
};

}  // namespace slipway
