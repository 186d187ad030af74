// Command line of `slipway-trainer --config F --run-dir D`.
#pragma once

#include "core/base/result.h"
#include "core/spec/train_spec.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway::trainer {

enum class Backend { ByDevice, Gloo, Nccl, InProcess };
std::string wordOf(Backend backend);
/// The requested one; by default NCCL on GPUs and Gloo on CPUs. Never ByDevice.
Backend backendFor(Backend asked, DeviceKind device);

struct TrainOptions {
    std::filesystem::path config;
    std::filesystem::path runDir;
    std::filesystem::path
        home;  ///< empty: SLIPWAY_HOME, else the folder above runs/ when the run folder is in one, else the user's
    std::string resume;  ///< empty, "latest", or a checkpoint folder
    Backend backend = Backend::ByDevice;
    bool stopOnNonFinite =
        false;  ///< exit code 13 at the first non-finite loss or gradient norm; else an event line, no update, and continue
    double hangSeconds = 60;  ///< least stall that counts as a hang
    /// Maximum wait of a rank at the start for the next one to join: a rank that ended before joining, visible through
    /// neither message nor socket, then ends the others. Launchers start all at once; manual starts may need more.
    std::int64_t joinSeconds = 30;
};

/// "usage" with one sentence for an unknown option, a missing value or a missing --config / --run-dir.
Result<TrainOptions> parseTrainOptions(const std::vector<std::string>& arguments);

/// The output of --help.
std::string trainerHelp();

}  // namespace slipway::trainer
