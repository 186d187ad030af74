#include "app/agent/node_facts.h"

#include "core/base/file.h"
#include "core/process/proc_facts.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

struct Name {
    sockaddr_storage storage{};
    socklen_t size = 0;
    [[nodiscard]] sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
};

Result<Name> nameOf(const std::string& address, int port) {
    Name name;
    auto& v4 = reinterpret_cast<sockaddr_in&>(name.storage);
    auto& v6 = reinterpret_cast<sockaddr_in6&>(name.storage);
    if (::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
        v4.sin_family = AF_INET;
        v4.sin_port = htons(static_cast<std::uint16_t>(port));
        name.size = sizeof v4;
    } else if (::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1) {
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(static_cast<std::uint16_t>(port));
        name.size = sizeof v6;
    } else {
        return fail("bad_address", "\"" + address + "\" is not a numeric address.", "address");
    }
    return name;
}

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

Result<Listening> listenAt(const std::string& address) {
    auto name = nameOf(address, 0);
    if (!name) return fail(name.error());
    const int fd = ::socket(name->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    Name bound;
    bound.size = sizeof bound.storage;
    if (fd < 0 || ::bind(fd, name->raw(), name->size) != 0 || ::listen(fd, SOMAXCONN) != 0 ||
        ::getsockname(fd, bound.raw(), &bound.size) != 0) {
        const int number = errno;
        if (fd >= 0) ::close(fd);
        return fail("no_port", std::string("Nothing can listen there: ") + std::strerror(number) + ".", address);
    }
    const bool isV4 = bound.storage.ss_family == AF_INET;
    return Listening{fd, ntohs(isV4 ? reinterpret_cast<sockaddr_in&>(bound.storage).sin_port
                                    : reinterpret_cast<sockaddr_in6&>(bound.storage).sin6_port)};
}

void hangUpOn(const Listening& listening) {
    for (int caller = 0; (caller = ::accept4(listening.fd, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) ::close(caller);
}

Result<int> beginConnect(const std::string& address, int port) {
    auto name = nameOf(address, port);
    if (!name) return fail(name.error());
    const int fd = ::socket(name->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && (::connect(fd, name->raw(), name->size) == 0 || errno == EINPROGRESS)) return fd;
    const int number = errno;
    if (fd >= 0) ::close(fd);
    return fail("unreachable", std::string(std::strerror(number)) + ".", address);
}

Result<void> endConnect(int fd, const std::string& address) {
    pollfd writable{fd, POLLOUT, 0};
    int number = ::poll(&writable, 1, 0) == 1 ? 0 : ETIMEDOUT;
    socklen_t size = sizeof number;
    if (number == 0) ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &size);
    ::close(fd);
    if (number == 0) return {};
    return fail("unreachable", std::string(std::strerror(number)) + ".", address);
}

}  // namespace slipway
