#include "app/cli/rehearsed_kill.h"

#include "core/base/file.h"
#include "core/process/proc_facts.h"
#include "core/spec/agent_files.h"

#include <algorithm>
#include <csignal>

namespace slipway {

void RehearsedKill::tick(const SweepRunner& runner, std::int64_t nowUnixMilliseconds) {
    if (!m_experiment.kill) return;
    for (const SweepProgress::Running& running : runner.progress(nowUnixMilliseconds).running) {
        const std::vector<std::string>& points = m_experiment.kill->points;
        const std::string point = pointOf(runner.trials()[running.trial].name);
        const bool isMeant = std::find(points.begin(), points.end(), point) != points.end();
        if (!isMeant || running.step < m_experiment.kill->step || m_killed.count(running.trial) > 0) continue;
        const auto result = loadSweepResult(m_store, runner.id());
        if (result && killRanks(result->trials[running.trial].run)) m_killed.insert(running.trial);
    }
}

bool RehearsedKill::killRanks(const RunId& run) const {
    const auto dir = m_home.run(run);
    if (!dir) return false;
    bool any = false;
    std::error_code code;
    for (const auto& node : std::filesystem::directory_iterator(dir->path / "agent", code)) {
        const auto text = readFile(node.path() / "heartbeat.json");
        const auto heartbeat = text ? parseAgentHeartbeat(*text, node.path().string()) : fail(text.error());
        if (!heartbeat) continue;
        for (const RankState& rank : heartbeat->ranks)
            if (rank.state == "running" && rank.pid > 1 && processStartTicks(rank.pid) == rank.startTicks)
                any = ::kill(static_cast<pid_t>(rank.pid), SIGKILL) == 0 || any;
    }
    return any;
}

Result<void> RehearsedKill::addAttempts(const SweepResult& result, Measurements& measurements) const {
    if (!m_experiment.kill) return {};
    for (const TrialResult& trial : result.trials) {
        if (trial.status != TrialStatus::Completed) continue;
        const auto attempts = m_store.attempts(trial.run);
        if (!attempts) return fail(attempts.error());
        measurements.measured["attempts"][pointOf(trial.name)].push_back(static_cast<double>(attempts->size()));
    }
    return {};
}

}  // namespace slipway
