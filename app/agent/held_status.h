// HeldStatus: requests for the status of runs that are answered when something has changed, or after a while: a launcher learns of news
// at once, without more requests.
//   if (!held.hold(request, folder, node, from, until)) answer now;   for (const auto& request : held.due(now, hasNews)) answer
#pragma once

#include "core/base/file_descriptor.h"
#include "core/base/json.h"
#include "core/spec/run_dir.h"

#include <poll.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slipway {

class HeldStatus {
public:
    /// False: this agent does not live, there are too many requests, or the kernel cannot watch it (before 5.3).
    /// @param fromSeconds news count from then; the end of the agent always does
    bool hold(const Json& request, const RunDir& folder, const std::string& node, double fromSeconds,
              double untilSeconds);
    /// Requests whose agent has ended, for which there are news, or whose time is over; without their patience, so that they are answered
    /// now. `hasNews(request)` is called for each at most four times a second.
    std::vector<std::shared_ptr<const Json>> due(double nowSeconds, const std::function<bool(const Json&)>& hasNews);
    void addSockets(std::vector<pollfd>& sockets) const;
    /// Time until the next one is due, at most this.
    [[nodiscard]] int milliseconds(double nowSeconds, int most) const;

private:
    struct Held {
        std::shared_ptr<const Json> request;
        std::unique_ptr<FileDescriptor> agent;
        double lookSeconds = 0;  // for news
        double untilSeconds = 0;
    };
    std::vector<Held> m_held;
};

}  // namespace slipway
