// Total cost of a run: time with failures, device-hours, money, energy, carbon. Unknown stays unknown.
//   RunCost cost = runCost({.busySeconds = 2.3e6, .devices = 256, .pricePerHour = 1.99});
#pragma once

#include "core/base/field_table.h"

#include <optional>
#include <string>

namespace slipway {

struct CostQuestion {
    double busySeconds = 0;  ///< of training steps, without failures and checkpoints
    double devices = 1;
    double devicesPerNode = 8;
    std::optional<double> pricePerHour = {};  ///< of one device
    std::optional<double> powerWatts = {};    ///< of one device
    double powerUsageEffectiveness = 1;       ///< power of the site over power of its devices
    std::optional<double> gramsPerKwh = {};   ///< CO2 equivalent of the site's electricity
    std::optional<double> nodeMtbfSeconds = {};
    double checkpointSeconds = 0;  ///< stall of training
    double restartSeconds = 0;     ///< from a failure to the first step: detect, restart, load
    std::optional<double> checkpointEverySeconds = {};
};

struct RunCost {
    double busySeconds = 0;
    double wallSeconds = 0;  ///< busySeconds over ettr
    double deviceHours = 0;  ///< paid, including time lost to failures
    std::optional<double> money, energyKwh, carbonKg;
    std::optional<double> mtbfSeconds;  ///< of the whole cluster
    std::optional<double> failures;     ///< expected over wallSeconds
    std::optional<double> bestIntervalSeconds, intervalSeconds;
    double ettr = 1;  ///< effective training time ratio: busySeconds over wallSeconds
};

/// Failures at random, independent of each other and of the step (exponential): between two of them training stalls for
/// checkpoints, and each failure costs half an interval plus the restart (Young 1974; Kokolis 2024, arXiv 2410.21680,
/// sec. 4). The interval is the given one, else the best: sqrt(2 checkpointSeconds mtbf).
RunCost runCost(const CostQuestion& question);

/// Mean time between failures of one node in published runs.
struct PublishedReliability {
    const char* name;
    double nodeMtbfSeconds;
    const char* source;
};
/// Llama 3 405B: 419 unexpected interruptions in 54 days on 16,384 GPUs, 2,048 nodes. Others where a source has both figures.
const PublishedReliability& llama3Reliability();

}  // namespace slipway
