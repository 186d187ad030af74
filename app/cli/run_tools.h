// Steps shared by several commands: reading a config, measuring this computer, following a run to its end.
#pragma once

#include "app/cli/command.h"
#include "core/report/words.h"
#include "core/run/machine.h"
#include "core/run/run_session.h"
#include "core/spec/run_config.h"
#include "core/sweep/trial.h"

#include <string>
#include <vector>

namespace slipway {

/// Values of --cluster, in every command that has it; its default follows.
constexpr SourceText kClusterHelp =
    "Hardware: a JSON file, a device of the library (slipway devices; H100, \"A100 80\") with as many nodes as the layout needs, nodes:A,B as `slipway nodes bench` measured them, or here: this computer; default: %1"_text;
constexpr SourceText kDefaultHere = "here"_text;
constexpr SourceText kDefaultOfConfig = "here, or H100s for what trains on GPUs"_text;

/// Hardware for configs that train on GPUs without naming any.
constexpr const char* kUsualDevice = "NVIDIA H100 SXM 80 GB";

/// Values of RUN, in every command that has one.
constexpr SourceText kRunHelp = "Id of a run, or its beginning, or a name: the newest run that has it"_text;

/// Sets fields "parallel.tp=2" in a config document. "usage" without '=', "unknown_field", "bad_value".
Result<void> applySettings(Json& document, const std::vector<std::string>& settings);

/// Reads a config file, applies --set, checks it strictly; one Error lists all problems.
/// @param name the run's name, overriding the file's
Result<RunConfig> loadConfig(const std::string& path, const std::vector<std::string>& settings,
                             const std::optional<std::string>& name = {});

/// This computer's profile, measured if missing or with `again`; the wait, and other load during it, are reported on err.
Result<MachineProfile> knownMachine(CliContext& context, bool again = false);

/// "a,b" as a and b.
std::vector<std::string> namesIn(const std::string& list);

/// Hardware to plan for: the file or preset of --cluster; "here" or none is this computer, measured once and cached. A
/// computer that cannot be measured (no trainer) is reported on err and planned with unknown peaks. A device of the
/// library has as many nodes as `numDevices` need; a file's cluster and this computer stay unchanged.
Result<ClusterSpec> clusterFor(CliContext& context, const std::string& cluster, std::int64_t numDevices = 1);

/// As clusterFor, for a config that is only planned here: where it trains on GPUs without named hardware, kUsualDevice,
/// with a note. "usage" for a config that trains on TPUs without named hardware.
Result<ClusterSpec> clusterOf(CliContext& context, const std::string& cluster, const RunConfig& config,
                              std::int64_t numDevices);

/// The value of --cluster for a forecast on these nodes: "nodes:a,b" where `slipway nodes bench` has measured them;
/// else empty, with a note on how to measure them. "unknown_node".
Result<std::string> clusterOfNodes(CliContext& context, const std::vector<std::string>& nodes);

/// A device of the library, by its name or a short one, with the nodes for `numDevices`; "usage" with the matching or
/// similar ones.
Result<ClusterSpec> libraryCluster(const std::string& name, std::int64_t numDevices,
                                   std::optional<DeviceKind> kind = {});

/// True if --cluster names one device of the library, as opposed to a file.
bool namesLibraryDevice(const std::string& cluster);

/// "Did you mean NVIDIA H100 SXM 80 GB or NVIDIA H100 PCIe 80 GB?", else all devices of that kind (of any).
Message devicesLike(const std::string& name, std::optional<DeviceKind> kind = {});

/// "program_missing" where slipway-trainer is not next to slipway.
Result<void> requireTrainer(const CliContext& context);

/// Follows a started run with a progress line until it is done. First Ctrl-C: checkpoint and stop after the current
/// step; second: leave it running. @return the exit code of slipway
int followRun(CliContext& context, RunSession& session);

/// Polls at least once, until the nodes of the run have answered or are unreachable, at most a minute.
void hearNodes(CliContext& context, RunSession& session);

/// Place of a run's start; both empty: here.
struct StartPlace {
    std::vector<std::string> nodes;  ///< names of nodes, over SSH
    std::optional<SlurmOptions> slurm;
    std::string restart = "off";  ///< of kRestartWords (restart.h)
};

/// Starts a `slipway logs -f` in its own session for a run with automatic restarts: it ends with the run. "program_missing".
Result<void> followDetached(const CliContext& context, const RunId& run);

/// Creates, checks and starts a run, and follows it unless `detach`. Prints the outcome.
Result<int> startRun(CliContext& context, const RunConfig& config, const std::string& clusterFile,
                     const std::vector<std::string>& tags, bool detach, const StartPlace& place = {});

/// The same for a program of the user's. @return its own exit code where it failed
Result<int> startProgram(CliContext& context, const ProgramRequest& request, bool detach);

/// The runs of these ids or names, in their order. "run_missing".
Result<std::vector<RunId>> findRuns(RunStore& store, const std::vector<std::string>& names);

/// The conjunction of filters; empty ones are ignored.
std::string allOf(const std::vector<std::string>& filters);

/// One redrawn line on a terminal, no output elsewhere.
void progressLine(CliContext& context, const Message& text);
/// Ends a redrawn line, so that other text can follow.
void endProgressLine(CliContext& context);

/// Phase of a corpus build: "tokenizer" from buildCorpus(), in words.
Message phaseText(std::string_view phase);

/// "about 3 min left".
Message timeLeftText(double seconds);

/// "completed", or "failed: " and the reason.
Message statusText(const CliContext& context, RunStatus status, const std::string& reason);

/// "2026-11-21 13:05" in local time; "-" for absent times.
std::string timeText(std::optional<std::int64_t> unixMilliseconds);

}  // namespace slipway
