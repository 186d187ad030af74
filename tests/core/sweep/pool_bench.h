// Sweeps on nodes behind a fake ssh.
#pragma once

#include "core/remote/node_record.h"
#include "tests/core/sweep/sweep_bench.h"
#include "tests/support/fake_nodes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace slipway::test {

struct Pool {
    FakeNodes nodes;
    Bench bench;
    std::int64_t later = 0;  // pauses are skipped, not waited for

    explicit Pool(const std::vector<std::string>& names, std::int64_t numSlots = 0) {
        for (const std::string& name : names) {
            NodeRecord node;
            node.name = node.host = name;
            node.trainer = bench.at.programs.trainer.string();
            node.numSlots = numSlots;
            if (!writeNode(bench.at.home, node, false)) qFatal("no node");
        }
        bench.at.programs.trainer.clear();
    }
    Result<SweepRunner> open(const SweepFile& file, const std::vector<std::string>& on, std::int64_t jobs = 1,
                             const ClusterSpec& cluster = {}) {
        return SweepRunner::open(*bench.store, bench.at.home, bench.at.programs, file, cluster,
                                 {jobs, false, "test", {}, {}, on}, unixMillisecondsNow());
    }
    /// Ticks until all are done. The most trials that were seen on one node at the same time come back.
    std::map<std::string, int> drive(
        const std::vector<SweepRunner*>& runners, double seconds = 120,
        const std::function<bool()>& until = [] { return false; }) {
        std::map<std::string, int> most;
        isDone = waitUntil(seconds, [&] {
            bool isAllDone = true;
            for (SweepRunner* runner : runners) {
                const auto events = runner->tick(unixMillisecondsNow() + later);
                if (!events) qWarning("%s", events.error().text().c_str());
                for (const SweepEvent& event : events.value_or(std::vector<SweepEvent>{}))
                    if (event.kind == SweepEvent::Kind::Problem) problems += event.text + "\n";
                isAllDone = isAllDone && runner->done();
            }
            std::map<std::string, int> number;
            for (const auto& entry : std::filesystem::directory_iterator(nodes.temp.path()))
                number[entry.path().filename().string()] =
                    static_cast<int>(running(entry.path().filename().string()).size());
            for (const auto& [node, count] : number) most[node] = std::max(most[node], count);
            return isAllDone || until();
        });
        return most;
    }
    /// Runs on a node whose ranks run now.
    [[nodiscard]] std::set<std::string> running(const std::string& node) const {
        std::set<std::string> ids;
        std::error_code code;
        for (const auto& run :
             std::filesystem::directory_iterator(nodes.home(node) / ".local/share/slipway-node/runs", code)) {
            const auto agent = run.path() / "agent" / node;
            if (std::filesystem::exists(agent / "id.json", code) && !std::filesystem::exists(agent / "exit.json", code))
                ids.insert(run.path().filename().string());
        }
        return ids;
    }
    bool isDone = false;
    std::string problems;
};

inline SweepFile sixTrials() {
    return sweepOf({"a [ms=15]", "b [ms=15]", "c [ms=15]", "d [ms=15]", "e [ms=15]", "f [ms=15]"});
}

inline bool isAll(const Statuses& statuses, const std::string& word) {
    return std::ranges::all_of(statuses, [&](const auto& each) { return each.second == word; });
}

}  // namespace slipway::test
