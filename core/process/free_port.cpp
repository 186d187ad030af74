#include "core/process/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace slipway {

Result<int> freePort(const std::string& address) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    if (::inet_pton(AF_INET, address.c_str(), &name.sin_addr) != 1)
        return fail("bad_address", "\"%1\" is not an IPv4 address."_text(address), "master_address");
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return fail("no_port", "No socket: %1."_text(std::strerror(errno)), address);
    socklen_t size = sizeof name;
    void* raw = &name;
    const bool bound = ::bind(fd, static_cast<sockaddr*>(raw), size) == 0 &&
                       ::getsockname(fd, static_cast<sockaddr*>(raw), &size) == 0;
    const int number = errno;
    ::close(fd);
    if (!bound) return fail("no_port", "No free port: %1."_text(std::strerror(number)), address);
    return static_cast<int>(ntohs(name.sin_port));
}

}  // namespace slipway
