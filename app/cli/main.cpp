// slipway: the command line. Without arguments it becomes slipway-gui.
#include "app/cli/command.h"
#include "app/cli/interrupts.h"
#include "app/cli/print.h"
#include "core/base/clock.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>
#include <vector>

using slipway::operator""_text;
using slipway::operator<<;

namespace {

volatile std::sig_atomic_t g_interrupts = 0;

void endInterrupted(int) {
    _exit(slipway::kExitInterrupted);
}

/// Ends the program even when busy: parsers and libraries check no flag. Files are replaced as a whole and the
/// index is changed in transactions, so nothing remains half-written.
void onInterrupt(int) {
    g_interrupts = g_interrupts + 1;
    if (slipway::areInterruptsHandled()) return;
    if (g_interrupts > 1) endInterrupted(SIGINT);
    const itimerval grace{{0, 0}, {0, 500000}};  // for commands that check interrupts() and end cleanly
    setitimer(ITIMER_REAL, &grace, nullptr);
}

bool wantsColour(int fd) {
    const char* noColour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return isatty(fd) != 0 && (noColour == nullptr || *noColour == 0) &&
           (terminal == nullptr || std::string(terminal) != "dumb");
}

/// Columns of lines on this descriptor: COLUMNS, otherwise the terminal's; 0: unknown.
std::size_t columnsOf(int fd) {
    if (const char* told = std::getenv("COLUMNS"); told != nullptr && std::atoi(told) > 0)
        return static_cast<std::size_t>(std::atoi(told));
    winsize size{};
    return isatty(fd) != 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// The language of messages by POSIX: LC_ALL before LC_MESSAGES before LANG.
slipway::Language languageOfEnvironment() {
    for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"})
        if (const char* locale = std::getenv(name); locale != nullptr && *locale != '\0')
            return slipway::languageOf(locale);
    return slipway::Language::English;
}

/// The reader of a pipe is gone, as with `head`: the rest is not needed.
bool isReaderGone() {
    pollfd out{STDOUT_FILENO, POLLOUT, 0};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

void waitForNews(const std::vector<int>& fds) {
    std::vector<pollfd> watched;
    for (const int fd : fds) watched.push_back({fd, POLLIN, 0});
    poll(watched.data(), watched.size(), 100);
}

int openWindow(char* program, slipway::Language language) {
    std::error_code failed;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
    const std::string window =
        ((failed ? std::filesystem::path(program) : self).parent_path() / "slipway-gui").string();
    std::array<char*, 2> arguments{const_cast<char*>(window.c_str()), nullptr};
    execv(window.c_str(), arguments.data());
    const std::string reason = std::strerror(errno);
    const slipway::Message why = errno == ENOENT ? "%1 (this build has none; Qt 6 with Charts is needed)"_text(reason)
                                                 : slipway::Message::name(reason);
    slipway::setLanguage(std::cerr, language);
    std::cerr << "slipway: "
              << "the window cannot be opened: %1: %2."_text(window, why) << '\n'
              << "`slipway --help` lists what works without it."_text << '\n';
    return slipway::kExitFailed;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return openWindow(argv[0], languageOfEnvironment());
    struct sigaction action {};
    action.sa_handler = onInterrupt;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGALRM, endInterrupted);
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
    context.language = languageOfEnvironment();
    context.waitForNews = waitForNews;
    for (const auto& [stream, fd] : {std::pair{&std::cout, STDOUT_FILENO}, std::pair{&std::cerr, STDERR_FILENO}})
        if (const std::size_t columns = columnsOf(fd); columns > 0) slipway::setTerminalColumns(*stream, columns);
    int code = slipway::runCli({argv + 1, argv + argc}, context);
    if (g_interrupts > 0 && !slipway::areInterruptsHandled()) code = slipway::kExitInterrupted;
    if (std::cout.flush() || isReaderGone()) return code;
    std::cerr << "slipway: "
              << "standard output could not be written completely; is the disk full?"_text << '\n';
    return code == slipway::kExitDone ? slipway::kExitFailed : code;
}
