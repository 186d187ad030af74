#include "core/process/proc_facts.h"

#include "core/base/file.h"

#include <dirent.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

namespace slipway {
namespace {

// State letter and start time; the name in parentheses may contain spaces and parentheses, so count from the last one.
struct StatLine {
    char state = 0;
    std::int64_t startTicks = 0;
};

std::optional<StatLine> readStat(std::int64_t pid) {
    const auto text = readFile("/proc/" + std::to_string(pid) + "/stat");
    if (!text) return {};
    const std::size_t close = text->rfind(')');
    if (close == std::string::npos) return {};
    std::istringstream rest(text->substr(close + 1));
    StatLine line;
    std::string word;
    rest >> line.state;  // field 3
    for (int i = 4; i < 22; ++i) rest >> word;
    rest >> line.startTicks;
    if (!rest) return {};
    return line;
}

std::optional<double> memoryLine(const std::string& key) {
    const auto text = readFile("/proc/meminfo");
    if (!text) return {};
    const std::size_t at = text->find(key + ":");
    if (at == std::string::npos) return {};
    return std::strtod(text->c_str() + at + key.size() + 1, nullptr) * 1024.0;
}

}  // namespace

std::optional<std::int64_t> processStartTicks(std::int64_t pid) {
    if (pid <= 0) return {};
    const auto line = readStat(pid);
    if (!line || line->state == 'Z' || line->state == 'X') return {};
    return line->startTicks;
}

char processState(std::int64_t pid) {
    const auto line = pid > 0 ? readStat(pid) : std::nullopt;
    return line ? line->state : '\0';
}

std::string bootId() {
    auto text = readFile("/proc/sys/kernel/random/boot_id").value_or("");
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

ProcessIdentity identityOf(std::int64_t pid) {
    return {pid, processStartTicks(pid).value_or(0), bootId()};
}

bool isAlive(const ProcessIdentity& identity) {
    if (identity.pid <= 0 || identity.bootId != bootId()) return false;
    return processStartTicks(identity.pid) == identity.startTicks;
}

int openProcess(const ProcessIdentity& identity) {
    constexpr long kPidFdOpen = 434;
    const auto fd = static_cast<int>(::syscall(kPidFdOpen, static_cast<pid_t>(identity.pid), 0U));
    // Checked afterwards: the number might have been reused before the descriptor was opened.
    if (fd < 0 || isAlive(identity)) return fd;
    ::close(fd);
    return -1;
}

std::vector<std::int64_t> processesWithEnvironment(const std::vector<std::string>& entries) {
    std::vector<std::int64_t> found;
    DIR* folder = ::opendir("/proc");
    if (folder == nullptr) return found;
    while (const dirent* entry = ::readdir(folder)) {
        char* end = nullptr;
        const long pid = std::strtol(entry->d_name, &end, 10);
        if (*end != '\0' || pid <= 1 || pid == ::getpid()) continue;
        const auto text = readFile("/proc/" + std::to_string(pid) + "/environ");
        if (!text || text->empty()) continue;
        const std::string framed = '\0' + *text;
        const bool all = std::all_of(entries.begin(), entries.end(), [&](const std::string& wanted) {
            return framed.find('\0' + wanted + '\0') != std::string::npos;
        });
        if (all) found.push_back(pid);
    }
    ::closedir(folder);
    return found;
}

std::string hostName() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
    return name.data();
}

std::filesystem::path programFolder() {
    std::error_code code;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", code);
    return code ? std::filesystem::path() : path.parent_path();
}

std::optional<double> availableMemoryBytes() {
    return memoryLine("MemAvailable");
}

std::optional<double> totalMemoryBytes() {
    return memoryLine("MemTotal");
}

int usableCpus() {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

std::string cpuName() {
    const auto text = readFile("/proc/cpuinfo");
    if (!text) return {};
    const std::size_t at = text->find("model name");
    if (at == std::string::npos) return {};
    const std::size_t colon = text->find(": ", at);
    const std::size_t end = text->find('\n', at);
    if (colon == std::string::npos || end == std::string::npos || colon > end) return {};
    return text->substr(colon + 2, end - colon - 2);
}

}  // namespace slipway
