// Version and commit of this program; agent, trainer and command line compare them.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

/// "0.5.0": the newest release of CHANGELOG.md, the version of CMake's project().
std::string_view version();

/// "3f2a1b4c5d6e" or "3f2a1b4c5d6e-dirty" (uncommitted changes); empty when built outside a git checkout.
std::string_view commit();

/// "0.5.0 (3f2a1b4c5d6e)": the output of --version.
std::string versionText();

}  // namespace slipway
