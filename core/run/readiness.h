// Can this run start here and now? All obstacles, each with its remedy.
#pragma once

#include "core/launch/computer.h"
#include "core/launch/programs.h"
#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"
#include "core/spec/run_dir.h"

namespace slipway {

/// Facts about the computer; separate from the check so that the check is pure.
struct ReadinessFacts {
    ComputerFacts computer;
    std::optional<double> freeDiskBytes;  ///< of the run folder
    std::int64_t numGpus = 0;
    Programs programs;
    std::string ownVersion, agentVersion, trainerVersion;  ///< empty: could not be read
    bool tokenFileExists = false;
    std::string tokenFileProblem;  ///< reason why it is unreadable; empty: it is readable
    std::int64_t tokenVocabSize = 0;
    std::int64_t numTokens = 0;
};

/// Gathers programs, versions (read once, then cached in home/programs.json), data, memory, disk.
ReadinessFacts gatherReadiness(const RunConfig& config, const Home& home, const Programs& programs);

/// The config's own errors, then what is missing here. @param memoryPeakBytes forecast tensors of the worst rank; NaN when unknown;
/// @param onNodes it starts on other computers: trainer, memory and disk there are checked once they answer
Issues checkReadiness(const RunConfig& config, const ReadinessFacts& facts, double memoryPeakBytes,
                      bool onNodes = false);

}  // namespace slipway
