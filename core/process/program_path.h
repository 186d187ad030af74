// The search of PATH for programs that Slipway starts; Process itself searches nowhere.
#pragma once

#include <filesystem>
#include <string>

namespace slipway {

/// The first executable file of this name in PATH, absolute; empty when there is none. Empty entries of PATH are skipped.
std::filesystem::path programInPath(const std::string& name);

}  // namespace slipway
