// What the agent of a node reports about it; it comes from another computer, so the readers accept fields of any type
// (readHello() and readFacts() of node_check.h, readHealth() of core/launch/preflight.h).
#pragma once

#include "core/remote/gpu_state.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// Facts about a node after its check; fields omitted by the agent are empty.
struct NodeFacts {
    std::string home, host, bootId, version, trainer, trainerVersion, cpu;
    std::int64_t cpus = 0;
    double freeDiskBytes = 0, memoryBytes = 0;
    std::vector<std::string> gpus;
    struct Interface {
        std::string name, address;
        bool loopback = false;
    };
    std::vector<Interface> interfaces;
};

/// The agent's report on the state of a node, in addition to NodeFacts; omitted values are empty.
struct NodeHealth {
    std::optional<double> freeInodes, sharedMemoryBytes, openFiles, availableMemoryBytes, memoryLimitBytes;
    std::optional<double> diskBytesPerSecond, load, clockOffsetSeconds;
    std::string governor, diskProblem;
    std::vector<GpuState> gpus;
};

/// Findings of a preflight, reused by the next trials on the node over the same connection (NodeLink::look).
struct NodeLook {
    NodeFacts facts;
    NodeHealth health;
    bool hasGpuStates = false;
    double atSeconds = 0;  ///< by the clock of poll()
};

}  // namespace slipway
