// Results of a sweep: the trials with forecast and measurement side by side. The data of reports and `slipway --json`.
#pragma once

#include "core/spec/stored_config.h"
#include "core/store/run_store.h"
#include "core/sweep/trial.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

struct TrialResult {
    std::size_t index = 0;
    std::string name;
    std::vector<Setting> settings;
    TrialStatus status = TrialStatus::Planned;
    std::string reason;  ///< reason for skipping, failure or early end
    RunId run;           ///< empty when none was started
    RunConfig config;
    std::string forecastJson = "null";  ///< as forecast at launch; for a trial not started: as planned now
    RunFigures forecast;
    RunFigures measured;
    std::optional<double> seconds;  ///< from start to end, wall clock
    /// Of a run of another program, the fields that are known of it (StoredConfig::given); absent: all.
    std::optional<std::set<std::string, std::less<>>> given{};

    [[nodiscard]] StoredConfig stored() const { return {config, config, {}, given}; }
    [[nodiscard]] bool knows(std::string_view path) const { return !given || given->contains(path); }
    [[nodiscard]] std::optional<std::int64_t> knownSeqLen() const {
        return knows("train.seq_len") ? std::optional(config.train.seqLen) : std::nullopt;
    }
};

struct SweepResult {
    SweepId id;
    std::string name;
    std::string question;
    std::string hypothesis;
    std::string status;  ///< completed, failed; running or paused while trials are missing
    ClusterSpec cluster;
    std::int64_t createdUnixMilliseconds = 0;
    std::vector<TrialResult> trials;

    [[nodiscard]] std::size_t count(TrialStatus status) const;
    /// Every trial completed, was skipped for a reason or did not fit into memory.
    [[nodiscard]] bool succeeded() const;
};

/// Collects the result from the store. "sweep_missing", or "bad_sweep" when its document is no longer readable.
Result<SweepResult> loadSweepResult(RunStore& store, const SweepId& id);

/// The document of issue-level contracts: {"sweep_id", "status", "trials": [{"name", "status", "reason", "run_id", "config",
/// "forecast", "measured"}]}. Unknown values are null, never 0; non-finite numbers are strings (docs/run_folder.md).
Json toJson(const SweepResult& result);

/// The status word of a sweep whose trials are as given, when none is running: completed, failed, or paused.
std::string sweepStatusOf(const std::vector<TrialStatus>& trials);

/// The stored document of a sweep: the resolved file and the planned hardware.
std::string sweepDocument(const SweepFile& file, const ClusterSpec& cluster);

}  // namespace slipway
