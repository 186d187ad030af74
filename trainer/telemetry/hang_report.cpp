#include "trainer/telemetry/hang_report.h"

#include <cxxabi.h>
#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

namespace slipway::trainer {
namespace {

constexpr int kMostFrames = 48;
constexpr int kHandlerFrames = 2;  // the handler itself and the kernel's return from it

// Written by the handler, in the signalled thread.
std::array<void*, kMostFrames> g_frames;
std::atomic<int> g_numFrames{-1};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void slipwayOnStackSignal(int) {
    const int before = errno;
    g_numFrames.store(backtrace(g_frames.data(), kMostFrames));
    errno = before;
}

std::vector<pid_t> threadsOfThisProcess() {
    std::vector<pid_t> ids;
    if (DIR* folder = opendir("/proc/self/task")) {
        while (const dirent* entry = readdir(folder))
            if (const int id = std::atoi(entry->d_name); id > 0) ids.push_back(id);
        closedir(folder);
    }
    return ids;
}

std::string nameOf(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/comm");
    std::string name;
    std::getline(file, name);
    return name;
}

// "slipway::trainer::trainRank(slipway::trainer::RankSetup const&), " if the program or library exports its name
// (ENABLE_EXPORTS).
std::string functionOf(void* frame) {
    Dl_info info{};
    if (dladdr(frame, &info) == 0 || info.dli_sname == nullptr) return {};
    int status = 0;
    char* name = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
    const std::string text = name != nullptr ? std::string(name) + ", " : std::string();
    std::free(name);
    return text;
}

std::string stackOf(pid_t thread, int signal) {
    g_numFrames.store(-1);
    if (syscall(SYS_tgkill, getpid(), thread, signal) != 0) return "  it has ended\n";
    for (int i = 0; i < 100 && g_numFrames.load() < 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const int number = g_numFrames.load();
    if (number < 0) return "  it does not answer\n";
    std::string text;
    char** lines = backtrace_symbols(g_frames.data(), number);
    for (int i = kHandlerFrames; lines != nullptr && i < number; ++i)
        text += "  " + functionOf(g_frames[static_cast<std::size_t>(i)]) + lines[i] + "\n";
    std::free(lines);
    return text;
}

}  // namespace

std::string threadStacks() {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    void* first[1];
    backtrace(first, 1);  // loads its dependencies now, which a signal handler must not do
    const int signal = SIGRTMIN + 3;
    struct sigaction action {
    }, before{};
    action.sa_handler = slipwayOnStackSignal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, &before);
    std::string text;
    const auto self = static_cast<pid_t>(syscall(SYS_gettid));
    for (const pid_t thread : threadsOfThisProcess()) {
        if (thread == self) continue;
        text += "thread " + std::to_string(thread) + " (" + nameOf(thread) + ")\n" + stackOf(thread, signal);
    }
    // The handler stays: a slow thread would be ended by the signal's default action.
    return text;
}

std::string hangReport(std::int64_t rank, const CommActivity& activity) {
    const CommActivity::Snapshot now = activity.snapshot();
    std::string text =
        "rank " + std::to_string(rank) + ", " + std::to_string(now.completed) + " collectives completed\n";
    for (const CommActivity::Past& past : activity.recent()) {
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%.3f", past.secondsAgo);
        text +=
            "  " + past.operation + " of group " + past.group + " (ranks " + past.ranks + "), " + seconds + " s ago\n";
    }
    text += now.group.empty() ? "waits in no collective\n"
                              : "waits in " + now.operation + " of group " + now.group + " (ranks " + now.ranks + ")\n";
    return text + "\n" + threadStacks();
}

}  // namespace slipway::trainer
