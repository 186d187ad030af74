// Process: a child started by an argument vector, never through a shell, and watched without blocking.
//   auto child = Process::start({.arguments = {"/usr/bin/true"}});
//   if (child && child->poll()) ...exited...
#pragma once

#include "core/base/result.h"

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway {

struct ProcessSpec {
    std::vector<std::string> arguments;                   ///< the first is the program's path; PATH is not searched
    std::optional<std::vector<std::string>> environment;  ///< "KEY=VALUE"; absent: the caller's own
    std::filesystem::path workingFolder;                  ///< empty: the caller's own
    std::filesystem::path output;  ///< standard output and error are appended here; empty: discarded
    bool captureOutput = false;    ///< collect output and errors in memory instead, see output()
    bool converse = false;         ///< with captureOutput: input from write(), output to takeOutput()
    bool newSession = false;       ///< setsid: no terminal reaches it, and signalGroup() reaches its children
    int parentDeathSignal = 0;     ///< sent to it when the thread that started it ends; 0: none
};

/// End of a process.
struct ExitState {
    int code = 0;
    int signal = 0;  ///< 0: it exited by itself
    [[nodiscard]] bool ok() const { return code == 0 && signal == 0; }
    /// "exit code 3" or "signal 9 (Killed)".
    [[nodiscard]] std::string text() const;
};

/// The destructor does not end the process: the caller does (askToEnd). With newSession, the rest of its group is
/// killed when it ends.
class Process {
public:
    /// Maximum bytes that captureOutput stores of each stream; the rest is read and dropped.
    static constexpr std::size_t kMaxCapturedBytes = 4U << 20;

    /// "program_missing", "program_not_executable", "process_failed" (with the operating system's words).
    static Result<Process> start(const ProcessSpec& spec);

    Process() = default;
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    ~Process();

    [[nodiscard]] pid_t pid() const { return m_pid; }
    /// Becomes readable when the process ends; for poll(2). -1 when there is none.
    [[nodiscard]] int pidFd() const { return m_pidFd; }
    /// Becomes readable when captured output arrives, and writable when write() accepts more. -1 when there is none.
    [[nodiscard]] int outputFd() const { return m_output.fd; }
    [[nodiscard]] int inputFd() const { return m_input; }
    [[nodiscard]] bool running() const { return m_pid > 0 && !m_exit; }

    /// Drains captured output. @return whether it has ended; never blocks.
    const std::optional<ExitState>& poll();
    /// As poll, but waits up to `seconds`. For threads that may block, never for the window's.
    const std::optional<ExitState>& wait(double seconds);

    /// Sends a signal unless it has ended.
    void signal(int number) const;
    /// Sends a signal to its complete group (needs newSession), unless it has ended.
    void signalGroup(int number) const;
    /// SIGTERM now and SIGKILL after the grace, as long as escalate() is called.
    void askToEnd(double nowSeconds, double graceSeconds);
    void escalate(double nowSeconds);

    /// With `converse`: writes as many of the first bytes as the pipe accepts now; never blocks. 0 when it is full or
    /// has no reader any more.
    std::size_t write(std::string_view bytes);
    /// With `converse`: ends the input.
    void closeInput();
    /// With `converse`: the output since the last call. At most kMaxCapturedBytes are buffered: a faster writer
    /// blocks.
    std::string takeOutput() { return std::exchange(m_output.text, {}); }

    [[nodiscard]] const std::string& output() const { return m_output.text; }
    [[nodiscard]] const std::string& errorOutput() const { return m_errors.text; }

private:
    struct Capture {
        int fd = -1;
        std::string text;
        bool waits = false;  // for room, instead of dropping the excess
        void drain();
        void close();
    };

    pid_t m_pid = -1;
    int m_pidFd = -1;
    int m_input = -1;
    bool m_ownGroup = false;
    std::optional<ExitState> m_exit;
    std::optional<double> m_killAtSeconds;
    Capture m_output, m_errors;
};

}  // namespace slipway
