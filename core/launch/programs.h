// Where the other programs of Slipway are, and whether they are of the same version.
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

    /// Each program from the folder SLIPWAY_BIN_DIR, else from beside the running program.
    static Programs find();
};

/// Runs a program to its end and returns its standard output. Waits up to `seconds`: not for the window's thread.
/// "program_missing", "program_failed" (with the last line of its errors), "program_slow" (it is killed).
Result<std::string> programOutput(const std::vector<std::string>& arguments, double seconds);

/// What `program --version` prints, without the program's name: "0.1.0 (3f2a1b4c5d6e)". Remembered in
/// `cacheFile` by path, size and time of change, because loading libtorch takes a second. Waits for the program, at
/// most 60 s: not for the window's thread. As programOutput; "no_version".
Result<std::string> programVersion(const std::filesystem::path& program, const std::filesystem::path& cacheFile);

/// The version out of what --version printed: the text from the first digit on, up to the end of the line.
std::string versionIn(std::string_view printed);

}  // namespace slipway
