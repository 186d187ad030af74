// restart.json of a run folder: automatic restarts of a failed run, and their nodes. Carried out by the program that
// follows the run (RunSession); end.json next to it has each decision.
//   if (restartOrder(folder).isAutomatic()) ...
#pragma once

#include "core/run/end_file.h"
#include "core/spec/run_dir.h"
#include "core/store/run_record.h"

#include <string>
#include <utility>
#include <vector>

namespace slipway {

/// Values of --restart: "off" leaves a failed run to a person; "auto" restarts it where retry_policy.h expects success.
inline constexpr const char* kRestartWords[] = {"off", "auto"};

struct RestartOrder {
    std::string policy = "off";
    std::vector<std::string> nodes;  ///< allowed for the run, in order; empty: this computer

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

/// The decisions on the ends of a run as its events: "restart" with time and checkpoint, "no_restart" with the reason.
/// Mere advice is omitted. Oldest first.
std::vector<EventRecord> restartEvents(const RunDir& folder);

/// `events` merged with those of restartEvents(), by time.
std::vector<EventRecord> withRestarts(std::vector<EventRecord> events, const RunDir& folder);

}  // namespace slipway
