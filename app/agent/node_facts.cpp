#include "app/agent/node_facts.h"

#include "core/base/file.h"
#include "core/process/proc_facts.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

Json interfaces() {
    Json list = Json::array();
    ifaddrs* found = nullptr;
    if (::getifaddrs(&found) != 0) return list;
    for (const ifaddrs* at = found; at != nullptr; at = at->ifa_next) {
        if (at->ifa_addr == nullptr || (at->ifa_flags & IFF_UP) == 0) continue;
        std::array<char, INET6_ADDRSTRLEN> text{};
        const int family = at->ifa_addr->sa_family;
        const void* address = nullptr;
        if (family == AF_INET) address = &reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr;
        if (family == AF_INET6) {
            const auto& v6 = reinterpret_cast<const sockaddr_in6*>(at->ifa_addr)->sin6_addr;
            if (IN6_IS_ADDR_LINKLOCAL(&v6)) continue;
            address = &v6;
        }
        if (address == nullptr || ::inet_ntop(family, address, text.data(), text.size()) == nullptr) continue;
        list.push_back(
            Json{{"name", at->ifa_name}, {"address", text.data()}, {"loopback", (at->ifa_flags & IFF_LOOPBACK) != 0}});
    }
    ::freeifaddrs(found);
    return list;
}

Json gpus() {
    Json list = Json::array();
    std::error_code code;
    for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", code)) {
        const std::string text = readFile(entry.path() / "information").value_or("");
        const std::size_t at = text.find("Model:");
        std::string model = at == std::string::npos ? "GPU" : text.substr(at + 6, text.find('\n', at) - at - 6);
        model.erase(0, model.find_first_not_of(" \t"));
        list.push_back(model);
    }
    return list;
}

Json orNull(const std::optional<double>& value) {
    return value ? Json(static_cast<std::int64_t>(*value)) : Json(nullptr);
}

}  // namespace

Json nodeFacts(const fs::path& home) {
    utsname system{};
    ::uname(&system);
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    std::error_code code;
    const auto space = fs::space(home, code);
    return Json{{"cpu", cpuName()},
                {"cpus", usableCpus()},
                {"memory_bytes", orNull(totalMemoryBytes())},
                {"available_memory_bytes", orNull(availableMemoryBytes())},
                {"free_disk_bytes", code ? Json(nullptr) : Json(space.available)},
                {"open_files", static_cast<std::int64_t>(files.rlim_cur)},
                {"kernel", std::string(system.release)},
                {"machine", std::string(system.machine)},
                {"gpus", gpus()},
                {"interfaces", interfaces()}};
}

}  // namespace slipway
