#include "app/agent/node_reach.h"

#include "core/base/clock.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace slipway {
namespace {

constexpr std::size_t kMostListening = 64;
constexpr std::size_t kMostConnecting = 1024;

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

// Accepts and closes all waiting connections: a full queue would refuse later callers.
void hangUpOn(int listening) {
    for (int caller = 0; (caller = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) ::close(caller);
}

/// The numeric address of the local end of a connection.
std::string addressHere(int connected) {
    Name name;
    name.size = sizeof name.storage;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (::getsockname(connected, name.raw(), &name.size) != 0) return {};
    const int family = name.storage.ss_family;
    const void* address = family == AF_INET
                              ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(name.storage).sin_addr)
                              : &reinterpret_cast<const sockaddr_in6&>(name.storage).sin6_addr;
    if (::inet_ntop(family, address, text.data(), text.size()) == nullptr) return {};
    return text.data();
}

}  // namespace

NodeReach::~NodeReach() {
    for (const Listening& each : m_listening) ::close(each.fd);
    for (const Connecting& each : m_connecting) ::close(each.fd);
}

Result<int> NodeReach::listen(const std::string& address) {
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
    if (m_listening.size() >= kMostListening) {
        ::close(m_listening.front().fd);
        m_listening.erase(m_listening.begin());
    }
    m_listening.push_back({fd, monotonicSecondsNow() + kListenSeconds});
    const bool isV4 = bound.storage.ss_family == AF_INET;
    return ntohs(isV4 ? reinterpret_cast<sockaddr_in&>(bound.storage).sin_port
                      : reinterpret_cast<sockaddr_in6&>(bound.storage).sin6_port);
}

Result<void> NodeReach::connect(const Json& request, const std::string& address, int port) {
    // In parallel: an unreachable node takes no time from the others.
    constexpr double kSeconds = 3;
    if (m_connecting.size() >= kMostConnecting) return fail("busy", "The agent is at work on too many requests."_text);
    auto name = nameOf(address, port);
    if (!name) return fail(name.error());
    const int fd = ::socket(name->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || (::connect(fd, name->raw(), name->size) != 0 && errno != EINPROGRESS)) {
        const int number = errno;
        if (fd >= 0) ::close(fd);
        return fail("unreachable", std::string(std::strerror(number)) + ".", address);
    }
    m_connecting.push_back({std::make_shared<const Json>(request), fd, monotonicSecondsNow() + kSeconds});
    return {};
}

void NodeReach::look(const std::function<void(const Json& request, const Result<std::string>& from)>& ended) {
    const double now = monotonicSecondsNow();
    std::erase_if(m_listening, [&](const Listening& each) {
        hangUpOn(each.fd);
        if (now < each.untilSeconds) return false;
        ::close(each.fd);
        return true;
    });
    std::erase_if(m_connecting, [&](const Connecting& each) {
        pollfd writable{each.fd, POLLOUT, 0};
        const bool isDone = ::poll(&writable, 1, 0) != 0;
        if (!isDone && now < each.deadlineSeconds) return false;
        int number = isDone ? 0 : ETIMEDOUT;
        socklen_t size = sizeof number;
        if (isDone) ::getsockopt(each.fd, SOL_SOCKET, SO_ERROR, &number, &size);
        const std::string from = number == 0 ? addressHere(each.fd) : std::string();
        ::close(each.fd);
        if (number == 0)
            ended(*each.request, from);
        else
            ended(*each.request, fail("unreachable", std::string(std::strerror(number)) + ".",
                                      each.request->value("address", std::string())));
        return true;
    });
}

void NodeReach::addSockets(std::vector<pollfd>& sockets) const {
    for (const Listening& each : m_listening) sockets.push_back({each.fd, POLLIN, 0});
    for (const Connecting& each : m_connecting) sockets.push_back({each.fd, POLLOUT, 0});
}

}  // namespace slipway
