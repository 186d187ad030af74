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
/// The requested one; without a request NCCL on GPUs and Gloo on CPUs. Never ByDevice.
Backend backendFor(Backend asked, DeviceKind device);

struct TrainOptions {
    std::filesystem::path config;
    std::filesystem::path runDir;
    std::filesystem::path
        home;  ///< empty: SLIPWAY_HOME, else the folder above runs/ when the run folder is in one, else the user's
    std::string resume;  ///< empty, "latest", or a checkpoint folder
    Backend backend = Backend::ByDevice;
    bool stopOnNonFinite =
        false;  ///< exit code 13 at the first loss or gradient norm that is not finite; else an event line, no update, and on
    double hangSeconds = 60;  ///< least stall that counts as a hang
    /// How long a rank waits at the start for the next of the others: one that ended before it joined, which no word and no
    /// socket shows, ends the others then. Launchers start all at once; who starts ranks by hand may want more.
    std::int64_t joinSeconds = 30;
};

/// "usage" with one sentence for an unknown option, a missing value or a missing --config / --run-dir.
Result<TrainOptions> parseTrainOptions(const std::vector<std::string>& arguments);

/// What --help prints.
std::string trainerHelp();

}  // namespace slipway::trainer
