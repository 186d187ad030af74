// Files that agent, trainer and dashboard exchange: runs/<id>/launch.json and runs/<id>/agent/<node>/*.json. Each is
// replaced atomically. Readers ignore unknown keys, so that programs of different versions can still report it.
#pragma once

#include "core/base/field_table.h"
#include "core/base/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// error_00012.json: written by a failing rank before it exits. The earliest file of a run is the cause; a
/// communication failure never masks another.
struct RankError {
    std::int64_t rank = 0;
    std::string code;  ///< Error::code
    std::string message;
    std::string group;      ///< communication failures: "tp", "dp", ...
    std::string operation;  ///< "all_reduce", ...
    int exitCode = 0;
    std::int64_t timeUnixMilliseconds = 0;
};
Json toJson(const RankError& error);
Result<RankError> rankErrorFromJson(const Json& json, const std::string& where);

/// One rank's command. `environment` ("KEY=VALUE") is added to the agent's own; it never contains secrets.
struct RankCommand {
    std::int64_t rank = 0;
    std::int64_t localRank = 0;
    std::vector<std::string> arguments;
    std::vector<std::string> environment;
    std::string workingFolder;  ///< empty: the run folder

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("rank"), s.rank);
        v(field("local_rank"), s.localRank);
        v(field("arguments"), s.arguments);
        v(field("environment"), s.environment);
        v(field("working_folder"), s.workingFolder);
    }
};

struct NodePlan {
    std::string node;
    std::vector<RankCommand> ranks;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("node"), s.node);
        v(field("ranks"), s.ranks);
    }
};

/// launch.json: everything an agent needs to start one attempt. Rewritten for each attempt.
struct LaunchPlan {
    std::string runId;
    std::int64_t attempt = 1;
    std::string launcher = "local";
    std::string version;  ///< versionText() of its writer
    std::int64_t createdUnixMilliseconds = 0;
    std::string masterAddress = "127.0.0.1";
    std::int64_t masterPort = 0;  ///< 0: the agent finds a free one (one node only)
    double graceSeconds = 5;      ///< between SIGTERM and SIGKILL when a rank has failed
    double hangSeconds = 300;     ///< least time without progress that counts as a hang; 0: never
    std::vector<NodePlan> nodes;
    std::string job;  ///< id from a scheduler, if any
    bool isProgram =
        false;  ///< a program of the user's: its exit codes are its own, and it does not read control/stop itself

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("run_id"), s.runId);
        v(field("attempt"), s.attempt);
        v(field("launcher"), s.launcher);
        v(field("slipway_version"), s.version);
        v(field("created_unix_ms"), s.createdUnixMilliseconds);
        v(field("master_address"), s.masterAddress);
        v(field("master_port"), s.masterPort);
        v(field("grace_seconds"), s.graceSeconds);
        v(field("hang_seconds"), s.hangSeconds);
        v(field("nodes"), s.nodes);
        v(field("job"), s.job);
        v(field("program"), s.isProgram);
    }
};

/// One rank as seen by the agent.
struct RankState {
    std::int64_t rank = 0;
    std::int64_t pid = 0;
    std::int64_t startTicks = 0;    ///< of the process, against pid reuse
    std::string state = "running";  ///< running, stopping, exited
    std::optional<std::int64_t> exitCode;
    std::optional<std::int64_t> signal;
    std::int64_t endedUnixMilliseconds = 0;
    bool endedByAgent = false;  ///< it was stopped because another had failed, or on request

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("rank"), s.rank);
        v(field("pid"), s.pid);
        v(field("start_ticks"), s.startTicks);
        v(field("state"), s.state);
        v(field("exit_code"), s.exitCode);
        v(field("signal"), s.signal);
        v(field("ended_unix_ms"), s.endedUnixMilliseconds);
        v(field("ended_by_agent"), s.endedByAgent);
    }
};

/// id.json: the agent of this attempt on this node. Written once the ranks run.
struct AgentId {
    std::string runId;
    std::int64_t attempt = 1;
    std::string node;
    std::string host;
    std::string bootId;
    std::string pidNamespace;  ///< "pid:[4026531836]": with host and boot, it identifies the /proc of the process
    std::int64_t pid = 0;
    std::int64_t startTicks = 0;
    std::string version;
    std::string versionNote;  ///< one sentence when the programs' versions differ; else empty
    std::int64_t masterPort = 0;
    std::int64_t startedUnixMilliseconds = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("run_id"), s.runId);
        v(field("attempt"), s.attempt);
        v(field("node"), s.node);
        v(field("host"), s.host);
        v(field("boot_id"), s.bootId);
        v(field("pid_namespace"), s.pidNamespace);
        v(field("pid"), s.pid);
        v(field("start_ticks"), s.startTicks);
        v(field("slipway_version"), s.version);
        v(field("version_note"), s.versionNote);
        v(field("master_port"), s.masterPort);
        v(field("started_unix_ms"), s.startedUnixMilliseconds);
    }
};

/// heartbeat.json: replaced about once per second while the agent is alive.
struct AgentHeartbeat {
    std::int64_t attempt = 1;
    std::string node;
    std::int64_t counter = 0;
    double bootSeconds = 0;  ///< seconds since the node started: the basis of ages, since wall clocks may jump
    std::int64_t timeUnixMilliseconds = 0;
    std::vector<RankState> ranks;
    std::string note;  ///< current activity: "", "ending: rank 1 failed", "the disk is full"

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("attempt"), s.attempt);
        v(field("node"), s.node);
        v(field("counter"), s.counter);
        v(field("boot_seconds"), s.bootSeconds);
        v(field("time_unix_ms"), s.timeUnixMilliseconds);
        v(field("ranks"), s.ranks);
        v(field("note"), s.note);
    }
};

/// exit.json: written once per attempt, when no rank remains. `code` is the trainer's exit code (TrainerExit), or 128 +
/// signal when the first failing rank was killed.
struct AgentExit {
    std::string runId;
    std::int64_t attempt = 1;
    std::string node;
    std::int64_t code = 0;
    std::optional<std::int64_t> firstFailedRank;
    std::string reason;  ///< completed, stopped, killed, rank_failed, rank_killed, hang, start_failed, disk_full
    std::string detail;  ///< one sentence
    std::int64_t startedUnixMilliseconds = 0;
    std::int64_t endedUnixMilliseconds = 0;
    std::vector<RankState> ranks;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("run_id"), s.runId);
        v(field("attempt"), s.attempt);
        v(field("node"), s.node);
        v(field("code"), s.code);
        v(field("first_failed_rank"), s.firstFailedRank);
        v(field("reason"), s.reason);
        v(field("detail"), s.detail);
        v(field("started_unix_ms"), s.startedUnixMilliseconds);
        v(field("ended_unix_ms"), s.endedUnixMilliseconds);
        v(field("ranks"), s.ranks);
    }
};

Json toJson(const LaunchPlan& plan);
Json toJson(const AgentId& id);
Json toJson(const AgentHeartbeat& heartbeat);
Json toJson(const AgentExit& exit);

/// Readers of text, because it may come from another node. "bad_agent_file" names the first invalid key.
Result<LaunchPlan> parseLaunchPlan(std::string_view text, const std::string& where);
Result<AgentId> parseAgentId(std::string_view text, const std::string& where);
Result<AgentHeartbeat> parseAgentHeartbeat(std::string_view text, const std::string& where);
Result<AgentExit> parseAgentExit(std::string_view text, const std::string& where);
Result<RankError> parseRankError(std::string_view text, const std::string& where);

}  // namespace slipway
