// A home, a store and sweeps of the fake trainer for the flow tests of sweeps.
#pragma once

#include "core/base/file.h"
#include "core/sweep/sweep_result.h"
#include "core/sweep/sweep_runner.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slipway::test {

/// A sweep whose trials are named by scripts of the fake trainer.
inline SweepFile sweepOf(const std::vector<std::string>& names, const std::string& stop = "{}") {
    Json file{{"schema", 1},
              {"name", "flow"},
              {"base", toJson(tinyConfig("", 10))},
              {"points", Json::array()},
              {"stop", Json::parse(stop)}};
    std::int64_t seed = 1;
    for (const std::string& name : names) file["points"].push_back({{"name", name}, {"train.seed", seed++}});
    Issues issues;
    SweepFile out = sweepFileFromJson(file, issues);
    if (!issues.empty()) qFatal("%s: %s", issues[0].field.c_str(), issues[0].message.c_str());
    return out;
}

/// The same with more members: "search", "stop"; trials of `steps` steps.
inline SweepFile searchOf(const std::vector<std::string>& names, std::int64_t steps, const std::string& members) {
    Json file{{"schema", 1}, {"name", "search"}, {"base", toJson(tinyConfig("", steps))}, {"points", Json::array()}};
    std::int64_t seed = 1;
    for (const std::string& name : names) file["points"].push_back({{"name", name}, {"train.seed", seed++}});
    file.update(Json::parse(members));
    Issues issues;
    SweepFile out = sweepFileFromJson(file, issues);
    if (!issues.empty()) qFatal("%s: %s", issues[0].field.c_str(), issues[0].message.c_str());
    return out;
}

struct Bench {
    RunHome at;
    std::optional<RunStore> store;

    Bench() {
        auto opened = RunStore::open(at.home, OpenMode::ReadWrite);
        if (!opened) qFatal("%s", opened.error().text().c_str());
        store.emplace(std::move(*opened));
    }
    Result<SweepRunner> open(const SweepFile& file, std::int64_t jobs = 1, bool again = false,
                             const std::vector<std::string>& retry = {}) {
        return SweepRunner::open(*store, at.home, at.programs, file, ClusterSpec{}, {jobs, again, "test", retry},
                                 unixMillisecondsNow());
    }
    /// From now on the trial's run does nothing wrong.
    void mend(const TrialResult& trial) const {
        const auto control = at.home.run(trial.run)->path / "control";
        std::filesystem::create_directories(control);
        (void)writeFileAtomically(control / "mended", "");
    }
    /// Ticks until done, or until `until` says so.
    static bool drive(
        SweepRunner& runner, const std::function<bool()>& until = [] { return false; }) {
        return waitUntil(60, [&] {
            const auto events = runner.tick(unixMillisecondsNow());
            if (!events) qWarning("%s", events.error().text().c_str());
            return runner.done() || until();
        });
    }
    std::map<std::string, std::string> statuses(const SweepId& id) {
        std::map<std::string, std::string> out;
        const auto result = loadSweepResult(*store, id);
        if (!result) qFatal("%s", result.error().text().c_str());
        for (const TrialResult& trial : result->trials) out[trial.name] = wordOf(trial.status);
        return out;
    }
    std::int64_t numRuns() {
        const auto count = store->count({});
        return count ? count->total : -1;
    }
};

using Statuses = std::map<std::string, std::string>;

}  // namespace slipway::test
