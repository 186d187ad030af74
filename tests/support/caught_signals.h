// Whether a program has come far enough to take a signal itself: before, its default ends it.
#pragma once

#include "core/base/file.h"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace slipway::test {

/// Whether the process has a handler of its own for the signal.
inline bool catchesSignal(std::int64_t pid, int signal) {
    const std::string status = readFile("/proc/" + std::to_string(pid) + "/status").value_or("");
    const std::size_t at = status.find("SigCgt:");
    return at != std::string::npos && (std::strtoull(status.c_str() + at + 7, nullptr, 16) >> (signal - 1) & 1) != 0;
}

}  // namespace slipway::test
