#include "core/process/kernel_log.h"

#include "core/base/file.h"
#include "core/base/file_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <deque>
#include <filesystem>

namespace slipway {
namespace {

constexpr std::size_t kLineBytes = 400;
constexpr int kMostRecords = 100000;  // the kernel's buffer holds fewer; a flood is truncated

bool tells(std::string_view text) {
    constexpr std::array<std::string_view, 12> words = {
        "NVRM",          "Xid",       "fallen off the bus",    "ut of memory",
        "oom",           "I/O error", "not responding",        "Remounting filesystem",
        "EXT4-fs error", "XFS",       "blocked for more than", "Hardware Error"};
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace

std::optional<KernelLine> kernelLineOf(std::string_view record) {
    const std::size_t semicolon = record.find(';');
    if (semicolon == std::string_view::npos) return {};
    std::string_view head = record.substr(0, semicolon);
    for (int field = 0; field < 2; ++field) {
        const std::size_t comma = head.find(',');
        if (comma == std::string_view::npos) return {};
        head.remove_prefix(comma + 1);
    }
    std::int64_t microseconds = 0;
    const auto [end, error] = std::from_chars(head.data(), head.data() + head.size(), microseconds);
    if (error != std::errc{} || microseconds < 0) return {};
    const std::string_view text = record.substr(semicolon + 1);
    return KernelLine{static_cast<double>(microseconds) * 1e-6, std::string(text.substr(0, text.find('\n')))};
}

Result<std::vector<std::string>> kernelLines(double sinceMonotonicSeconds, std::size_t most) {
    const FileDescriptor file(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (file.number < 0)
        return fail("file_unreadable", "The kernel's log cannot be read: %1."_text(std::string(std::strerror(errno))),
                    "/dev/kmsg");
    std::deque<std::string> lines;
    std::array<char, 8192> record{};
    for (int i = 0; i < kMostRecords; ++i) {
        const ssize_t size = ::read(file.number, record.data(), record.size());
        if (size < 0 && (errno == EPIPE || errno == EINTR)) continue;  // overwritten since: the next one follows
        if (size <= 0) break;
        auto line = kernelLineOf({record.data(), static_cast<std::size_t>(size)});
        if (!line || line->monotonicSeconds < sinceMonotonicSeconds || !tells(line->text)) continue;
        lines.push_back(line->text.substr(0, kLineBytes));
        if (lines.size() > most) lines.pop_front();
    }
    return std::vector<std::string>(lines.begin(), lines.end());
}

std::int64_t oomKillsIn(std::string_view memoryEvents) {
    constexpr std::string_view kName = "oom_kill ";
    for (std::size_t at = 0; at < memoryEvents.size();) {
        const std::size_t end = std::min(memoryEvents.find('\n', at), memoryEvents.size());
        const std::string_view line = memoryEvents.substr(at, end - at);
        at = end + 1;
        if (!line.starts_with(kName)) continue;
        std::int64_t number = 0;
        std::from_chars(line.data() + kName.size(), line.data() + line.size(), number);
        return number;
    }
    return 0;
}

std::filesystem::path oomFile(std::string_view cgroups) {
    const std::filesystem::path root = "/sys/fs/cgroup";
    std::filesystem::path unified;
    for (std::size_t at = 0; at < cgroups.size();) {
        const std::size_t end = std::min(cgroups.find('\n', at), cgroups.size());
        const std::string_view line = cgroups.substr(at, end - at);  // "9:memory:/path", in version 2 "0::/path"
        at = end + 1;
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string_view::npos ? first : line.find(":/", first + 1);
        if (second == std::string_view::npos) continue;
        const std::string_view controllers = line.substr(first + 1, second - first - 1);
        const std::string group(line.substr(second + 2));
        if (controllers == "memory") return root / "memory" / group / "memory.oom_control";
        if (controllers.empty()) unified = root / group / "memory.events";
    }
    return unified;
}

std::int64_t oomKills() {
    const auto groups = readFile("/proc/self/cgroup");
    const auto events = readFile(oomFile(groups.value_or("")));
    return events ? oomKillsIn(*events) : 0;
}

}  // namespace slipway
