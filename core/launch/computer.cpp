#include "core/launch/computer.h"

#include "core/process/proc_facts.h"

#include <system_error>

namespace slipway {

ComputerFacts thisComputer() {
    return {hostName(), cpuName(), usableCpus(), totalMemoryBytes(), slipway::availableMemoryBytes()};
}

std::optional<double> freeDiskBytes(const std::filesystem::path& path) {
    std::error_code code;
    std::filesystem::path existing = std::filesystem::absolute(path, code);
    while (!std::filesystem::exists(existing, code) && existing.has_parent_path() && existing != existing.parent_path())
        existing = existing.parent_path();
    const auto space = std::filesystem::space(existing, code);
    if (code) return {};
    return static_cast<double>(space.available);
}

}  // namespace slipway
