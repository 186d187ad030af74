// The faults of runs, as data: the signs, the cause and the remedy of each.
#pragma once

#include "core/base/message.h"

#include <string_view>
#include <vector>

namespace slipway {

/// The effect of a restart on a fault; the basis of retry_policy.h.
enum class FaultKind {
    Requested,  ///< ended by a person or a later attempt
    Transient,  ///< link, port, preemption: a retry may work
    Node,       ///< hardware or system of one node: a retry on another node may work
    Memory,     ///< does not fit: only another config works
    Disk,       ///< works once there is space
    Config,
    Code,
    Numerics,
    Unknown
};
/// "requested", "transient", ... as JSON writes it.
std::string_view wordOf(FaultKind kind);

/// Of several faults of one end the deepest is the cause. A rank that reports a Cascade fault in its own words was
/// ended by another one, regardless of its Symptoms.
enum class FaultDepth { Cascade, Symptom, Cause, Root };

/// Evidence of a fault. Text: a line of a log, a rank's error, an agent's detail or a problem of a launcher.
struct Sign {
    enum class Place { Code, ExitCode, Signal, Reason, Event, Text, Kernel };
    Place place = Place::Text;
    std::string_view text = {};  ///< Text and Kernel: a pattern of line_pattern.h; Code, Reason, Event: the word
    int number = 0;              ///< ExitCode, Signal
};

struct Fault {
    std::string_view code;  ///< several rows may share one: the first match supplies the sentence
    FaultKind kind = FaultKind::Unknown;
    FaultDepth depth = FaultDepth::Symptom;
    /// Clauses without a full stop; %1 is the text captured by the sign's pattern. An empty cause: the error has its own words.
    SourceText cause, remedy;
    std::vector<Sign> signs;  ///< any of them suffices
    bool startOnly = false;   ///< only before the attempt's first step: later the same line was a warning
    bool namesRank = false;   ///< %1 begins with the rank to blame
    bool quotes = false;      ///< the sentence quotes the evidence line
};

/// In the order of precedence among faults of the same depth.
const std::vector<Fault>& faultTable();
/// The parts of the table.
std::vector<Fault> faultsOfNodes();
std::vector<Fault> faultsOfRanks();
std::vector<Fault> faultsOfFiles();

}  // namespace slipway
