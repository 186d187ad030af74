#include "core/run/restart.h"

#include "core/base/json_fields.h"
#include "core/base/own_file.h"
#include "core/launch/lost_attempts.h"

#include <algorithm>
#include <utility>

namespace slipway {
namespace {

constexpr const char* kOrderFile = "restart.json";

}  // namespace

RestartOrder restartOrder(const RunDir& folder) {
    const auto json = readOwnJson(folder.path / kOrderFile);
    if (!json) return {};
    Issues issues;
    RestartOrder order = fields::fromJson<RestartOrder>(*json, issues);
    return hasErrors(issues) ? RestartOrder{} : order;
}

std::pair<std::string, std::string> restartDocument(const RestartOrder& order) {
    return {kOrderFile, dumpJson(fields::toJson(order), true)};
}

std::vector<EventRecord> restartEvents(const RunDir& folder) {
    std::vector<EventRecord> events;
    for (const RunEnd& end : readEnds(folder)) {
        if (end.decidedUnixMilliseconds == 0) continue;
        const bool restarts = end.decision.action == "restart";
        events.push_back({end.attempt, end.diagnosis.step, restarts ? "restart" : "no_restart",
                          textOf(sentence(end.diagnosis)) + " " + textOf(sentence(end.decision)) +
                              (end.numRanks > 0 ? " " + textOf(fewerRanksText(end.numRanks)) : ""),
                          end.decidedUnixMilliseconds});
    }
    for (const LostAttempt& lost : lostAttempts(folder))
        if (lost.stoppedUnixMilliseconds != 0)
            events.push_back({lost.attempt, 0, "lost_ranks_stopped",
                              textOf(lostRanksStoppedText(lost.attempt, lost.node)), lost.stoppedUnixMilliseconds});
    std::ranges::stable_sort(events, {}, &EventRecord::attempt);
    return events;
}

std::vector<EventRecord> withRestarts(std::vector<EventRecord> events, const RunDir& folder) {
    for (EventRecord& event : restartEvents(folder)) {
        const auto after = std::find_if(events.rbegin(), events.rend(),
                                        [&](const EventRecord& other) { return other.attempt <= event.attempt; });
        events.insert(after.base(), std::move(event));
    }
    return events;
}

}  // namespace slipway
