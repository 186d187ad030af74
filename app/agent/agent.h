// Agent: starts the ranks of one node for one attempt and watches them to their end. It writes id.json, heartbeat.json,
// exit.json and the logs; ranks die with it. One thread, no network: others read the files.
#pragma once

#include "app/agent/progress_watch.h"
#include "app/agent/verdict.h"
#include "core/process/file_lock.h"
#include "core/process/process.h"
#include "core/spec/agent_files.h"
#include "core/spec/log_times.h"
#include "core/spec/run_dir.h"

#include <functional>
#include <string>
#include <vector>

namespace slipway {

/// "attempt_0002": folder of an attempt's files after its end, and, after "claim_", its claim.
std::string attemptFolder(std::int64_t attempt);

class Agent {
public:
    /// Reads launch.json and claims the attempt: "already_started" when it has been claimed before, "locked" while the
    /// agent of an earlier attempt is alive, "bad_node" when the plan does not include the node.
    static Result<Agent> prepare(const RunDir& folder, const std::string& node);
    /// Sets the rendezvous of all nodes' ranks, instead of the plan's.
    void meetAt(const std::string& address, std::int64_t port);

    /// Starts the ranks and writes id.json. On an error no rank remains, and exit.json has the reason.
    Result<void> start();
    /// Watches until no rank remains and exit.json is written. Returns its code.
    int watch();

    [[nodiscard]] const LaunchPlan& plan() const { return m_plan; }

private:
    struct Rank {
        RankCommand command;
        RankState state;
        Process process;
        LogTimesWriter logTimes;
    };

    Result<void> startRanks();
    void endFormerProcesses() const;
    void makeRoom();
    void waitForNews(double seconds);
    void reap();
    void noteLogTimes(bool isLast);
    void readControl();
    void decide(double now);
    void killRanks(EndCause cause, const std::string& note);
    [[nodiscard]] bool isSuperseded() const;
    void endRanks(EndCause cause, double now, double graceSeconds, const std::string& note);
    void heartbeat(double now);
    [[nodiscard]] bool anyRunning() const;
    [[nodiscard]] std::uint64_t metricBytes() const;
    [[nodiscard]] std::uint64_t bytesWritten() const;
    [[nodiscard]] VerdictInput evidence() const;
    [[nodiscard]] bool portWasTaken() const;
    void sweepLeftovers() const;
    void writeSystemNotes() const;
    int writeExit(AgentExit exit);

    RunDir m_folder;
    std::string m_node;
    LaunchPlan m_plan;
    NodePlan m_nodePlan;
    FileLock m_lock;
    std::vector<Rank> m_ranks;
    std::int64_t m_port = 0;
    std::int64_t m_startedUnixMilliseconds = 0;
    double m_startedMonotonicSeconds = 0;
    std::int64_t m_oomKillsAtStart = 0;
    std::uint64_t m_metricBytesAtStart = 0;
    ProgressWatch m_watch{0};
    EndCause m_cause = EndCause::None;
    std::string m_hangDetail;
    std::string m_note;
    std::int64_t m_counter = 0;
    double m_nextHeartbeat = 0;
    int m_signals = -1;
    int m_numTermSignals = 0;
    double m_termSeconds = 0;  // of the newest that counts
};

}  // namespace slipway
