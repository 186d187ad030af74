// Why a run ended as it did, in one sentence for a person. Pure.
#pragma once

#include "core/spec/agent_files.h"
#include "core/spec/run_dir.h"

#include <string>
#include <vector>

namespace slipway {

struct EndEvidence {
    std::vector<AgentExit> exits;  ///< one per node
    std::string logTail;           ///< last lines of the first failing rank's log
    std::int64_t lastStep = 0;     ///< newest step in the stream
};

struct EndVerdict {
    RunStatus status = RunStatus::Failed;
    std::int64_t code = 0;
    std::string reason;  ///< one sentence; empty for a completed run
};

/// The verdict over all nodes. The node whose failure came first (and is no mere communication failure, if another is
/// not) gives the cause; its code, its detail and, for crashes, the last telling line of the log make the sentence.
EndVerdict explainEnd(const EndEvidence& evidence);

/// The index in `exits` of the node that explains the end; the log of its first failed rank is worth reading.
std::size_t causeOf(const std::vector<AgentExit>& exits);

/// The line of a log that says most: the last one that names an error, else the last one that is not empty. At most 200
/// characters; control characters and terminal escapes are taken out. Empty when there is none.
std::string tellingLine(const std::string& log);

/// "bad config", "out of memory", ... for an exit code of the trainer; "" for codes it has no word for.
std::string exitWord(std::int64_t code);

}  // namespace slipway
