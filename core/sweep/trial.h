// A trial: one point of a sweep with its config, and what became of it.
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

/// Completed, Failed, Skipped and Infeasible are settled; the others are what a sweep still has to do.
bool isSettled(TrialStatus status);

struct Trial {
    std::size_t index = 0;
    std::string name;
    std::vector<Setting> settings;  ///< what the file gives this point, in the file's order
    RunConfig config;
    Issues leftOut;  ///< warnings: options of the point without effect beside its others; not in `config`
    std::string forecastJson = "null";  ///< forecastJson() of its plan
    std::string skipReason;             ///< why it cannot run; empty when it can
};

/// All trials of the file, in its order: the product of the axes with the last axis fastest, then the points. Pure: the
/// same file gives the same trials. A point whose config contradicts itself is returned with its skipReason.
std::vector<Trial> expandSweep(const SweepFile& file);

/// Plans every trial that has no skipReason yet and sets skipReason where it cannot run: the config is wrong, the bundled
/// trainer cannot execute it, it does not fit the cluster, or an earlier trial is the same training.
void planTrials(std::vector<Trial>& trials, const ClusterSpec& cluster);

/// Names a sweep by what it trains: all trials with their configs, the corpus, the stop rules and the trainer's version.
/// Question and hypothesis are left out: to reword them must not train anything again.
std::string sweepIdentity(const SweepFile& file, const std::vector<Trial>& trials, const std::string& trainerVersion);

/// The file with every default written out; what sweep.json keeps.
Json toJson(const SweepFile& file);

}  // namespace slipway
