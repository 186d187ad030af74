// Facts about this computer for planning and readiness.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace slipway {

struct ComputerFacts {
    std::string host;
    std::string cpu;                             ///< "AMD EPYC 7B13"; empty when unknown
    int cpus = 1;                                ///< CPUs this process may use
    std::optional<double> memoryBytes;           ///< in all
    std::optional<double> availableMemoryBytes;  ///< now
};
ComputerFacts thisComputer();

/// Free bytes at a path (of its nearest existing parent); empty when unknown.
std::optional<double> freeDiskBytes(const std::filesystem::path& path);

}  // namespace slipway
