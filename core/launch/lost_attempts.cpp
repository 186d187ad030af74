#include "core/launch/lost_attempts.h"

#include "core/base/error_of.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/own_file.h"
#include "core/remote/agent_presence.h"
#include "core/remote/node_record.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kLookMilliseconds = 5000;

struct LostFile {
    std::vector<LostAttempt> attempts;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("attempts"), s.attempts);
    }
};

struct Mark {
    std::int64_t attempt = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("attempt"), s.attempt);
    }
};

fs::path lostFile(const RunDir& folder) {
    return folder.path / "lost.json";
}

fs::path marksOf(const Home& home, const std::string& node) {
    return home.path / "lost" / node;
}

bool isSame(const LostAttempt& a, const LostAttempt& b) {
    return a.attempt == b.attempt && a.node == b.node;
}

Result<void> store(const RunDir& folder, std::vector<LostAttempt> attempts) {
    return writeJsonFile(lostFile(folder), fields::toJson(LostFile{std::move(attempts)}));
}

/// An agent has answered that no process of the attempt can be alive.
bool isOver(const Frame& frame) {
    const Json& header = *frame.header;
    const bool isWord = header.contains("presence") && header["presence"].is_string();
    const auto presence = agentPresenceFrom(isWord ? header["presence"].get<std::string>() : std::string());
    return presence == AgentPresence::Gone || presence == AgentPresence::NotStarted;
}

}  // namespace

std::vector<LostAttempt> lostAttempts(const RunDir& folder) {
    const auto json = readOwnJson(lostFile(folder));
    if (!json) return {};
    Issues issues;
    LostFile file = fields::fromJson<LostFile>(*json, issues);
    return hasErrors(issues) ? std::vector<LostAttempt>() : std::move(file.attempts);
}

Result<void> giveUpAttempt(const Home& home, const RunDir& folder, const std::string& run, const LostAttempt& lost) {
    std::vector<LostAttempt> attempts = lostAttempts(folder);
    const auto known = std::ranges::find_if(attempts, [&](const LostAttempt& each) { return isSame(each, lost); });
    if (known == attempts.end()) {
        attempts.push_back(lost);
        if (auto stored = store(folder, std::move(attempts)); !stored) return stored;
    } else if (known->stoppedUnixMilliseconds != 0) {
        return {};
    }
    const fs::path marks = marksOf(home, lost.node);
    if (auto made = makeFolders(marks); !made) return made;
    return writeJsonFile(marks / run, fields::toJson(Mark{lost.attempt}));
}

std::vector<std::string> lostRunsOn(const Home& home, const std::string& node) {
    std::vector<std::string> runs;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(marksOf(home, node), code))
        runs.push_back(entry.path().filename().string());
    std::ranges::sort(runs);
    return runs;
}

std::optional<Error> lostRanksOn(const Home& home, const std::string& node) {
    const std::vector<std::string> runs = lostRunsOn(home, node);
    if (runs.empty()) return {};
    return errorOf(
        "lost_ranks",
        "%1 was given up while ranks of run %2 were on it, and they may still train there; `slipway nodes check %1` stops them once it answers."_text(
            node, runs.front()),
        node);
}

Message lostRanksStoppedText(std::int64_t attempt, const std::string& node) {
    return "The ranks of attempt %1 on %2 were stopped when it returned; what they wrote after the loss does not count."_text(
        attempt, node);
}

std::string supersedingFile(std::int64_t attempt) {
    const std::string number = std::to_string(attempt);
    return "control/attempt_" + std::string(number.size() < 4 ? 4 - number.size() : 0, '0') + number;
}

void LostRanks::look(const std::vector<std::string>& nodes) {
    for (const std::string& node : nodes) {
        std::error_code code;
        for (const auto& entry : fs::directory_iterator(marksOf(m_home, node), code)) {
            const std::string run = entry.path().filename().string();
            const auto json = readOwnJson(entry.path());
            const auto record = findNode(m_home, node);
            if (!json || !record || m_tasks.contains({node, run})) continue;
            Issues issues;
            const std::int64_t attempt = fields::fromJson<Mark>(*json, issues).attempt;
            if (attempt <= 0) continue;
            auto task = std::make_unique<Task>();
            task->what = {run, node, attempt};
            task->link = m_links->link(*record);
            const std::string there = record->home;
            task->errands.add(simpleErrand(
                Json{{"do", "write"}, {"home", there}, {"run", run}, {"path", supersedingFile(attempt + 1)}}));
            Errand status = simpleErrand(
                Json{{"do", "status"}, {"home", there}, {"run", run}, {"node", node}, {"attempt", attempt}});
            status.take = [](const Frame& frame, const Error* error) -> Result<bool> {
                if (error != nullptr) return fail(*error);
                return isOver(frame);
            };
            task->errands.add(std::move(status));
            task->errands.add(simpleErrand(
                Json{{"do", "set_aside"}, {"home", there}, {"run", run}, {"node", node}, {"attempt", attempt}}));
            m_tasks[{node, run}] = std::move(task);
        }
    }
}

Result<void> LostRanks::finish(const Task& task, std::int64_t now) const {
    if (const auto folder = m_home.run(RunId(task.what.run))) {
        std::vector<LostAttempt> attempts = lostAttempts(*folder);
        for (LostAttempt& each : attempts)
            if (each.attempt == task.what.attempt && each.node == task.what.node) each.stoppedUnixMilliseconds = now;
        if (!attempts.empty())
            if (auto stored = store(*folder, std::move(attempts)); !stored) return stored;
    }
    std::error_code code;
    fs::remove(marksOf(m_home, task.what.node) / task.what.run, code);
    return {};
}

std::vector<LostRanks::Stopped> LostRanks::poll(const std::vector<std::string>& nodes, std::int64_t now) {
    if (now >= m_nextLook) {
        m_nextLook = now + kLookMilliseconds;
        look(nodes);
    }
    std::vector<Stopped> stopped;
    for (auto it = m_tasks.begin(); it != m_tasks.end();) {
        Task& task = *it->second;
        const double seconds = static_cast<double>(now) / 1000;
        for (const LinkAnswer& answer : task.link->poll(seconds)) task.errands.take(answer);
        task.errands.poll(*task.link, seconds);
        const bool isDone = task.errands.done() && !task.errands.error();
        if (isDone && finish(task, now)) stopped.push_back(task.what);
        it = task.errands.done() ? m_tasks.erase(it) : std::next(it);  // what failed is tried again at the next look
    }
    return stopped;
}

}  // namespace slipway
