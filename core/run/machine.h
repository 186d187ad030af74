// This computer as a cluster of one node. Its peak and the link between its ranks are measured once by
// `slipway-trainer bench` and kept in home/machine.json; without a peak MFU and the forecast of times stay unknown.
#pragma once

#include "core/launch/programs.h"
#include "core/spec/cluster_spec.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <optional>
#include <string>

namespace slipway {

struct MachineProfile {
    std::string cpu;
    std::int64_t cpus = 1;     ///< CPUs when it was measured: another number makes the profile stale
    std::int64_t threads = 1;  ///< threads the products ran on
    double memoryBytes = 0;
    std::optional<double> peakFp64Flops, peakFp32Flops, peakBf16Flops;
    std::optional<LinkSpec> link;  ///< between two ranks of this computer, Gloo over loopback
    std::int64_t measuredUnixMilliseconds = 0;
};

/// The stored profile; empty when there is none, or it is of another CPU or number of CPUs.
std::optional<MachineProfile> machineProfile(const Home& home);

/// Runs the measurement and stores it. Takes seconds to a minute and waits for it: not for the window's thread.
/// "program_missing", "program_failed", "program_slow", "bad_profile".
Result<MachineProfile> measureMachine(const Home& home, const Programs& programs, std::int64_t nowUnixMilliseconds);

/// The stored profile, else a new measurement.
Result<MachineProfile> ensureMachineProfile(const Home& home, const Programs& programs,
                                            std::int64_t nowUnixMilliseconds);

/// What to know of peaks measured beside other work, which come out too low; empty when there was little of it.
/// @param load processes that ran before the measurement, as getloadavg counts them
Message busyText(double load, std::int64_t cpus);

/// Reads what `slipway-trainer bench --json` prints: {"threads": n, "peak_flops": {"fp32": x, ...}, "link":
/// {"latency_seconds": x, "bytes_per_second": x}}; the link may be missing. "bad_profile" without any peak.
Result<MachineProfile> profileFromBench(const std::string& json);

/// This computer with the peaks of the profile, if there is one. Never blocks.
ClusterSpec thisMachine(const Home& home);

}  // namespace slipway
