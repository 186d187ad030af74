// slipway: the command line. Without arguments it becomes slipway-gui.
#include "app/cli/command.h"
#include "core/base/clock.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

namespace {

volatile std::sig_atomic_t g_interrupts = 0;

void onInterrupt(int) {
    g_interrupts = g_interrupts + 1;
}

bool wantsColour(int fd) {
    const char* noColour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return isatty(fd) != 0 && (noColour == nullptr || *noColour == 0) &&
           (terminal == nullptr || std::string(terminal) != "dumb");
}

int openWindow(char* program) {
    std::error_code failed;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
    const std::string window =
        ((failed ? std::filesystem::path(program) : self).parent_path() / "slipway-gui").string();
    std::array<char*, 2> arguments{const_cast<char*>(window.c_str()), nullptr};
    execv(window.c_str(), arguments.data());
    std::cerr << "slipway: the window cannot be opened: " << window << ": " << std::strerror(errno)
              << (errno == ENOENT ? " (this build has none; Qt 6 with Charts is needed)" : "")
              << ".\n`slipway --help` lists what works without it.\n";
    return slipway::kExitFailed;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return openWindow(argv[0]);
    struct sigaction action {};
    action.sa_handler = onInterrupt;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    slipway::CliContext context{std::cout,
                                std::cerr,
                                wantsColour(STDOUT_FILENO),
                                isatty(STDERR_FILENO) != 0,
                                false,
                                {},
                                slipway::Programs::find(),
                                slipway::unixMillisecondsNow,
                                [] { poll(nullptr, 0, 100); },
                                [] { return static_cast<int>(g_interrupts); }};
    const int code = slipway::runCli({argv + 1, argv + argc}, context);
    std::cout.flush();
    return code;
}
