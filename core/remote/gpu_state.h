// nvidia-smi's report on the GPUs of a node, passed on by the agent: text of another computer, with any field possibly missing.
//   for (const GpuState& gpu : gpuStatesIn(frame.data)) ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// For --query-gpu, in the order of gpuStatesIn().
inline constexpr std::string_view kGpuStateFields =
    "index,driver_version,memory.used,memory.total,mig.mode.current,ecc.errors.uncorrected.volatile.total,"
    "clocks_throttle_reasons.active";

struct GpuState {
    std::int64_t index = 0;
    std::string driver;
    std::optional<double> usedBytes, totalBytes;
    bool isPartitioned = false;  ///< MIG is on
    std::int64_t eccErrors = 0;  ///< uncorrected, since the driver was loaded
    bool isSlowed = false;       ///< by heat or power: hardware slowdown, thermal slowdown, power brake
};

/// Lines that do not describe a GPU are skipped; at most 64.
std::vector<GpuState> gpuStatesIn(std::string_view printed);

}  // namespace slipway
