// Locations of Slipway's other programs, and whether their versions match.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

struct Programs {
    std::filesystem::path agent;    ///< slipway-agent; empty when it was not found
    std::filesystem::path trainer;  ///< slipway-trainer; empty when it was not found

    /// Each program from the folder SLIPWAY_BIN_DIR, else from the running program's folder.
    static Programs find();
};

/// Runs a program to its end and returns its standard output. Waits up to `seconds`: never call it from the window's
/// thread. "program_missing", "program_failed" (with the last line of its errors), "program_slow" (it is killed).
Result<std::string> programOutput(const std::vector<std::string>& arguments, double seconds);

/// The output of `program --version`, without the program's name: "0.1.0 (3f2a1b4c5d6e)". Cached in `cacheFile` by
/// path, size and modification time, because loading libtorch takes a second. Waits for the program, at most 60 s: never
/// call it from the window's thread. Errors as in programOutput; "no_version".
Result<std::string> programVersion(const std::filesystem::path& program, const std::filesystem::path& cacheFile);

/// The version in the output of --version: the text from the first digit to the end of the line.
std::string versionIn(std::string_view printed);

}  // namespace slipway
