// The cause of a run's end: from records, errors, tails of logs, events and the systems' notes to the first failure, in
// one sentence for a person. Pure; its time is bounded by the evidence, of which only tails are examined.
//   const Diagnosis d = diagnose(evidence);   textOf(sentence(d), language)
#pragma once

#include "core/base/field_table.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "core/faults/fault_table.h"
#include "core/spec/agent_files.h"
#include "core/spec/metric_line.h"
#include "core/spec/run_dir.h"
#include "core/spec/system_notes.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct RankLog {
    std::int64_t rank = 0;
    std::string node;
    std::string tail;  ///< its last bytes; text before the mark of the newest attempt is ignored
};

struct EndEvidence {
    std::vector<AgentExit> exits;   ///< one per node with a record
    std::vector<RankError> errors;  ///< written by failing ranks
    std::vector<RankLog> logs;
    std::vector<SystemNotes> systems;
    std::vector<MetricEvent> events;  ///< of this attempt, oldest first
    std::vector<Error> problems;      ///< of the start and of the link; `where` names the node
    std::int64_t lastStep = 0;        ///< newest step in the stream
    std::int64_t attemptSteps = 0;    ///< steps completed in this attempt
    bool isProgram = false;           ///< the user's own program: its exit codes have no meaning here
};

/// The stored diagnosis; sentence() puts it into words.
struct Diagnosis {
    std::string status = "failed";  ///< completed, cancelled, failed, lost
    std::string fault;              ///< a code of faultTable(), "unknown"; "" for a completed run
    std::string kind = "unknown";   ///< wordOf(FaultKind)
    std::string node;               ///< of the first failure; empty: not of one node
    std::optional<std::int64_t> rank;
    std::int64_t code = 0;  ///< as AgentExit::code; 11 and 15 for every lack of memory or disk, from any source
    std::int64_t step = 0;  ///< newest step before the end
    std::int64_t timeUnixMilliseconds = 0;  ///< by the clock of its node; 0: unknown
    std::int64_t numCascade = 0;            ///< other ranks that failed because of it
    std::int64_t row = 0;                   ///< index among the rows of the fault's code
    std::string kept;                       ///< %1 of its text
    std::string words;                      ///< the error's own words, where the fault has none
    std::string line;                       ///< evidence line; quoted where the fault requires it
    bool namesNode = false;                 ///< the sentence names it: there are several, or it has its own name
    bool differsByNode = false;             ///< several nodes failed, each in a different way

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("status"), s.status);
        v(field("fault"), s.fault);
        v(field("kind"), s.kind);
        v(field("node"), s.node);
        v(field("rank"), s.rank);
        v(field("exit_code"), s.code);
        v(field("step"), s.step);
        v(field("time_unix_ms"), s.timeUnixMilliseconds);
        v(field("cascade"), s.numCascade);
        v(field("row"), s.row);
        v(field("kept"), s.kept);
        v(field("words"), s.words);
        v(field("line"), s.line);
        v(field("names_node"), s.namesNode);
        v(field("differs_by_node"), s.differsByNode);
    }
};

/// The cause over all nodes. A completed or stopped run has no fault, regardless of its logs.
Diagnosis diagnose(const EndEvidence& evidence);

/// "Rank 5 of node b after step 1200: CAUSE, and 3 more ranks failed because of it; REMEDY."; empty for a completed run.
Message sentence(const Diagnosis& diagnosis);

/// A rank whose log and error file are worth reading.
struct RankPlace {
    std::int64_t rank = 0;
    std::string node;
};
/// At most `most`, the likeliest cause first: the first failed rank of each node, then others that failed by themselves.
std::vector<RankPlace> ranksWorthReading(const std::vector<AgentExit>& exits, std::size_t most);

/// "bad config", "out of memory", ... for an exit code of the trainer; "" for unknown codes.
SourceText exitWord(std::int64_t code);

}  // namespace slipway
