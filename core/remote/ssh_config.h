// The hosts named in ~/.ssh/config, to choose from. Their meaning is left to ssh.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace slipway {

/// Names after "Host" that are not patterns, in file order, each once; files named by "Include" are read too.
/// @param folder ~/.ssh
std::vector<std::string> hostsInSshConfig(const std::filesystem::path& folder);

/// ~/.ssh of this user.
std::filesystem::path sshFolder();

}  // namespace slipway
