#include "core/remote/gpu_state.h"

#include <charconv>
#include <sstream>

namespace slipway {
namespace {

constexpr std::size_t kMostGpus = 64;
constexpr double kMebibyte = 1024.0 * 1024;
// NVML's reasons that do not occur on a healthy GPU under load: hardware slowdown, software and hardware thermal slowdown, power brake.
constexpr std::uint64_t kSlowReasons = 0x8 | 0x20 | 0x40 | 0x80;

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<std::uint64_t> numberIn(std::string_view text) {
    const bool isHex = text.starts_with("0x");
    if (isHex) text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, isHex ? 16 : 10);
    if (problem != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

}  // namespace

std::vector<GpuState> gpuStatesIn(std::string_view printed) {
    std::vector<GpuState> gpus;
    std::istringstream lines{std::string(printed)};
    for (std::string line; gpus.size() < kMostGpus && std::getline(lines, line);) {
        std::vector<std::string> fields;
        std::istringstream columns(line);
        for (std::string field; std::getline(columns, field, ',');) fields.push_back(trimmed(field));
        const auto index = fields.empty() ? std::nullopt : numberIn(fields[0]);
        if (!index || *index >= kMostGpus) continue;
        fields.resize(7);
        GpuState gpu;
        gpu.index = static_cast<std::int64_t>(*index);
        gpu.driver = fields[1];
        if (const auto used = numberIn(fields[2])) gpu.usedBytes = static_cast<double>(*used) * kMebibyte;
        if (const auto total = numberIn(fields[3])) gpu.totalBytes = static_cast<double>(*total) * kMebibyte;
        gpu.isPartitioned = fields[4] == "Enabled";
        gpu.eccErrors = static_cast<std::int64_t>(numberIn(fields[5]).value_or(0) & 0x7fffffff);
        gpu.isSlowed = (numberIn(fields[6]).value_or(0) & kSlowReasons) != 0;
        gpus.push_back(std::move(gpu));
    }
    return gpus;
}

}  // namespace slipway
