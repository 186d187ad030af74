#include "app/agent/verdict.h"

#include "core/spec/run_dir.h"

#include <string.h>

#include <algorithm>

namespace slipway {
namespace {

constexpr int kSigTerm = 15;

bool isCommunication(const RankError& error) {
    return error.exitCode == static_cast<int>(TrainerExit::CommunicationFailure);
}

std::int64_t codeOf(const RankState& rank) {
    return rank.signal ? 128 + *rank.signal : rank.exitCode.value_or(255);
}

std::string endText(const RankState& rank) {
    if (!rank.signal) return "ended with exit code " + std::to_string(rank.exitCode.value_or(255));
    return "was killed by signal " + std::to_string(*rank.signal) + " (" + ::strsignal(static_cast<int>(*rank.signal)) +
           ")";
}

// The rank's error, with the group and operation of a failed communication.
std::string errorText(const RankError& error) {
    std::string where = error.operation;
    if (!error.group.empty()) where += (where.empty() ? "group " : " in group ") + error.group;
    if (!error.operation.empty() && error.message.find(error.operation) != std::string::npos) where.clear();
    return "rank " + std::to_string(error.rank) + ": " + error.message + (where.empty() ? "" : " (" + where + ")");
}

std::string capitalised(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

}  // namespace

bool hasFailed(const RankState& rank, bool isProgram) {
    if (rank.signal) return true;
    return rank.exitCode != static_cast<int>(TrainerExit::Completed) &&
           (isProgram || rank.exitCode != static_cast<int>(TrainerExit::Stopped));
}

std::optional<std::int64_t> firstFailure(const VerdictInput& input) {
    // A rank that ended without an error record (killed, crashed) explains its peers' communication failures, and not
    // the other way round.
    const RankState* silent = nullptr;
    for (const RankState& rank : input.ranks)
        if (hasFailed(rank, input.isProgram) && !rank.endedByAgent && !input.errors.contains(rank.rank) &&
            (silent == nullptr || rank.endedUnixMilliseconds < silent->endedUnixMilliseconds))
            silent = &rank;
    const RankError* named = nullptr;
    for (const auto& [rank, error] : input.errors) {
        const bool better = named == nullptr || (isCommunication(*named) && !isCommunication(error)) ||
                            (isCommunication(*named) == isCommunication(error) &&
                             error.timeUnixMilliseconds < named->timeUnixMilliseconds);
        if (better) named = &error;
    }
    if (named != nullptr && !(isCommunication(*named) && silent != nullptr)) return named->rank;
    if (silent != nullptr) return silent->rank;
    return {};
}

AgentExit evaluate(const VerdictInput& input) {
    AgentExit exit;
    const auto all = [&](auto test) { return std::all_of(input.ranks.begin(), input.ranks.end(), test); };
    const auto ended = [](TrainerExit code) {
        return [code](const RankState& r) { return !r.signal && r.exitCode == static_cast<int>(code); };
    };
    if (all(ended(TrainerExit::Completed)) && !input.wasAsked) {
        exit.reason = "completed";
        exit.detail = "All ranks completed.";
        return exit;
    }
    if (input.cause == EndCause::Hang) {
        exit.code = static_cast<std::int64_t>(TrainerExit::CommunicationFailure);
        exit.reason = "hang";
        exit.detail = "The run hung: " + input.hangDetail + ".";
        return exit;
    }
    if (input.cause == EndCause::Superseded) {
        exit.code = 128 + 9;
        exit.reason = "superseded";
        exit.detail = "A later attempt was started elsewhere while this one was silent; its ranks were ended.";
        return exit;
    }
    exit.firstFailedRank = firstFailure(input);
    if (input.cause == EndCause::Killed) {
        exit.code = 128 + 9;
        exit.reason = "killed";
        exit.detail = "The ranks were ended on request, without a checkpoint.";
        exit.firstFailedRank.reset();
        return exit;
    }
    if (!exit.firstFailedRank) {
        // No rank failed on its own: a stop was requested, by file or by a SIGTERM to the agent.
        exit.code = static_cast<std::int64_t>(TrainerExit::Stopped);
        exit.reason = "stopped";
        // A program that SIGTERM ended has followed the request.
        const bool clean = all([&](const RankState& r) { return input.isProgram ? r.signal != 9 : !hasFailed(r); });
        exit.detail = clean ? "Stopped on request." : "Stopped on request; a rank that did not end in time was killed.";
        return exit;
    }
    const auto rank = std::find_if(input.ranks.begin(), input.ranks.end(),
                                   [&](const RankState& r) { return r.rank == *exit.firstFailedRank; });
    const auto error = input.errors.find(*exit.firstFailedRank);
    const bool killed = rank != input.ranks.end() && rank->signal && (*rank->signal != kSigTerm || !rank->endedByAgent);
    if (error != input.errors.end()) {
        exit.code = error->second.exitCode != 0 ? error->second.exitCode
                    : rank != input.ranks.end() ? codeOf(*rank)
                                                : 1;
        exit.detail = capitalised(errorText(error->second));
    } else {
        exit.code = codeOf(*rank);
        exit.detail = "Rank " + std::to_string(*exit.firstFailedRank) + " " + endText(*rank);
        // Its peers noticed: their operation at that moment shows the position of the run.
        const auto peer = std::find_if(input.errors.begin(), input.errors.end(),
                                       [](const auto& e) { return isCommunication(e.second); });
        if (peer != input.errors.end()) exit.detail += "; " + errorText(peer->second);
        exit.detail += ".";
    }
    exit.reason = killed                                                          ? "rank_killed"
                  : exit.code == static_cast<std::int64_t>(TrainerExit::DiskFull) ? "disk_full"
                                                                                  : "rank_failed";
    return exit;
}

}  // namespace slipway
