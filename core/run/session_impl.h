// Internals of RunSession; private to this room.
#pragma once

#include "core/faults/diagnose.h"
#include "core/launch/slurm_queue.h"
#include "core/metrics/metric_reader.h"
#include "core/run/alert_watch.h"
#include "core/run/end_file.h"
#include "core/run/follow.h"
#include "core/run/log_follower.h"
#include "core/run/program_file.h"
#include "core/run/restart.h"
#include "core/run/run_files.h"
#include "core/run/run_session.h"

#include <map>

namespace slipway {

/// The errors among the issues, a line each.
Issues errorsOf(Issues issues);

struct RunSession::Impl {
    enum class Phase { Idle, Following, Draining, ReadingEvidence, Waiting, Done };
    struct Arrival {
        std::int64_t attempt = 0, step = 0, endedAttempt = 0;
    };
    struct EvidenceFile {
        enum class Kind { Log, Error, System } kind = Kind::Log;
        RankPlace place;
    };

    RunStore* store = nullptr;
    Home home;
    Programs programs;
    std::shared_ptr<NodeLinks> links;  // shared with other runs; null: the launcher has its own
    std::shared_ptr<SlurmQueue> queue;
    RunId id;
    RunDir folder;
    RunConfig config;
    std::optional<ProgramRun> program;               // of the user's; empty: slipway-trainer
    std::optional<LogFollower> log;                  // of the program, this attempt's
    bool isShapeKnown = true, isLengthKnown = true;  // as in RunFiles
    ClusterSpec cluster;
    std::optional<double> memoryPeakBytes;  // forecast, of a run created here
    std::vector<LaunchNode> nodes;          // over SSH; empty: this computer, or Slurm
    std::optional<SlurmOptions> slurm;
    std::unique_ptr<Launcher> launcher;
    AttemptFollower follower;
    MetricReader reader;
    Phase phase = Phase::Idle;
    RunStatus status = RunStatus::Planned;
    std::string reason;
    std::int64_t attempt = 0;
    std::int64_t lastStep = 0;
    std::uint64_t offset = 0;
    std::optional<RequestId> metricsRequest;
    std::map<RequestId, EvidenceFile> evidenceRequests;
    bool evidenceAsked = false;
    bool sawRecords = false;  // of this attempt
    bool drainAsked = false;  // the outstanding read of the stream began after the end was known
    EndEvidence evidence;
    std::int64_t nextMeasure = 0;
    std::int64_t nextSign = 0;   // next time to note the state of a run elsewhere
    std::int64_t restartAt = 0;  // while waiting
    bool leavesRestarts = false, isDriven = false;
    Error startError;            // of the nodes it waits for
    bool killedForLoss = false;  // the request to kill is of giveUp()
    bool rowMissing = false;     // the index has lost the run; its folder may still exist
    std::string lastProblem;
    AlertWatch alerts;
    std::optional<Arrival> arrival;  // at the first poll
    std::vector<LaunchEvent> inbox;  // answers received while waiting for another one
    std::vector<RunEvent> out;

    [[nodiscard]] std::string launcherKind() const { return slurm ? "slurm" : nodes.empty() ? "local" : "ssh"; }
    void problem(const Error& error);
    void setStatus(RunStatus next, const std::string& why);
    [[nodiscard]] LaunchPlan programPlan(std::int64_t attemptNumber, std::int64_t now) const;
    [[nodiscard]] Issues programReadiness() const;
    [[nodiscard]] Result<LaunchPlan> trainerPlan(std::int64_t attemptNumber, bool resume, std::int64_t now) const;
    void takeConfig();
    void readLog(std::int64_t now);
    void pollAlerts(std::int64_t now);
    void audit(Json entry, std::int64_t now);
    void auditStart(const LaunchEvent& event, std::int64_t now);
    Result<void> begin(std::int64_t attemptNumber, bool resume, std::int64_t now);
    Result<void> beginAgain(std::int64_t now);
    [[nodiscard]] bool hasExited(const std::string& node) const;
    void followPlan(const LaunchPlan& plan, std::int64_t startedUnixMilliseconds);
    bool endsAsFailed(const Diagnosis& diagnosis, std::int64_t endedAt, std::int64_t now);
    void awaitRestart(const RunEnd& end, std::int64_t endedAt);
    void awaitNode(const Error& why, std::int64_t now);
    [[nodiscard]] bool isAwaited() const;
    void takeReachability();
    void await(RunChange change, std::int64_t dueUnixMilliseconds);
    void pollRestart(std::int64_t now);
    Result<void> chooseNodes(const std::vector<std::string>& excluded);
    void noteFewerRanks(RunEnd end);
    [[nodiscard]] std::int64_t checkpointInStream() const;
    void takeMetrics(const LaunchEvent& event);
    void takeNewAttempt(std::int64_t now);
    bool pollOnce(std::int64_t now);
    void advance(std::int64_t step, bool newRecords);
    void readStream();
    std::optional<LaunchEvent> answerTo(RequestId request, std::int64_t now);
    Result<void> ask(StopKind kind, std::int64_t now);
    void decide(std::int64_t now);
    void followAttempt(const LaunchPlan& plan, std::int64_t now);
    [[nodiscard]] Result<void> showWaiting();
    void conclude(AttemptOutcome outcome, std::int64_t now);
    void restoreRow(std::int64_t now);
    void observeElsewhere(std::int64_t now);
    [[nodiscard]] Result<void> checkSilentElsewhere() const;
    void askEvidence();
    bool takeEvidence(const LaunchEvent& event);
    void addStoredEvidence();
    void noteStragglers(std::int64_t now);
    void finish(const Diagnosis& diagnosis, std::int64_t endedAt, std::int64_t now);
    void finish(RunStatus end, std::int64_t code, const std::string& why, std::int64_t endedAt);
    [[nodiscard]] Diagnosis diagnosisOf(const char* problem) const;
    void finishLost(std::int64_t now, const char* problemCode);
    [[nodiscard]] std::optional<RunFigures> measured() const;
    [[nodiscard]] Issues readiness() const;
};

}  // namespace slipway
