#include "core/faults/fault_search.h"

#include "core/faults/line_pattern.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_map>
#include <utility>

namespace slipway {
namespace {

constexpr std::size_t kMostLogs = 32;
constexpr std::size_t kMostErrors = 256;  // searched texts; codes are checked for all
constexpr std::size_t kMostKernelLines = 512;
constexpr std::size_t kMostProblems = 32;
constexpr std::int64_t kEventSteps = 100;  // an older event does not explain the end

/// The ranks of all records, by number.
struct Ranks {
    struct Place {
        const AgentExit* exit = nullptr;
        const RankState* state = nullptr;
    };
    std::unordered_map<std::int64_t, Place> byRank;

    explicit Ranks(const std::vector<AgentExit>& exits) {
        for (const AgentExit& exit : exits)
            for (const RankState& state : exit.ranks) byRank[state.rank] = {&exit, &state};
    }
    [[nodiscard]] Place find(std::int64_t rank) const {
        const auto found = byRank.find(rank);
        return found == byRank.end() ? Place{} : found->second;
    }
    /// Its end is part of the failure; a rank ended by the agent, or without a record, is not evidence.
    [[nodiscard]] bool speaks(std::int64_t rank) const {
        const Place place = find(rank);
        if (place.state != nullptr) return failedByItself(*place.state);
        return byRank.empty();
    }
};

class Search {
public:
    explicit Search(const EndEvidence& evidence) : m_evidence(evidence), m_ranks(evidence.exits) {}

    Findings findings() {
        records();
        errors();
        logs();
        systems();
        problems();
        dropFollowers();
        events();
        return {std::move(m_found), m_numFailed};
    }

private:
    using Place = Sign::Place;

    [[nodiscard]] bool mayApply(const Fault& fault) const { return !fault.startOnly || m_evidence.attemptSteps == 0; }

    void add(const Fault& fault, const Finding& where, LineMatch match) {
        Finding finding = where;
        finding.fault = &fault;
        finding.kept = std::move(match.kept);
        if (!match.line.empty()) finding.line = std::move(match.line);
        if (fault.namesRank) {
            std::int64_t named = 0;
            const auto [end, error] =
                std::from_chars(finding.kept.data(), finding.kept.data() + finding.kept.size(), named);
            if (error == std::errc{} && end != finding.kept.data()) {
                const auto place = m_ranks.find(named);
                finding.rank = named;
                if (place.exit != nullptr) finding.node = place.exit->node;
            }
        }
        m_found.push_back(std::move(finding));
    }

    /// All faults with a sign of this word or number; false where there is none.
    template <class Test>
    bool addWhere(Place place, const Test& test, const Finding& where) {
        bool any = false;
        if (place == Place::ExitCode && m_evidence.isProgram) return any;
        for (const Fault& fault : faultTable())
            for (const Sign& sign : fault.signs)
                if (sign.place == place && test(sign) && mayApply(fault)) {
                    add(fault, where, {"", where.line});
                    any = true;
                }
        return any;
    }

    void addTexts(std::string_view text, const Finding& where) {
        for (const Fault& fault : faultTable()) {
            if (!mayApply(fault)) continue;
            for (const Sign& sign : fault.signs) {
                if (sign.place != Place::Text) continue;
                if (auto match = findLine(sign.text, text)) {
                    if (match->line.starts_with(kTraceback))
                        if (std::string said = exceptionLine(text); !said.empty()) match->line = std::move(said);
                    add(fault, where, std::move(*match));
                    break;
                }
            }
        }
    }

    void records() {
        for (const AgentExit& exit : m_evidence.exits) {
            if (weightOf(exit) < 2) continue;
            Finding where;
            where.node = exit.node;
            where.rank = exit.firstFailedRank;
            where.time = knownTime(exit.endedUnixMilliseconds);
            where.line = cleanLine(exit.detail);
            addWhere(
                Place::Reason, [&](const Sign& s) { return s.text == exit.reason; }, where);
            addTexts(exit.detail, where);
            bool any = false;
            for (const RankState& state : exit.ranks) {
                if (!failedByItself(state)) continue;
                any = true;
                ++m_numFailed;
                // Equal numbers on many ranks are one fault, represented by the first.
                const std::int64_t code = state.exitCode.value_or(255);
                const auto number = state.signal               ? std::pair(Place::Signal, *state.signal)
                                    : code > 128 && code < 160 ? std::pair(Place::Signal, code - 128)  // of a shell
                                                               : std::pair(Place::ExitCode, code);
                auto& first = m_firstOf[number];
                if (first != nullptr &&
                    knownTime(first->endedUnixMilliseconds) <= knownTime(state.endedUnixMilliseconds))
                    continue;
                first = &state;
            }
            if (!any && exit.reason != "superseded") {
                where.line.clear();
                addWhere(
                    Place::ExitCode, [&](const Sign& s) { return s.number == exit.code; }, where);
            }
        }
        for (const auto& [number, state] : m_firstOf) {
            Finding where;
            where.node = m_ranks.find(state->rank).exit->node;
            where.rank = state->rank;
            where.time = knownTime(state->endedUnixMilliseconds);
            addWhere(
                number.first, [&n = number.second](const Sign& s) { return s.number == n; }, where);
        }
    }

