#include "core/faults/retry_policy.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace slipway {
namespace {

constexpr std::string_view kLostNode = "node_lost";

bool isKind(const FailedAttempt& attempt, FaultKind kind) {
    return attempt.kind == wordOf(kind);
}

/// Number of last attempts in the history with the same newest checkpoint.
std::int64_t withoutProgress(const std::vector<FailedAttempt>& history) {
    const std::int64_t step = history.back().checkpointStep;
    const auto other = std::find_if(history.rbegin(), history.rend(),
                                    [&](const FailedAttempt& a) { return a.checkpointStep != step; });
    return std::count_if(history.rbegin(), other, [](const FailedAttempt& a) { return a.fault != kLostNode; });
}

std::vector<std::string> failingNodes(const std::vector<FailedAttempt>& history, std::int64_t limit) {
    std::map<std::string, std::int64_t> failures;
    for (const FailedAttempt& attempt : history)
        if (isKind(attempt, FaultKind::Node) && !attempt.node.empty()) ++failures[attempt.node];
    std::vector<std::string> nodes;
    for (const auto& [node, number] : failures)
        if (number >= limit) nodes.push_back(node);
    return nodes;
}

}  // namespace

RetryDecision decideRetry(const std::vector<FailedAttempt>& history, double uniform, const RetryLimits& limits) {
    RetryDecision decision;
    decision.rule = wordOf(FaultKind::Requested);
    if (history.empty()) return decision;
    const FailedAttempt& last = history.back();
    decision.fault = last.fault;
    decision.fromStep = last.checkpointStep;
    decision.excluded = failingNodes(history, limits.perNode);
    decision.rule = last.kind;
    std::int64_t budget = 0;
    if (isKind(last, FaultKind::Transient) || isKind(last, FaultKind::Node)) {
        budget = limits.transient;
    } else if (isKind(last, FaultKind::Unknown)) {
        budget = limits.unknown;
    } else if (last.differsByNode && last.ranSeconds < limits.earlySeconds && !isKind(last, FaultKind::Requested)) {
        budget = limits.unknown;
        decision.rule = "nodes_differ";
    }
    if (last.fault == kLostNode) {  // it says nothing about the run, and its time was waited for already
        decision.action = "restart";
        return decision;
    }
    if (budget == 0) return decision;
    if (withoutProgress(history) >= limits.withoutProgress) {
        decision.rule = "no_progress";
        return decision;
    }
    const auto before = std::count_if(history.begin(), history.end() - 1,
                                      [&](const FailedAttempt& attempt) { return attempt.kind == last.kind; });
    if (before >= budget) {
        decision.rule = "budget";
        return decision;
    }
    decision.action = "restart";
    const double longest =
        std::min(limits.mostDelaySeconds, std::ldexp(limits.firstDelaySeconds, static_cast<int>(before)));
    decision.delaySeconds = std::clamp(uniform, 0.0, 1.0) * longest;
    return decision;
}

Message sentence(const RetryDecision& d) {
    if (d.action == "restart") {
        const Message start =
            d.fromStep >= 0 ? "Restart from the checkpoint of step %1 in %2."_text(d.fromStep, Seconds{d.delaySeconds})
                            : "Restart from the first step in %1."_text(Seconds{d.delaySeconds});
        if (d.excluded.empty()) return start;
        std::vector<Message> nodes;
        for (const std::string& node : d.excluded) nodes.push_back(Message::name(node));
        return "%1 Leave out: %2."_text(start, listOf(nodes));
    }
    if (d.rule == "no_progress") return "No restart: the latest attempts have made no new checkpoint."_text;
    if (d.rule == "budget") return "No restart: the restarts for faults of this kind are used up."_text;
    if (d.rule == wordOf(FaultKind::Requested)) return "No restart: the end was requested."_text;
    if (d.rule == wordOf(FaultKind::Disk)) return "No restart before there is room on the disk."_text;
    return "No restart: the same config would fail again."_text;
}

}  // namespace slipway
