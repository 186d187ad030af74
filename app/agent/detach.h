// Detaching: the work continues in a process of its own session, adopted by init, out of reach of any terminal or parent.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace slipway {

/// In the detached process: reports the outcome of the start to the waiting one, if any.
class StartReport {
public:
    StartReport() = default;
    explicit StartReport(int fd) : m_fd(fd) {}
    StartReport(StartReport&& other) noexcept;
    StartReport& operator=(StartReport&& other) noexcept;
    ~StartReport();

    /// First call only: exit code and text for the waiting process.
    void tell(int exitCode, const std::string& words);

private:
    int m_fd = -1;
};

struct Detached {
    bool isCaller = true;  ///< true: the original process; it prints `words` and exits with `exitCode`
    int exitCode = 0;
    std::string words;
    StartReport report;  ///< in the detached process
};

/// Forks twice around setsid. The caller waits until the detached process has reported the outcome of the start, or has
/// died. The detached process has no input, and its output goes to `log`.
Result<Detached> detach(const std::filesystem::path& log);

}  // namespace slipway