    void errors() {
        std::size_t searched = 0;
        for (const RankError& error : m_evidence.errors) {
            const auto place = m_ranks.find(error.rank);
            if (!m_ranks.byRank.empty() && place.state == nullptr) continue;
            Finding where;
            where.isOwn = true;
            where.rank = error.rank;
            if (place.exit != nullptr) where.node = place.exit->node;
            where.time = error.timeUnixMilliseconds > 0 ? error.timeUnixMilliseconds
                         : place.state != nullptr       ? knownTime(place.state->endedUnixMilliseconds)
                                                        : kNoTime;
            std::string more = error.operation;
            if (!error.group.empty()) more += (more.empty() ? "group " : " in group ") + error.group;
            const bool isSaid = error.operation.empty() || error.message.find(error.operation) != std::string::npos;
            where.words = error.message;
            where.line = cleanLine(error.message + (more.empty() || isSaid ? "" : " (" + more + ")"));
            addWhere(
                Place::Code, [&](const Sign& s) { return s.text == error.code; }, where);
            if (error.exitCode != 0)
                addWhere(
                    Place::ExitCode, [&](const Sign& s) { return s.number == error.exitCode; }, where);
            if (searched++ < kMostErrors) addTexts(error.message.substr(0, kTailBytes), where);
        }
    }

    void logs() {
        std::size_t read = 0;
        for (const RankLog& log : m_evidence.logs) {
            if (read++ == kMostLogs) return;
            if (!m_ranks.speaks(log.rank)) continue;
            std::string_view tail = log.tail;
            if (tail.size() > kTailBytes) tail.remove_prefix(tail.size() - kTailBytes);
            if (const std::size_t mark = tail.rfind("--- attempt "); mark != std::string_view::npos)
                tail.remove_prefix(mark);
            const auto place = m_ranks.find(log.rank);
            Finding where;
            where.isOwn = true;
            where.node = log.node;
            where.rank = log.rank;
            if (place.state != nullptr) where.time = knownTime(place.state->endedUnixMilliseconds);
            addTexts(tail, where);
            const std::string telling = tellingLine(tail);
            for (Finding& finding : m_found)
                if (finding.rank == log.rank && !finding.isOwn && finding.line.empty()) finding.line = telling;
        }
    }

    /// The kernel's lines count where a rank failed by itself on that node, and the lines on a killed process if it was
    /// one of our ranks.
    void systems() {
        for (const SystemNotes& notes : m_evidence.systems) {
            const auto exit = std::find_if(m_evidence.exits.begin(), m_evidence.exits.end(),
                                           [&](const AgentExit& e) { return e.node == notes.node; });
            if (exit == m_evidence.exits.end() || weightOf(*exit) < 2) continue;
            const RankState* killed = nullptr;
            bool anyFailed = exit->ranks.empty() || exit->reason == "hang";
            for (const RankState& state : exit->ranks) {
                if (!failedByItself(state)) continue;
                anyFailed = true;
                const bool isKilled = state.signal && *state.signal == 9;
                if (isKilled && (killed == nullptr ||
                                 knownTime(state.endedUnixMilliseconds) < knownTime(killed->endedUnixMilliseconds)))
                    killed = &state;
            }
            if (!anyFailed) continue;
            Finding where;
            where.isOwn = true;
            where.node = notes.node;
            where.rank = exit->firstFailedRank;
            where.time = knownTime(exit->endedUnixMilliseconds);
            const std::size_t from = notes.kernel.size() - std::min(notes.kernel.size(), kMostKernelLines);
            for (std::size_t i = from; i < notes.kernel.size(); ++i) kernelLine(notes.kernel[i], *exit, where);
            if (notes.oomKills > 0 && killed != nullptr) {
                where.rank = killed->rank;
                where.time = knownTime(killed->endedUnixMilliseconds);
                addWhere(
                    Place::Code, [](const Sign& s) { return s.text == "oom_kill"; }, where);
            }
        }
    }

