// restart.json of a run folder: whether a run that failed starts again by itself, and on which nodes. Whoever follows the run does it
// (RunSession); end.json beside it has each decision.
//   if (restartOrder(folder).isAutomatic()) ...
#pragma once

#include "core/run/end_file.h"
#include "core/spec/run_dir.h"
#include "core/store/run_record.h"

#include <string>
#include <utility>
#include <vector>

namespace slipway {

/// What --restart takes: "off" leaves a failed run to a person; "auto" restarts it where retry_policy.h expects it to help.
inline constexpr const char* kRestartWords[] = {"off", "auto"};

struct RestartOrder {
    std::string policy = "off";
    std::vector<std::string> nodes;  ///< that the run may use, in order; empty: this computer

    [[nodiscard]] bool isAutomatic() const { return policy == "auto"; }

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("policy"), s.policy);
        v(field("nodes"), s.nodes);
    }
};

/// "off" without a readable file.
RestartOrder restartOrder(const RunDir& folder);
/// The file and its name.
std::pair<std::string, std::string> restartDocument(const RestartOrder& order);

/// The decisions on the ends of a run as its events: "restart" with when and from where, "no_restart" with why not. Those that were only
/// advice are left out. Oldest first.
std::vector<EventRecord> restartEvents(const RunDir& folder);

/// `events` with those of restartEvents() in between, by time.
std::vector<EventRecord> withRestarts(std::vector<EventRecord> events, const RunDir& folder);

}  // namespace slipway
