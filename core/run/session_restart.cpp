// Between two attempts: a run with automatic restarts waits as "queued"; a follower starts the next attempt when due.
#include "core/base/file.h"
#include "core/base/own_file.h"
#include "core/launch/lost_attempts.h"
#include "core/planner/plan.h"
#include "core/process/file_lock.h"
#include "core/remote/node_record.h"
#include "core/run/restart.h"
#include "core/run/run_files.h"
#include "core/run/session_impl.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <system_error>

namespace slipway {
namespace {

constexpr std::int64_t kAgainMilliseconds = 2000;       // while parts of the previous attempt may be alive
constexpr std::int64_t kLongestMilliseconds = 600'000;  // then no restart is tried

/// Whether the cause may pass with time.
bool mayPass(const std::string& code) {
    constexpr std::string_view kPassing[] = {"nodes_unheard", "still_running", "store_busy", "disk_full", "not_ready"};
    return std::ranges::find(kPassing, code) != std::end(kPassing);
}

/// GPUs of a node at the start of the newest attempt; 0: unknown.
std::int64_t gpusSeen(const RunDir& folder, const std::string& node) {
    const auto json = readOwnJson(folder.path / "preflight.json");
    if (!json || !json->is_object() || !json->contains("nodes") || !(*json)["nodes"].is_array()) return 0;
    for (const Json& each : (*json)["nodes"])
        if (each.is_object() && each.contains("node") && each["node"] == node && each.contains("gpus"))
            return static_cast<std::int64_t>(each["gpus"].size());
    return 0;
}

std::filesystem::path waitingMark(const RunDir& folder) {
    return folder.stopFile().parent_path() / "waiting";
}

}  // namespace

/// The newest checkpoint recorded in the stream: checkpoints of nodes are not in the folder here.
std::int64_t RunSession::Impl::checkpointInStream() const {
    std::int64_t newest = -1;
    if (nodes.empty()) return newest;
    if (const auto events = store->events(id))
        for (const EventRecord& event : *events)
            if (event.name == "checkpoint") newest = std::max(newest, event.step);
    return newest;
}

void RunSession::Impl::await(RunChange change, std::int64_t due) {
    change.status = RunStatus::Queued;
    change.measured = measured();
    if (const auto stored = store->updateRun(id, change); !stored)
        return problem(stored.error());  // retried at the next poll
    restartAt = due;
    phase = Phase::Waiting;
    setStatus(RunStatus::Queued, *change.reason);
}

void RunSession::Impl::awaitRestart(const RunEnd& end, std::int64_t endedAt) {
    RunChange change;
    change.reason = textOf(sentence(end.diagnosis)) + " " + textOf(sentence(end.decision));
    change.exitCode = static_cast<int>(end.diagnosis.code);
    change.endedUnixMilliseconds = endedAt;
    startError = {};
    noteStragglers(endedAt);
    await(std::move(change), end.restartUnixMilliseconds);
    if (phase == Phase::Waiting) out.push_back({RunEvent::Kind::Event, status, lastStep, "restart", reason});
}

/// Its nodes, or Slurm, could not start it, which is not a failure of the run.
void RunSession::Impl::awaitNode(const Error& why, std::int64_t now) {
    RunChange change;
    change.reason =
        textOf((slurm ? "Waiting for its next job. %1"_text : "Waiting for a node. %1"_text)(why.sentence()));
    startError = why;
    // Otherwise other followers would treat the run as not started.
    const auto mark = waitingMark(folder);
    if (makeFolders(mark.parent_path())) (void)writeFileAtomically(mark, std::to_string(attempt));
    await(std::move(change), now);
}

std::vector<std::string> RunSession::silentNodes(std::int64_t since) const {
    const bool isFollowed = m_impl->phase == Impl::Phase::Following && !m_impl->nodes.empty();
    return isFollowed ? m_impl->follower.silentNodes(since) : std::vector<std::string>();
}

Result<void> RunSession::giveUp(const std::vector<std::string>& lost, std::int64_t now) {
    Impl& impl = *m_impl;
    for (const std::string& node : lost) {
        const LostAttempt what{impl.attempt, node, impl.follower.silentUnixMilliseconds(node), now, 0};
        if (auto recorded = giveUpAttempt(impl.home, impl.folder, impl.id.value, what); !recorded) return recorded;
        impl.audit(Json{{"action", "give_up"}, {"run", impl.id.value}, {"attempt", impl.attempt}, {"node", node}}, now);
        impl.follower.giveUp(node);
    }
    std::error_code code;
    const bool isWhole = std::ranges::all_of(impl.follower.handle().nodes,
                                             [&](const std::string& node) { return impl.follower.isGivenUp(node); });
    if (isWhole || std::filesystem::exists(impl.folder.killFile(), code)) return {};
    impl.killedForLoss = true;
    return impl.ask(StopKind::Kill, now);
}

/// Another program, which drives the run, waits for a node for this attempt.
bool RunSession::Impl::isAwaited() const {
    return readFile(waitingMark(folder)).value_or("") == std::to_string(attempt);
}

/// Assigns the ranks to the ordered nodes except excluded ones, as at the first start.
Result<void> RunSession::Impl::chooseNodes(const std::vector<std::string>& excluded) {
    if (nodes.empty() || excluded.empty()) return {};
    std::vector<NodeRecord> records;
    for (const std::string& name : restartOrder(folder).nodes) {
        if (std::ranges::find(excluded, name) != excluded.end()) continue;
        auto record = findNode(home, name);
        if (!record) return fail(record.error());
        records.push_back(std::move(*record));
    }
    if (records.empty()) return fail("too_few_slots", "All nodes of the run are excluded."_text, id.value);
    for (NodeRecord& record : records)
        if (record.numSlots == 0 && config.train.device == DeviceKind::Gpu)
            record.numSlots = gpusSeen(folder, record.name);
    auto shares = shareFewerRanks(config, records, [&](const RunConfig& fewer) {
        const double room = cluster.device.memoryBytes;
        return !(room > 0 && makePlan(fewer, cluster).memoryPeakBytes > room);
    });
    if (!shares) return fail(shares.error());
    nodes = std::move(*shares);
    return {};
}

/// The decision to continue with fewer ranks is stored with the end that caused it.
void RunSession::Impl::noteFewerRanks(RunEnd end) {
    const std::int64_t ranks = numRanksOn(nodes);
    if (ranks == 0 || ranks >= config.parallel.worldSize() || end.numRanks == ranks) return;
    end.numRanks = ranks;
    if (const auto written = replaceEnd(folder, end); !written) problem(written.error());
    out.push_back({RunEvent::Kind::Event, status, lastStep, "fewer_ranks", textOf(fewerRanksText(ranks))});
}

void RunSession::Impl::pollRestart(std::int64_t now) {
    std::error_code code;
    const auto ends = [&](RunStatus end, std::int64_t exitCode, const std::string& why) {
        finish(end, exitCode, why, now);
    };
    const auto newest = readEnd(folder, attempt);
    const std::string cause = newest ? textOf(sentence(newest->diagnosis)) : reason;
    const auto record = store->run(id);
    if (!record) return problem(record.error());
    // A person, or another program that follows the run, was faster.
    if (isFinal(record->status)) {
        phase = Phase::Done;
        return setStatus(record->status, record->reason);
    }
    if (record->attempts > attempt) {
        const auto files = readRunFiles(folder);
        if (!files || !files->plan || files->plan->attempt <= attempt) return;  // still being written
        nodes = files->nodes;
        followPlan(*files->plan, now);
        phase = Phase::Following;
        return setStatus(record->status, record->reason);
    }
    if (std::filesystem::exists(folder.stopFile(), code) || std::filesystem::exists(folder.killFile(), code))
        return ends(RunStatus::Cancelled, static_cast<int>(TrainerExit::Stopped),
                    cause + " " + textOf("Stopped before its restart."_text));
    // The driver of a sweep restarts its trials; other programs that follow them wait as well.
    const bool isOwn = restartOrder(folder).isAutomatic() || (newest && newest->diagnosis.fault == "port_in_use");
    if (leavesRestarts || isDriven || !isOwn || now < restartAt) return;
    const auto control = folder.stopFile().parent_path();
    if (!makeFolders(control)) return;
    const auto lock = FileLock::tryLock(control / "restarting");
    if (!lock) return;  // another program restarts it
    auto begun = chooseNodes(newest ? newest->decision.excluded : std::vector<std::string>());
    if (begun) begun = beginAgain(now);
    if (begun) {
        if (newest) noteFewerRanks(*newest);
        return;
    }
    if (mayPass(begun.error().code) && newest && now - newest->restartUnixMilliseconds < kLongestMilliseconds) {
        restartAt = now + (begun.error().code == "nodes_unheard" ? 0 : kAgainMilliseconds);
        return;
    }
    ends(RunStatus::Failed, newest ? newest->diagnosis.code : 0,
         cause + " " + textOf("It could not be restarted: %1"_text(begun.error().sentence())));
}

}  // namespace slipway
