// HeldStatus: requests for the status of runs that are answered when the agent of the run ends, or after a while: a launcher learns of an
// end at once, without more requests.
//   if (!held.hold(request, folder, node, seconds)) answer now;   for (const auto& request : held.due(now)) answer
#pragma once

#include "core/base/file_descriptor.h"
#include "core/base/json.h"
#include "core/spec/run_dir.h"

#include <poll.h>

#include <memory>
#include <string>
#include <vector>

namespace slipway {

class HeldStatus {
public:
    /// False: this agent does not live, there are too many requests, or the kernel cannot watch it (before 5.3).
    bool hold(const Json& request, const RunDir& folder, const std::string& node, double untilSeconds);
    /// Requests whose agent has ended or whose time is over; without their patience, so that they are answered now.
    std::vector<std::shared_ptr<const Json>> due(double nowSeconds);
    void addSockets(std::vector<pollfd>& sockets) const;
    /// Time until the next one is due, at most this.
    [[nodiscard]] int milliseconds(double nowSeconds, int most) const;

private:
    struct Held {
        std::shared_ptr<const Json> request;
        std::unique_ptr<FileDescriptor> agent;
        double untilSeconds = 0;
    };
    std::vector<Held> m_held;
};

}  // namespace slipway
