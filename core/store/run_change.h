// Changes of a run that the store records: its creation, and the events of its life.
#pragma once

#include "core/spec/run_config.h"
#include "core/spec/stored_config.h"
#include "core/store/run_record.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

/// What changed in a run's life; absent members stay as they are.
struct RunChange {
    std::optional<RunStatus> status;
    std::optional<std::string> reason;
    std::optional<int> exitCode;
    std::optional<std::int64_t> attempts;
    std::optional<std::int64_t> startedUnixMilliseconds;
    std::optional<std::int64_t> endedUnixMilliseconds;
    std::optional<RunFigures> measured;
    bool clearEnd = false;  ///< a new attempt: forget the end, the exit code and the reason
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
    /// Further files of its folder, by name: what the first attempt needs to know, whoever starts it.
    std::vector<std::pair<std::string, std::string>> documents{};
    std::string stream{};         ///< metrics.jsonl of a run that another program made; empty: none yet
    bool isStreamStaged = false;  ///< RunStore::stageStream wrote it before, for it is long
    RunChange life{};             ///< what is known of its life from the start, for such a run
    /// Fields or sections of the config that its source gives, for such a run; nothing: all are known.
    std::optional<std::vector<std::string>> given{};

    [[nodiscard]] StoredConfig storedConfig() const;
};

}  // namespace slipway
