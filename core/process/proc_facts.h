// Facts about processes and this computer, from /proc. A process number alone proves nothing: numbers are reused, so
// identity is number + start time + boot.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// Unique identity of a process.
struct ProcessIdentity {
    std::int64_t pid = 0;
    std::int64_t startTicks = 0;  ///< field 22 of /proc/<pid>/stat
    std::string bootId;           ///< /proc/sys/kernel/random/boot_id
    bool operator==(const ProcessIdentity&) const = default;
};

/// Start time in clock ticks since boot; empty when there is no such process, or it is a zombie.
std::optional<std::int64_t> processStartTicks(std::int64_t pid);
/// The letter of its state (R, S, D, T, Z ...), 0 when there is none.
char processState(std::int64_t pid);
/// Changes with every boot of the computer.
std::string bootId();
ProcessIdentity identityOf(std::int64_t pid);
/// True only while exactly this process is running on this computer.
bool isAlive(const ProcessIdentity& identity);
/// A descriptor that becomes readable when exactly this process ends, for poll(2), which the caller closes; -1 when it
/// has ended, or on kernels without support (before 5.3).
int openProcess(const ProcessIdentity& identity);

/// Processes of this user whose environment contains all entries "KEY=VALUE": finds processes that left their session
/// and were adopted by init. Excludes the caller.
std::vector<std::int64_t> processesWithEnvironment(const std::vector<std::string>& entries);

std::string hostName();
/// Folder of the running program.
std::filesystem::path programFolder();
/// MemAvailable of /proc/meminfo, bytes; empty when unknown.
std::optional<double> availableMemoryBytes();
/// MemTotal, bytes.
std::optional<double> totalMemoryBytes();
/// CPUs this process may use.
int usableCpus();
/// "model name" of /proc/cpuinfo; empty when unknown.
std::string cpuName();

}  // namespace slipway
