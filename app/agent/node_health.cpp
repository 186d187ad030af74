#include "app/agent/node_health.h"

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/process/proc_facts.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kPieceBytes = 1U << 20;
constexpr int kPieces = 4;

std::string lineOf(const fs::path& path) {
    std::string text = readFile(path).value_or("");
    return text.substr(0, text.find('\n'));
}

Json numberOrNull(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end == text.c_str() || value < 0 ? Json(nullptr) : Json(value);
}

/// Limit of this process's control group, or of one above it; version 2, then 1.
Json memoryLimit() {
    const std::string groups = readFile("/proc/self/cgroup").value_or("");
    const std::size_t own = groups.find("0::");
    fs::path folder = "/sys/fs/cgroup";
    if (own != std::string::npos) folder += groups.substr(own + 3, groups.find('\n', own) - own - 3);
    for (; folder.string().starts_with("/sys/fs/cgroup"); folder = folder.parent_path()) {
        const std::string text = lineOf(folder / "memory.max");
        if (!text.empty() && text != "max") return numberOrNull(text);
    }
    const Json old = numberOrNull(lineOf("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
    constexpr double kUnlimited = 1e18;
    return old.is_number() && old.get<double>() < kUnlimited ? old : Json(nullptr);
}

struct Disk {
    std::optional<double> bytesPerSecond;
    std::string problem;
};

/// Writes a file, syncs it to the disk, and reads it back.
Disk tryDisk(const fs::path& home) {
    Disk disk;
    const fs::path path = home / (".health." + std::to_string(::getpid()));
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const auto failed = [&] { disk.problem = std::strerror(errno); };
    if (fd < 0) return failed(), disk;
    ::unlink(path.c_str());
    std::string piece(kPieceBytes, '\0'), again(kPieceBytes, '\0');
    for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<char>(i * 31 + i / 251);
    const double begun = monotonicSecondsNow();
    int written = 0;
    for (; disk.problem.empty() && written < kPieces; ++written)
        if (::pwrite(fd, piece.data(), piece.size(), written * static_cast<off_t>(kPieceBytes)) !=
            static_cast<ssize_t>(piece.size()))
            failed();
    if (disk.problem.empty() && ::fsync(fd) != 0) failed();
    const double seconds = std::max(1e-6, monotonicSecondsNow() - begun);
    if (disk.problem.empty()) disk.bytesPerSecond = static_cast<double>(kPieces) * kPieceBytes / seconds;
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    for (int i = 0; i < kPieces && disk.problem.empty(); ++i) {
        if (::pread(fd, again.data(), again.size(), i * static_cast<off_t>(kPieceBytes)) !=
            static_cast<ssize_t>(again.size()))
            failed();
        else if (again != piece)
            disk.problem = "other bytes are read than were written";
    }
    ::close(fd);
    return disk;
}

}  // namespace

Json nodeHealth(const fs::path& home) {
    struct statvfs room {};
    const bool hasInodes = ::statvfs(home.c_str(), &room) == 0 && room.f_files > 0;  // some file systems count none
    struct statvfs shared {};
    const bool hasShared = ::statvfs("/dev/shm", &shared) == 0;
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    double load = 0;
    const bool hasLoad = ::getloadavg(&load, 1) == 1;
    const std::string governor = lineOf("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    const auto available = availableMemoryBytes();
    const Disk disk = tryDisk(home);
    return Json{
        {"clock_unix_ms", unixMillisecondsNow()},
        {"free_inodes", hasInodes ? Json(static_cast<std::int64_t>(room.f_favail)) : Json(nullptr)},
        {"shm_bytes",
         hasShared ? Json(static_cast<double>(shared.f_blocks) * static_cast<double>(shared.f_frsize)) : Json(nullptr)},
        {"open_files", static_cast<double>(files.rlim_cur)},
        {"available_memory_bytes", available ? Json(*available) : Json(nullptr)},
        {"memory_limit_bytes", memoryLimit()},
        {"governor", governor.empty() ? Json(nullptr) : Json(governor)},
        {"load", hasLoad ? Json(load) : Json(nullptr)},
        {"disk_bytes_per_second", disk.bytesPerSecond ? Json(*disk.bytesPerSecond) : Json(nullptr)},
        {"disk_problem", disk.problem.empty() ? Json(nullptr) : Json(disk.problem)}};
}

}  // namespace slipway