    void kernelLine(const std::string& line, const AgentExit& exit, Finding where) {
        for (const Fault& fault : faultTable())
            for (const Sign& sign : fault.signs) {
                if (sign.place != Place::Kernel) continue;
                const auto kept = matchLine(sign.text, line);
                if (!kept) continue;
                if (fault.code == "oom_host") {
                    const auto ours = std::find_if(exit.ranks.begin(), exit.ranks.end(), [&](const RankState& state) {
                        return std::to_string(state.pid) == *kept;
                    });
                    if (ours == exit.ranks.end()) continue;
                    where.rank = ours->rank;
                    where.time = knownTime(ours->endedUnixMilliseconds);
                }
                add(fault, where, {*kept, cleanLine(line)});
                return;
            }
    }

    void problems() {
        std::size_t read = 0;
        for (const Error& error : m_evidence.problems) {
            if (read++ == kMostProblems) return;
            Finding where;
            where.isOwn = true;
            where.node = error.where;
            where.words = error.message;
            where.line = cleanLine(error.message);
            addWhere(
                Place::Code, [&](const Sign& s) { return s.text == error.code; }, where);
            addTexts(std::string_view(error.message).substr(0, kTailBytes), where);
        }
    }

    /// A rank that reports the loss of a peer ended because of another one, for any kind of end.
    void dropFollowers() {
        std::set<std::int64_t> followers;
        for (const Finding& finding : m_found)
            if (finding.isOwn && finding.rank && finding.fault->depth == FaultDepth::Cascade)
                followers.insert(*finding.rank);
        std::erase_if(m_found, [&](const Finding& finding) {
            return finding.rank && finding.fault->depth == FaultDepth::Symptom && followers.contains(*finding.rank) &&
                   finding.fault->code != "hang";
        });
    }

    /// An event refines a fault of its kind; it is not a fault by itself.
    void events() {
        for (const MetricEvent& event : m_evidence.events) {
            if (event.step + kEventSteps < m_evidence.lastStep) continue;
            for (const Fault& fault : faultTable())
                for (const Sign& sign : fault.signs) {
                    if (sign.place != Place::Event || sign.text != event.name) continue;
                    const auto same = std::find_if(m_found.begin(), m_found.end(), [&](const Finding& finding) {
                        return finding.fault->kind == fault.kind;
                    });
                    if (same == m_found.end()) continue;
                    Finding finding = *same;
                    finding.fault = &fault;
                    m_found.push_back(std::move(finding));
                }
        }
    }

    struct NumberHash {
        std::size_t operator()(const std::pair<Place, std::int64_t>& number) const {
            return static_cast<std::size_t>(number.first) * 1000003U + static_cast<std::size_t>(number.second);
        }
    };

    const EndEvidence& m_evidence;
    Ranks m_ranks;
    std::unordered_map<std::pair<Place, std::int64_t>, const RankState*, NumberHash> m_firstOf;
    std::vector<Finding> m_found;
    std::int64_t m_numFailed = 0;
};

}  // namespace

int weightOf(const AgentExit& exit) {
    if (exit.reason == "completed") return 0;
    return exit.reason == "stopped" || exit.reason == "killed" ? 1 : 2;
}

bool failedByItself(const RankState& rank) {
    if (rank.endedByAgent) return false;
    if (rank.signal) return true;
    return rank.exitCode && *rank.exitCode != static_cast<int>(TrainerExit::Completed) &&
           *rank.exitCode != static_cast<int>(TrainerExit::Stopped);
}

std::int64_t knownTime(std::int64_t unixMilliseconds) {
    return unixMilliseconds > 0 ? unixMilliseconds : kNoTime;
}

bool isDeeper(const Finding& a, const Finding& b) {
    if (a.fault->depth != b.fault->depth) return a.fault->depth > b.fault->depth;
    if (a.time != b.time) return a.time < b.time;
    if (a.fault != b.fault) return a.fault < b.fault;
    return a.line.size() > b.line.size();
}

Findings findFaults(const EndEvidence& evidence) {
    return Search(evidence).findings();
}

}  // namespace slipway
