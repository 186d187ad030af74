// The data and the measurements of `slipway bench store`: many runs in a scratch home, and the queries of the window.
#pragma once

#include "app/cli/command.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct StoreBenchRequest {
    std::filesystem::path folder;  ///< contains the home and the tables; existing ones are measured again
    std::int64_t numRuns = 0;
    std::int64_t numPoints = 0;  ///< of each run's loss
};

/// One figure, and its bound.
struct StoreFigure {
    std::string key;  ///< as in --json
    Message title;
    double value = 0;
    std::string unit;                    ///< "s", "bytes", "points/s", "fraction"
    double wanted = 0;                   ///< bound at 100,000 runs x 1,000 points; 0: none
    std::optional<double> cpuSeconds{};  ///< of a time: this program's CPU time during it
    std::optional<double> naive{};       ///< of a table with one row per point, scaled to as many
};

/// Creates missing data, and measures. Errors of the store; "cancelled" after Ctrl-C.
Result<std::vector<StoreFigure>> benchStore(CliContext& context, const StoreBenchRequest& request);

}  // namespace slipway
