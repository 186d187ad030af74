#include "app/agent/begin_job.h"

#include "app/agent/agent.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/process/file_lock.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr double kHandoverSeconds = 60;

Result<void> claim(const fs::path& path) {
    std::error_code code;
    if (fs::create_directory(path, code)) return {};
    if (code) return fail("folder_unwritable", "The attempt cannot be claimed: " + code.message() + ".", path.string());
    return fail("already_started", "This start of the job has been made before."_text, path.string());
}

/// After a failure of the controller Slurm may start a job again that it had not yet seen end.
bool isCompleted(const RunDir& folder, const LaunchPlan& plan) {
    return std::ranges::all_of(plan.nodes, [&](const NodePlan& node) {
        const auto text = readFile(folder.agentFolder(node.node) / "exit.json");
        const auto exit = text ? parseAgentExit(*text, "exit.json") : Result<AgentExit>(fail(text.error()));
        return exit && exit->attempt == plan.attempt && exit->reason == "completed";
    });
}

/// Changes the plan to the next attempt of the same ranks, from the newest checkpoint.
void makeNext(LaunchPlan& plan) {
    ++plan.attempt;
    plan.createdUnixMilliseconds = unixMillisecondsNow();
    for (NodePlan& node : plan.nodes)
        for (RankCommand& rank : node.ranks) {
            if (std::find(rank.arguments.begin(), rank.arguments.end(), "--resume") == rank.arguments.end())
                rank.arguments.insert(rank.arguments.end(), {"--resume", "latest"});
            for (std::string& entry : rank.environment)
                if (entry.starts_with("SLIPWAY_ATTEMPT=")) entry = "SLIPWAY_ATTEMPT=" + std::to_string(plan.attempt);
        }
}

/// Agents of the previous attempt end once they see this one's claim; so do agents on a node that Slurm has lost.
Result<void> awaitFormer(const RunDir& folder, const LaunchPlan& plan) {
    const double patience = monotonicSecondsNow() + kHandoverSeconds;
    for (const NodePlan& node : plan.nodes) {
        const fs::path lockFile = folder.agentFolder(node.node) / "lock";
        std::error_code code;
        if (!fs::exists(lockFile, code)) continue;
        for (;;) {
            const auto lock = FileLock::tryLock(lockFile);
            if (lock) break;
            if (lock.error().code != "locked") return fail(lock.error());
            if (monotonicSecondsNow() > patience)
                return fail("still_running", "The agent of the former attempt still runs for " + node.node + ".",
                            lockFile.string());
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }
    return {};
}

}  // namespace

Result<JobStart> parseJobStart(const std::string& text) {
    JobStart start;
    const char* end = text.data() + text.size();
    const auto attempt = std::from_chars(text.data(), end, start.attempt);
    const bool hasDot = attempt.ec == std::errc{} && attempt.ptr != end && *attempt.ptr == '.';
    const auto restarts = hasDot ? std::from_chars(attempt.ptr + 1, end, start.restarts) : attempt;
    if (!hasDot || restarts.ec != std::errc{} || restarts.ptr != end || start.attempt < 1 || start.restarts < 0)
        return fail("bad_usage", "--begin-job needs ATTEMPT.RESTARTS.");
    return start;
}

Result<std::int64_t> beginJob(const RunDir& folder, const JobStart& start) {
    const fs::path control = folder.stopFile().parent_path();
    if (auto made = makeFolders(control); !made) return fail(made.error());
    const auto text = readFile(folder.launch());
    if (!text) return fail(text.error());
    auto plan = parseLaunchPlan(*text, folder.launch().string());
    if (!plan) return fail(plan.error());
    if (plan->attempt < start.attempt || (start.restarts == 0 && plan->attempt != start.attempt))
        return fail("wrong_attempt",
                    "The run is at attempt " + std::to_string(plan->attempt) + ", and this job is of attempt " +
                        std::to_string(start.attempt) + ".",
                    folder.launch().string());
    const std::string name = std::to_string(start.attempt) + "_" + std::to_string(start.restarts);
    if (auto made = claim(control / ("start_" + name)); !made) return fail(made.error());
    std::error_code code;
    const bool isOwn = readFile(folder.stopFile()).value_or("").starts_with("time limit");  // written by the script
    if (isOwn) fs::remove(folder.stopFile(), code);
    if (fs::exists(folder.stopFile(), code) || fs::exists(folder.killFile(), code))
        return fail("stop_requested", "A stop was requested before this start of the job."_text, folder.path.string());
    if (start.restarts == 0) return plan->attempt;
    if (isCompleted(folder, *plan))
        return fail("already_started", "The run has been completed by an earlier start of the job."_text,
                    folder.path.string());
    makeNext(*plan);
    if (auto made = claim(control / attemptFolder(plan->attempt)); !made) return fail(made.error());
    if (auto ended = awaitFormer(folder, *plan); !ended) return fail(ended.error());
    if (auto written = writeJsonFile(folder.launch(), toJson(*plan)); !written) return fail(written.error());
    return plan->attempt;
}

}  // namespace slipway
