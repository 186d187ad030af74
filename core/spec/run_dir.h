// The run folder: locations of all files of a run (docs/run_folder.md). Paths are made from checked ids only.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace slipway {

/// Exit codes of the trainer (ARCHITECTURE.md, Contracts).
enum class TrainerExit : int {
    Completed = 0,
    BadConfig = 10,
    OutOfMemory = 11,
    CommunicationFailure = 12,
    NonFinite = 13,
    Stopped = 14,
    DiskFull = 15
};

enum class RunStatus { Planned, Queued, Running, Completed, Failed, Cancelled, Lost };
/// "planned", "queued", ... as in JSON, filters and the database.
std::string wordOf(RunStatus status);
std::optional<RunStatus> runStatusFrom(const std::string& word);
/// Completed, Failed, Cancelled and Lost: final unless a new attempt starts.
bool isFinal(RunStatus status);

struct RunDir {
    std::filesystem::path path;

    [[nodiscard]] std::filesystem::path config() const { return path / "config.json"; }
    [[nodiscard]] std::filesystem::path plan() const { return path / "plan.json"; }
    [[nodiscard]] std::filesystem::path launch() const { return path / "launch.json"; }
    [[nodiscard]] std::filesystem::path meta() const { return path / "meta.json"; }
    [[nodiscard]] std::filesystem::path program() const { return path / "program.json"; }
    [[nodiscard]] std::filesystem::path environment() const { return path / "environment.json"; }
    [[nodiscard]] std::filesystem::path metrics() const { return path / "metrics.jsonl"; }
    [[nodiscard]] std::filesystem::path rankStream(std::int64_t rank) const;  ///< ranks/rank_00012.jsonl
    [[nodiscard]] std::filesystem::path rankLog(std::int64_t rank) const;     ///< logs/rank_00012.log
    [[nodiscard]] std::filesystem::path agentFolder(const std::string& node) const { return path / "agent" / node; }
    [[nodiscard]] std::filesystem::path rankError(const std::string& node,
                                                  std::int64_t rank) const;  ///< agent/<node>/error_00012.json
    [[nodiscard]] std::filesystem::path checkpoints() const { return path / "checkpoints"; }
    [[nodiscard]] std::filesystem::path checkpoint(std::int64_t step) const;  ///< checkpoints/step_00001000
    [[nodiscard]] std::filesystem::path stopFile() const { return path / "control" / "stop"; }
    [[nodiscard]] std::filesystem::path killFile() const {
        return path / "control" / "kill";
    }  ///< agents end the ranks immediately
};

/// The root folder of all data: `given` (--home), else SLIPWAY_HOME, else $XDG_DATA_HOME/slipway, else
/// ~/.local/share/slipway.
struct Home {
    std::filesystem::path path;

    static Home resolve(const std::string& given = {});
    [[nodiscard]] std::filesystem::path runs() const { return path / "runs"; }
    [[nodiscard]] std::filesystem::path sweeps() const { return path / "sweeps"; }
    [[nodiscard]] std::filesystem::path corpora() const { return path / "corpora"; }
    [[nodiscard]] std::filesystem::path index()
        const;  ///< index.sqlite here, or in the local cache when the home is on a network file system
    /// "bad_id" when the id is not safe as a file name.
    [[nodiscard]] Result<RunDir> run(const RunId& id) const;
    [[nodiscard]] Result<std::filesystem::path> sweep(const SweepId& id) const;
    /// A token file: absolute paths unchanged, others under corpora/.
    [[nodiscard]] std::filesystem::path tokenFile(const std::string& tokens) const;
};

}  // namespace slipway
