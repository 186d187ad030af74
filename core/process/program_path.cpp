#include "core/process/program_path.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace slipway {
namespace fs = std::filesystem;

fs::path programInPath(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path candidate = fs::path(folder) / name;
        if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0) return fs::absolute(candidate);
    }
    return {};
}

}  // namespace slipway
