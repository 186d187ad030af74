// This computer as a cluster of one node. Its peak, its memory's bandwidth, the link between its ranks and a step of one process are
// measured once by `slipway-trainer bench` and stored in home/machine.json; without a peak, MFU and forecast times stay unknown. That
// step, and each finished run of the bundled trainer, narrow the trainer's stack for this computer, which is stored there too.
#pragma once

#include "core/launch/programs.h"
#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// A finished run of the bundled trainer on this computer, or a step of its bench.
struct OwnRun {
    RunConfig config;
    double stepSeconds = 0;
};

struct MachineProfile {
    std::string cpu;
    std::int64_t cpus = 1;     ///< CPUs at measurement: a different number makes the profile stale
    std::int64_t threads = 1;  ///< threads of the products
    double memoryBytes = 0;
    std::optional<double> peakFp64Flops, peakFp32Flops, peakBf16Flops;
    std::optional<LinkSpec> link;                ///< between two ranks of this computer, Gloo over loopback
    std::optional<double> memoryBytesPerSecond;  ///< of copies, by all threads
    std::int64_t measuredUnixMilliseconds = 0;
    std::vector<OwnRun> runs;            ///< the newest of each config
    std::optional<SoftwareStack> stack;  ///< of the bundled trainer, narrowed by these runs
};

/// The stored profile; empty when there is none, or it belongs to a different CPU or number of CPUs.
std::optional<MachineProfile> machineProfile(const Home& home);

/// Runs the measurement and stores it. Blocks for seconds to a minute: never call it from the window's thread.
/// "program_missing", "program_failed", "program_slow", "bad_profile".
Result<MachineProfile> measureMachine(const Home& home, const Programs& programs, std::int64_t nowUnixMilliseconds);

/// The stored profile, else a new measurement.
Result<MachineProfile> ensureMachineProfile(const Home& home, const Programs& programs,
                                            std::int64_t nowUnixMilliseconds);

/// A note on peaks measured alongside other work, which are too low; empty when there was little of it.
/// @param load running processes before the measurement, as in getloadavg
Message busyText(double load, std::int64_t cpus);

/// Reads the output of `slipway-trainer bench --json`: {"threads": n, "peak_flops": {"fp32": x, ...}, "link": {"latency_seconds": x,
/// "bytes_per_second": x}, "memory": {"bytes_per_second": x}}; link and memory may be missing. "bad_profile" without any peak.
Result<MachineProfile> profileFromBench(const std::string& json);

/// Narrows the bundled trainer's stack for this computer by a finished run and stores it; nothing without a stored profile, or beside
/// other programs. Takes a tenth of a second.
/// @param load running processes at the end of the run, as in getloadavg; its own ranks are among them
Result<void> learnFromRun(const Home& home, const RunConfig& config, double stepSeconds, double load);

/// This computer with the peaks of the profile, if there is one, and the bundled trainer's stack for it. Never blocks.
ClusterSpec thisMachine(const Home& home);

}  // namespace slipway
