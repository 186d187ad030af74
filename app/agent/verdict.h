// The agent's verdict on the end of an attempt on its node: the rank that caused it, and one code for all. Pure.
#pragma once

#include "core/spec/agent_files.h"

#include <map>

namespace slipway {

/// Reason why the agent itself ended the ranks, if any.
enum class EndCause { None, RankFailed, Killed, Terminated, Hang, Superseded };

struct VerdictInput {
    std::vector<RankState> ranks;              ///< all ended
    std::map<std::int64_t, RankError> errors;  ///< error files of this attempt, by rank
    EndCause cause = EndCause::None;
    bool isProgram = false;  ///< a program of the user's: LaunchPlan::isProgram
    bool wasAsked = false;   ///< such a program was asked to stop: its exit code does not indicate it
    std::string hangDetail;  ///< "no progress for 320 s; rank 1 is stopped (T)"
};

/// True if this end is a failure: not 0 (completed), and not the trainer's 14 (asked to stop).
bool hasFailed(const RankState& rank, bool isProgram = false);

/// The rank to blame: the earliest error file, with other errors before failed communication; without files the first
/// rank that failed on its own. Empty when none failed on its own.
std::optional<std::int64_t> firstFailure(const VerdictInput& input);

/// Fills code, firstFailedRank, reason and detail; the caller fills in the rest.
AgentExit evaluate(const VerdictInput& input);

}  // namespace slipway
