// The training loop of one rank: batch, pipeline, reduce, clip, optimizer, metrics, stop?,
// checkpoint?
#pragma once

#include "core/spec/run_config.h"
#include "core/spec/run_dir.h"
#include "trainer/comm/mesh.h"
#include "trainer/comm/rendezvous.h"
#include "trainer/loop/options.h"
#include "trainer/telemetry/device_sampler.h"
#include "trainer/telemetry/watchdog.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>

namespace slipway::trainer {

/// Inputs of one rank.
struct RankSetup {
    const TrainOptions& options;
    const RunConfig& config;
    RunDir dir;
    std::filesystem::path tokenFile;
    RankEnvironment environment;
    GroupMaker maker;  ///< null in a world of one
    std::shared_ptr<CommActivity> activity;
    Rendezvous* rendezvous = nullptr;
    std::function<void(const RankError&)> onHang;
    const std::atomic<bool>& stopRequested;  ///< set by SIGTERM
    /// Telemetry of the rank's GPU; a null reader without one. Empty: through the driver's management library.
    std::function<Result<DeviceReader>()> openDevice = {};
    std::function<void()> beforeGroups = {};  ///< called once data and device are sound, before the first group is made
    Issues leftOut = {};                      ///< of a stored config (core/spec/stored_config.h); reported at the start
};

/// Trains to the end, to a stop request or to a failure that all ranks agree on, and returns the outcome; an Error for
/// problems before the first step. Throws CommError, and libtorch's exceptions when out of memory.
Result<TrainerExit> trainRank(const RankSetup& setup);

}  // namespace slipway::trainer
