// NodeReach: sockets by which nodes find out whether they reach each other. Runs that share a link may meet at the same time.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <poll.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slipway {

class NodeReach {
public:
    NodeReach() = default;
    ~NodeReach();
    NodeReach(const NodeReach&) = delete;
    NodeReach& operator=(const NodeReach&) = delete;

    /// Listens on a numeric address for kListenSeconds. @return a port of the system's choice; "no_port", "bad_address"
    Result<int> listen(const std::string& address);
    /// Begins to connect; look() returns how it ended. "busy", "unreachable" with the system's words, "bad_address".
    Result<void> connect(const Json& request, const std::string& address, int port);
    /// Hangs up on callers, closes what has listened long enough. @param ended connections: their request, and the address here that they
    /// came from or "unreachable"
    void look(const std::function<void(const Json& request, const Result<std::string>& from)>& ended);
    /// What poll(2) waits for.
    void addSockets(std::vector<pollfd>& sockets) const;

    static constexpr double kListenSeconds = 120;  ///< a meeting tries again after it

private:
    struct Listening {
        int fd = -1;
        double untilSeconds = 0;
    };
    struct Connecting {
        std::shared_ptr<const Json> request;
        int fd = -1;
        double deadlineSeconds = 0;
    };
    std::vector<Listening> m_listening;
    std::vector<Connecting> m_connecting;
};

}  // namespace slipway
