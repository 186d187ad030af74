// The hosts that ~/.ssh/config names, to choose from. What they mean is left to ssh.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace slipway {

/// Names behind "Host" that are no patterns, in the order of the file, each once; files that "Include" names are read too.
/// @param folder ~/.ssh
std::vector<std::string> hostsInSshConfig(const std::filesystem::path& folder);

/// ~/.ssh of this user.
std::filesystem::path sshFolder();

}  // namespace slipway
