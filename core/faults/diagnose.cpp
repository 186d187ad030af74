#include "core/faults/diagnose.h"

#include "core/faults/fault_search.h"
#include "core/faults/line_pattern.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

namespace slipway {
namespace {

/// Index among the rows with this code.
std::int64_t rowOf(const Fault& fault) {
    std::int64_t row = 0;
    for (const Fault& other : faultTable()) {
        if (&other == &fault) break;
        if (other.code == fault.code) ++row;
    }
    return row;
}

const Fault* rowAt(std::string_view code, std::int64_t row) {
    for (const Fault& fault : faultTable())
        if (fault.code == code && row-- == 0) return &fault;
    return nullptr;
}

const AgentExit* worstOf(const std::vector<AgentExit>& exits) {
    const AgentExit* worst = nullptr;
    for (const AgentExit& exit : exits)
        if (worst == nullptr || weightOf(exit) > weightOf(*worst) ||
            (weightOf(exit) == weightOf(*worst) && exit.endedUnixMilliseconds < worst->endedUnixMilliseconds))
            worst = &exit;
    return worst;
}

bool differByNode(const std::vector<Finding>& findings) {
    std::unordered_map<std::string, const Finding*> first;
    for (const Finding& finding : findings) {
        const Finding*& best = first[finding.node];
        if (best == nullptr || isDeeper(finding, *best)) best = &finding;
    }
    std::set<std::string_view> codes;
    for (const auto& [node, finding] : first) codes.insert(finding->fault->code);
    return first.size() > 1 && codes.size() == first.size();
}

std::string withFullStop(std::string text) {
    while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
    return text + ".";
}

Message placeOf(const Diagnosis& d) {
    if (d.rank && !d.node.empty() && d.namesNode) return "Rank %1 of node %2"_text(*d.rank, d.node);
    if (d.rank) return "Rank %1"_text(*d.rank);
    if (!d.node.empty() && d.namesNode) return "Node %1"_text(d.node);
    return "The run"_text;
}

Message timeOf(const Diagnosis& d) {
    return d.step > 0 ? "after step %1"_text(d.step) : Message("before the first step"_text);
}

Message withCascade(const Message& cause, std::int64_t number) {
    if (number <= 0) return cause;
    return plural(number, "%1, and %2 more rank failed because of it"_text,
                  "%1, and %2 more ranks failed because of it"_text)(cause, number);
}

Message withLine(const Message& sentence, const std::string& line) {
    return line.empty() ? sentence : "%1 From the log: %2"_text(sentence, line);
}

}  // namespace

SourceText exitWord(std::int64_t code) {
    if (code == static_cast<int>(TrainerExit::Completed)) return "completed"_text;
    if (code == static_cast<int>(TrainerExit::Stopped)) return "stopped"_text;
    for (const Fault& fault : faultTable())
        for (const Sign& sign : fault.signs)
            if (sign.place == Sign::Place::ExitCode && sign.number == code) return fault.cause;
    return {};
}

std::vector<RankPlace> ranksWorthReading(const std::vector<AgentExit>& exits, std::size_t most) {
    struct Candidate {
        RankPlace place;
        int order = 0;
        std::int64_t time = kNoTime;
    };
    std::vector<Candidate> all;
    for (const AgentExit& exit : exits) {
        if (weightOf(exit) < 2) continue;
        if (exit.firstFailedRank)
            all.push_back({{*exit.firstFailedRank, exit.node}, 0, knownTime(exit.endedUnixMilliseconds)});
        for (const RankState& state : exit.ranks)
            if (failedByItself(state) && state.rank != exit.firstFailedRank)
                all.push_back({{state.rank, exit.node}, 1, knownTime(state.endedUnixMilliseconds)});
    }
    const std::size_t number = std::min(most, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(number), all.end(),
                      [](const Candidate& a, const Candidate& b) {
                          return std::tie(a.order, a.time, a.place.rank) < std::tie(b.order, b.time, b.place.rank);
                      });
    std::vector<RankPlace> out;
    for (std::size_t i = 0; i < number; ++i) out.push_back(all[i].place);
    return out;
}

Diagnosis diagnose(const EndEvidence& evidence) {
    Diagnosis d;
    d.step = evidence.lastStep;
    const AgentExit* worst = worstOf(evidence.exits);
    if (worst != nullptr && weightOf(*worst) == 0) {
        d.status = wordOf(RunStatus::Completed);
        d.kind = wordOf(FaultKind::Requested);
        return d;
    }
    if (worst != nullptr) {
        d.code = worst->code;
        d.timeUnixMilliseconds = worst->endedUnixMilliseconds;
    }
    if (worst != nullptr && weightOf(*worst) == 1) {
        d.status = wordOf(RunStatus::Cancelled);
        d.kind = wordOf(FaultKind::Requested);
        d.fault = worst->reason;
        d.row = worst->detail.find("was killed") != std::string::npos ? 1 : 0;
        return d;
    }
    const auto [findings, numFailed] = findFaults(evidence);
    const auto setPlace = [&](const std::string& node, std::optional<std::int64_t> rank) {
        d.node = node;
        d.rank = rank;
        d.namesNode = evidence.exits.size() > 1 || (!node.empty() && node != "local");
    };
    const auto best = std::min_element(findings.begin(), findings.end(), isDeeper);
    if (best == findings.end()) {
        d.fault = worst == nullptr && evidence.problems.empty() ? "no_record" : "unknown";
        if (worst == nullptr) {
            d.status = wordOf(evidence.problems.empty() ? RunStatus::Lost : RunStatus::Failed);
            if (!evidence.problems.empty()) {
                setPlace(evidence.problems.front().where, {});
                d.words = cleanLine(evidence.problems.front().message, kTailBytes);
                d.code = 127;
            }
            return d;
        }
        setPlace(worst->node, worst->firstFailedRank);
        for (const RankLog& log : evidence.logs)
            if (log.rank == d.rank)
                d.line = tellingLine(
                    std::string_view(log.tail).substr(log.tail.size() - std::min(log.tail.size(), kTailBytes)));
        d.numCascade = std::max<std::int64_t>(0, numFailed - 1);
        return d;
    }
    const Fault& fault = *best->fault;
    d.fault = fault.code;
    d.kind = wordOf(fault.kind);
    d.row = rowOf(fault);
    setPlace(best->node, best->rank);
    d.kept = best->kept;
    if (fault.cause.empty()) d.words = cleanLine(best->words, kTailBytes);
    if (best->time != kNoTime) d.timeUnixMilliseconds = best->time;
    if (fault.quotes) d.line = best->line;
    // The record of the first failed rank determines the code of the run, regardless of the first node to end.
    for (const AgentExit& exit : evidence.exits)
        if (exit.node == d.node && weightOf(exit) == 2) d.code = exit.code;
    if (worst == nullptr) d.code = 127;
    // From any source: a sweep marks such a point infeasible, or waits for disk space.
    if (fault.kind == FaultKind::Memory && !evidence.isProgram)
        d.code = static_cast<std::int64_t>(TrainerExit::OutOfMemory);
    if ((d.fault == "disk_full" || d.fault == "quota_exceeded") && !evidence.isProgram)
        d.code = static_cast<std::int64_t>(TrainerExit::DiskFull);
    d.differsByNode = differByNode(findings);
    d.numCascade = std::max<std::int64_t>(0, numFailed - 1);
    if (fault.depth == FaultDepth::Cascade || d.fault == "hang") d.numCascade = 0;
    return d;
}

Message sentence(const Diagnosis& d) {
    const Message where = placeOf(d), when = timeOf(d);
    if (d.status == wordOf(RunStatus::Completed)) return {};
    if (d.status == wordOf(RunStatus::Cancelled)) {
        if (d.fault == "killed") return "Ended on request %1, without a checkpoint."_text(when);
        return d.row == 1 ? "Stopped on request %1; a rank that did not end in time was killed."_text(when)
                          : "Stopped on request %1."_text(when);
    }
    if (d.fault == "no_record") return "The agent left no record of the end %1."_text(when);
    const Fault* fault = rowAt(d.fault, d.row);
    if (fault == nullptr || fault->cause.empty()) {
        if (!d.words.empty()) return "%1 %2: %3"_text(where, when, withFullStop(d.words));
        return withLine("%1 %2: ended with exit code %3, which no known fault explains."_text(
                            where, when, withCascade(Message::name(std::to_string(d.code)), d.numCascade)),
                        d.line);
    }
    const Message cause = withCascade(fault->cause(d.kept), d.numCascade);
    return withLine("%1 %2: %3; %4."_text(where, when, cause, fault->remedy), d.line);
}

}  // namespace slipway
