// Recorded changes of a run: its creation, and the events of its lifecycle.
#pragma once

#include "core/spec/run_config.h"
#include "core/spec/stored_config.h"
#include "core/store/run_record.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

/// A change in a run's lifecycle; absent members stay unchanged.
struct RunChange {
    std::optional<RunStatus> status;
    std::optional<std::string> reason;
    std::optional<int> exitCode;
    std::optional<std::int64_t> attempts;
    std::optional<std::int64_t> startedUnixMilliseconds;
    std::optional<std::int64_t> endedUnixMilliseconds;
    std::optional<RunFigures> measured;
    bool clearEnd = false;  ///< a new attempt: clear the end, the exit code and the reason
};

struct NewRun {
    RunId id;
    RunConfig config;
    std::string name;  ///< empty: the config's
    std::optional<ClusterSpec> cluster;
    std::string forecastJson;  ///< forecastJson(plan) as text; empty: none
    std::vector<std::string> tags;
    SweepId sweep;
    std::optional<std::int64_t> trial;
    /// Further files of its folder, by name: inputs of the first attempt, for any starter.
    std::vector<std::pair<std::string, std::string>> documents{};
    std::string stream{};         ///< metrics.jsonl of a run made by another program; empty: none yet
    bool isStreamStaged = false;  ///< RunStore::stageStream wrote it in advance, because it is long
    RunChange life{};             ///< initial lifecycle state of such a run
    /// Fields or sections of the config in its source, for such a run; absent: all are known.
    std::optional<std::vector<std::string>> given{};

    [[nodiscard]] StoredConfig storedConfig() const;
};

}  // namespace slipway
