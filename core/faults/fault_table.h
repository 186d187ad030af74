// The faults that a run can meet, as data: what shows each of them, what it is, what to do about it.
#pragma once

#include "core/base/message.h"

#include <string_view>
#include <vector>

namespace slipway {

/// What a restart can do about a fault; retry_policy.h decides by it.
enum class FaultKind {
    Requested,  ///< a person or a later attempt ended it
    Transient,  ///< link, port, preemption: the same again may work
    Node,       ///< hardware or system of one node: the same elsewhere may work
    Memory,     ///< does not fit: only another config works
    Disk,       ///< works once there is room
    Config,
    Code,
    Numerics,
    Unknown
};
/// "requested", "transient", ... as JSON writes it.
std::string_view wordOf(FaultKind kind);

/// Which of several faults of one end is the cause: the deepest. A rank that shows a Cascade fault in its own words has
/// ended because of another one, whatever its Symptoms.
enum class FaultDepth { Cascade, Symptom, Cause, Root };

/// What shows a fault. Text: a line of a log, a rank's error, an agent's detail or a problem of a launcher.
struct Sign {
    enum class Place { Code, ExitCode, Signal, Reason, Event, Text, Kernel };
    Place place = Place::Text;
    std::string_view text = {};  ///< Text and Kernel: a pattern of line_pattern.h; Code, Reason, Event: the word
    int number = 0;              ///< ExitCode, Signal
};

struct Fault {
    std::string_view code;  ///< several rows may have one: the first that matches gives the sentence
    FaultKind kind = FaultKind::Unknown;
    FaultDepth depth = FaultDepth::Symptom;
    /// Clauses without a full stop; %1 is what the sign's pattern kept. An empty cause: the error has words of its own.
    SourceText cause, remedy;
    std::vector<Sign> signs;  ///< any of them
    bool startOnly = false;   ///< only before the attempt's first step: later the same line was a warning
    bool namesRank = false;   ///< %1 begins with the rank to blame
    bool quotes = false;      ///< the sentence quotes the line that shows it
};

/// In the order of precedence among faults of the same depth.
const std::vector<Fault>& faultTable();
/// The parts of the table.
std::vector<Fault> faultsOfNodes();
std::vector<Fault> faultsOfRanks();
std::vector<Fault> faultsOfFiles();

}  // namespace slipway
