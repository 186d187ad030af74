#include "app/agent/detach.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace slipway {
namespace {

// Only the first three descriptors and `keep` stay open: an inherited pipe would keep its reader waiting until the
// end of the run.
void closeOthers(int keep) {
    constexpr long kCloseRange = 436;  // kernel 5.9
    const auto fd = static_cast<unsigned>(keep);
    if (::syscall(kCloseRange, 3U, fd - 1, 0U) == 0 && ::syscall(kCloseRange, fd + 1, ~0U, 0U) == 0) return;
    const int most = static_cast<int>(::sysconf(_SC_OPEN_MAX));
    for (int i = 3; i < most; ++i)
        if (i != keep) ::close(i);
}

Detached waitForReport(int fd, pid_t child) {
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t n = ::read(fd, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(n));
    }
    ::close(fd);
    ::waitpid(child, nullptr, 0);
    Detached detached;
    if (text.empty()) {
        detached.exitCode = 3;
        detached.words = "The agent ended before it had started the ranks; see agent.log in its folder.";
    } else {
        detached.exitCode = static_cast<unsigned char>(text.front());
        detached.words = text.substr(1);
    }
    return detached;
}

}  // namespace

StartReport::StartReport(StartReport&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}

StartReport& StartReport::operator=(StartReport&& other) noexcept {
    std::swap(m_fd, other.m_fd);
    return *this;
}

StartReport::~StartReport() {
    if (m_fd >= 0) ::close(m_fd);
}

void StartReport::tell(int exitCode, const std::string& words) {
    if (m_fd < 0) return;
    const std::string text = std::string(1, static_cast<char>(exitCode)) + words;
    [[maybe_unused]] const ssize_t n = ::write(m_fd, text.data(), text.size());  // the reader may be gone
    ::close(std::exchange(m_fd, -1));
}

Result<Detached> detach(const std::filesystem::path& log) {
    const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (output < 0)
        return fail(errno == ENOSPC ? "disk_full" : "file_unwritable",
                    std::string("The agent's log cannot be opened: ") + std::strerror(errno) + ".", log.string());
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return fail("process_failed", std::string("No pipe: ") + std::strerror(errno) + ".");
    const pid_t child = ::fork();
    if (child < 0) return fail("process_failed", std::string("The agent cannot detach: ") + std::strerror(errno) + ".");
    if (child > 0) {
        ::close(ends[1]);
        ::close(output);
        return waitForReport(ends[0], child);
    }
    // A new session, and then not as its leader: it can never get a terminal again.
    ::setsid();
    const pid_t grandchild = ::fork();
    if (grandchild != 0) ::_exit(grandchild < 0 ? 3 : 0);
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGPIPE, SIG_IGN);
    const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(input, 0);
    ::dup2(output, 1);
    ::dup2(output, 2);
    closeOthers(ends[1]);
    [[maybe_unused]] const int ignored = ::chdir("/");  // do not keep a file system busy
    Detached detached;
    detached.isCaller = false;
    detached.report = StartReport(ends[1]);
    return detached;
}

}  // namespace slipway
