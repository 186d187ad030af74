#include "core/process/process.h"

#include "core/base/error_of.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <utility>

extern char** environ;

namespace slipway {
namespace {

// Numbers of system calls without wrappers in older C libraries; the same on all architectures (kernel 5.3 and 5.9).
constexpr long kPidFdOpen = 434;
constexpr long kCloseRange = 436;
constexpr unsigned kCloseRangeCloexec = 1U << 2;

struct Pipe {
    int read = -1, write = -1;
    bool open() {
        return take([](int* ends) { return ::pipe2(ends, O_CLOEXEC); });
    }
    /// Writing to a socket without a reader must not raise SIGPIPE.
    bool openSocket() {
        return take([](int* ends) { return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); });
    }
    template <class Make>
    bool take(const Make& make) {
        int ends[2];
        if (make(ends) != 0) return false;
        read = ends[0];
        write = ends[1];
        return true;
    }
    void closeEnd(int& end) {
        if (end >= 0) ::close(end);
        end = -1;
    }
    ~Pipe() {
        closeEnd(read);
        closeEnd(write);
    }
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

double monotonicNow() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The child's data, prepared before the fork: afterwards only async-signal-safe calls are allowed, because another
// thread may hold the allocator's lock.
struct ChildPlan {
    const char* program = nullptr;
    char** arguments = nullptr;
    char** environment = nullptr;
    const char* folder = nullptr;
    int output = -1, errors = -1, input = -1, report = -1;
    bool newSession = false;
    int parentDeathSignal = 0;
    pid_t parent = 0;
};

[[noreturn]] void runChild(const ChildPlan& plan) {
    const auto giveUp = [&] {
        const int number = errno;
        [[maybe_unused]] const ssize_t n = ::write(plan.report, &number, sizeof number);
        ::_exit(127);
    };
    if (plan.newSession && ::setsid() < 0) giveUp();
    if (plan.parentDeathSignal != 0) {
        if (::prctl(PR_SET_PDEATHSIG, plan.parentDeathSignal) != 0) giveUp();
        if (::getppid() != plan.parent) ::_exit(127);  // it ended before the line above
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int number : {SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGQUIT}) ::signal(number, SIG_DFL);
    if (plan.folder != nullptr && ::chdir(plan.folder) != 0) giveUp();
    if (::dup2(plan.input, 0) < 0 || ::dup2(plan.output, 1) < 0 || ::dup2(plan.errors, 2) < 0) giveUp();
    // Descriptors that libraries opened without close-on-exec must not stay open in a process that outlives this one.
    ::syscall(kCloseRange, 3U, ~0U, kCloseRangeCloexec);
    ::execve(plan.program, plan.arguments, plan.environment);
    giveUp();
    ::_exit(127);
}

Error startError(int number, const std::string& program) {
    if (number == ENOENT) return errorOf("program_missing", "The program does not exist."_text, program);
    const std::string reason = std::strerror(number);
    if (number == EACCES || number == ENOEXEC)
        return errorOf("program_not_executable", "The program cannot be executed: %1."_text(reason), program);
    return errorOf("process_failed", "The program cannot be started: %1."_text(reason), program);
}

}  // namespace

std::string ExitState::text() const {
    if (signal == 0) return "exit code " + std::to_string(code);
    const char* name = ::strsignal(signal);
    return "signal " + std::to_string(signal) + " (" + (name == nullptr ? "unknown" : name) + ")";
}

Result<Process> Process::start(const ProcessSpec& spec) {
    if (spec.arguments.empty() || spec.arguments.front().empty())
        return fail("program_missing", "The program has no name."_text, "");
    const std::string& program = spec.arguments.front();
    for (const std::string& text : spec.arguments)
        if (text.find('\0') != std::string::npos)
            return fail("process_failed", "An argument contains a NUL character."_text, program);

    Pipe report, output, errors, words;
    if (!report.open() || (spec.converse && !words.openSocket())) return fail(startError(errno, program));
    const int input = spec.converse ? std::exchange(words.read, -1) : ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    int file = -1;
    if (spec.captureOutput) {
        if (!output.open() || !errors.open()) {
            const int number = errno;
            ::close(input);
            return fail(startError(number, program));
        }
    } else {
        const std::string target = spec.output.empty() ? "/dev/null" : spec.output.string();
        file = ::open(target.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (file < 0) {
            const int number = errno;
            ::close(input);
            return fail(number == ENOSPC ? "disk_full" : "file_unwritable",
                        "The log file cannot be opened: %1."_text(std::strerror(number)), target);
        }
    }
    const std::vector<char*> arguments = pointers(spec.arguments);
    const std::vector<char*> environment = spec.environment ? pointers(*spec.environment) : std::vector<char*>{};
    ChildPlan plan;
    plan.program = program.c_str();
    plan.arguments = const_cast<char**>(arguments.data());
    plan.environment = spec.environment ? const_cast<char**>(environment.data()) : environ;
    plan.folder = spec.workingFolder.empty() ? nullptr : spec.workingFolder.c_str();
    plan.input = input;
    plan.output = spec.captureOutput ? output.write : file;
    plan.errors = spec.captureOutput ? errors.write : file;
    plan.report = report.write;
    plan.newSession = spec.newSession;
    plan.parentDeathSignal = spec.parentDeathSignal;
    plan.parent = ::getpid();

    const pid_t pid = ::fork();
    if (pid == 0) runChild(plan);
    const int forkError = errno;
    ::close(input);
    if (file >= 0) ::close(file);
    if (pid < 0) return fail(startError(forkError, program));

    report.closeEnd(report.write);
    int number = 0;
    ssize_t n = 0;
    do {
        n = ::read(report.read, &number, sizeof number);
    } while (n < 0 && errno == EINTR);
    if (n == static_cast<ssize_t>(sizeof number)) {
        ::waitpid(pid, nullptr, 0);
        return fail(startError(number, program));
    }
    Process process;
    process.m_pid = pid;
    process.m_pidFd = static_cast<int>(::syscall(kPidFdOpen, pid, 0));
    process.m_ownGroup = spec.newSession;
    if (spec.captureOutput) {
        process.m_output.fd = std::exchange(output.read, -1);
        process.m_errors.fd = std::exchange(errors.read, -1);
        for (const int fd : {process.m_output.fd, process.m_errors.fd}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
    }
    if (spec.converse) {
        process.m_input = std::exchange(words.write, -1);
        ::fcntl(process.m_input, F_SETFL, O_NONBLOCK);
        process.m_output.waits = true;
    }
    return process;
}

Process::Process(Process&& other) noexcept {
    *this = std::move(other);
}

Process& Process::operator=(Process&& other) noexcept {
    std::swap(m_pid, other.m_pid);
    std::swap(m_pidFd, other.m_pidFd);
    std::swap(m_input, other.m_input);
    std::swap(m_ownGroup, other.m_ownGroup);
    std::swap(m_exit, other.m_exit);
    std::swap(m_killAtSeconds, other.m_killAtSeconds);
    std::swap(m_output, other.m_output);
    std::swap(m_errors, other.m_errors);
    return *this;
}

Process::~Process() {
    if (m_pidFd >= 0) ::close(m_pidFd);
    closeInput();
    m_output.close();
    m_errors.close();
}

void Process::Capture::close() {
    if (fd >= 0) ::close(fd);
    fd = -1;
}

void Process::Capture::drain() {
    std::array<char, 1 << 14> buffer{};
    // A program that writes endlessly must not block the caller: the rest is read at the next poll.
    std::size_t taken = 0;
    while (fd >= 0 && taken < kMaxCapturedBytes) {
        if (waits && text.size() >= kMaxCapturedBytes) return;
        const ssize_t n = ::read(fd, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return;  // no data now
        if (n == 0) return close();
        taken += static_cast<std::size_t>(n);
        const std::size_t room = waits ? buffer.size() : kMaxCapturedBytes - std::min(kMaxCapturedBytes, text.size());
        text.append(buffer.data(), std::min(static_cast<std::size_t>(n), room));
    }
}

std::size_t Process::write(std::string_view bytes) {
    std::size_t written = 0;
    while (m_input >= 0 && written < bytes.size()) {
        const ssize_t n = ::send(m_input, bytes.data() + written, bytes.size() - written, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno != EAGAIN) closeInput();
        if (n <= 0) break;
        written += static_cast<std::size_t>(n);
    }
    return written;
}

void Process::closeInput() {
    if (m_input >= 0) ::close(m_input);
    m_input = -1;
}

const std::optional<ExitState>& Process::poll() {
    m_output.drain();
    m_errors.drain();
    if (m_exit || m_pid <= 0) return m_exit;
    siginfo_t info{};
    // WNOWAIT keeps the number reserved until its group has been signalled: it cannot be reused meanwhile.
    if (::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
        if (errno == ECHILD) m_exit = ExitState{255, 0};  // already reaped elsewhere; its exit status is unknown
        return m_exit;
    }
    if (info.si_pid == 0) return m_exit;
    if (m_ownGroup) ::kill(-m_pid, SIGKILL);
    ::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED);
    m_exit = info.si_code == CLD_EXITED ? ExitState{info.si_status, 0} : ExitState{0, info.si_status};
    m_output.drain();
    m_errors.drain();
    return m_exit;
}

const std::optional<ExitState>& Process::wait(double seconds) {
    const double end = monotonicNow() + seconds;
    while (!poll()) {
        const double left = end - monotonicNow();
        if (left <= 0) break;
        std::array<pollfd, 3> fds{pollfd{m_pidFd, POLLIN, 0}, pollfd{m_output.fd, POLLIN, 0},
                                  pollfd{m_errors.fd, POLLIN, 0}};
        // Without pidfds (kernels before 5.3) poll every 20 ms.
        const double slice = m_pidFd >= 0 ? left : std::min(left, 0.02);
        ::poll(fds.data(), fds.size(), static_cast<int>(std::ceil(std::min(slice, 3600.0) * 1000)));
    }
    return m_exit;
}

void Process::signal(int number) const {
    if (running()) ::kill(m_pid, number);
}

void Process::signalGroup(int number) const {
    if (running()) ::kill(m_ownGroup ? -m_pid : m_pid, number);
}

void Process::askToEnd(double nowSeconds, double graceSeconds) {
    if (m_killAtSeconds) return;
    signalGroup(SIGTERM);
    signalGroup(SIGCONT);  // a stopped process would not see the SIGTERM
    m_killAtSeconds = nowSeconds + graceSeconds;
}

void Process::escalate(double nowSeconds) {
    if (m_killAtSeconds && nowSeconds >= *m_killAtSeconds) signalGroup(SIGKILL);
}

}  // namespace slipway
