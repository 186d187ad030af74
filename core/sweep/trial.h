// A trial: one point of a sweep with its config and outcome.
#pragma once

#include "core/base/ids.h"
#include "core/spec/run_config.h"
#include "core/sweep/sweep_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// The states of a run that a sweep distinguishes; Skipped: never started, for a stated reason; Infeasible: ran out of
/// memory.
enum class TrialStatus { Planned, Running, Completed, Failed, Cancelled, Lost, Skipped, Infeasible };
std::string wordOf(TrialStatus status);
std::optional<TrialStatus> trialStatusFrom(const std::string& word);

/// Completed, Failed, Skipped and Infeasible are settled; the others remain for the sweep to do.
bool isSettled(TrialStatus status);

struct Trial {
    std::size_t index = 0;
    std::string name;
    std::vector<Setting> settings;  ///< this point's settings in the file, in the file's order
    RunConfig config;
    Issues leftOut;  ///< warnings: options of the point without effect under its others; not in `config`
    std::string forecastJson = "null";  ///< forecastJson() of its plan
    std::string skipReason;             ///< reason why it cannot run; empty when it can
};

/// All trials of the file, in its order: the product of the axes with the last axis fastest, then the points. Pure: the
/// same file gives the same trials. A point whose config contradicts itself is returned with its skipReason.
std::vector<Trial> expandSweep(const SweepFile& file);

/// Plans every trial without a skipReason and sets skipReason where it cannot run: the config is invalid, the bundled
/// trainer cannot execute it, it does not fit the cluster, or an earlier trial is the same training.
void planTrials(std::vector<Trial>& trials, const ClusterSpec& cluster);

/// Identity of a sweep by its training: all trials with their configs, the corpus, the stop rules and the trainer's
/// version. Question and hypothesis are excluded: rewording them must not repeat any training.
std::string sweepIdentity(const SweepFile& file, const std::vector<Trial>& trials, const std::string& trainerVersion);

/// The file with all defaults written out; the contents of sweep.json.
Json toJson(const SweepFile& file);

}  // namespace slipway
