// Parsers of the output of Slurm's programs, with explicit fields; any bytes are accepted. No field comes from a default column.
//   const SlurmTable table = readSqueue(output);   if (const SlurmJob* job = newestOf(table, name)) ...
#pragma once

#include "core/base/message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// Meaning of a Slurm state for a run.
enum class JobPhase {
    Pending,  ///< in the queue: new, held, or requeued
    Running,  ///< nodes are allocated; also suspended and completing
    Ended,
    Unknown,  ///< a state unknown to this version: never treated as an end
};

struct SlurmJob {
    std::int64_t number = 0;  ///< may be given to another job later
    std::string name;         ///< the run and the attempt: the identity of a job; of an element of an array, NAME/INDEX
    std::string state;        ///< PENDING, RUNNING, CANCELLED, ...; the first word
    std::string reason;       ///< Slurm's word: Priority, Resources, ...
    std::string id = {};      ///< as Slurm's programs take it: "570", of an element "570_3"
    [[nodiscard]] JobPhase phase() const;
};

struct SlurmTable {
    std::vector<SlurmJob> jobs;
    bool isWhole = true;  ///< every line parsed and the last one is complete; else a job missing here may exist
};

/// The value of --format expected by each reader.
constexpr std::string_view kSqueueFormat = "%i|%T|%r|%j";
constexpr std::string_view kSacctFormat = "JobID,State,Reason,JobName";
constexpr char kSacctDelimiter = '\x1f';

/// The name of an element of an array ("NAME/3"), the name that Slurm has for it ("NAME"), and whether a job is one.
std::string elementOf(const std::string& array, std::int64_t index);
std::string arrayOf(const std::string& job);
bool isElement(const std::string& job);

SlurmTable readSqueue(std::string_view text);
SlurmTable readSacct(std::string_view text);

/// An element that waits and is cancelled leaves no row behind, or a row without an index for all of them: true when the table has rows of
/// its array, and none of its own.
bool isMissingElement(const SlurmTable& table, const std::string& job);

/// The job of this name: one still active before one that has ended, then the largest number. nullptr when there is none.
const SlurmJob* newestOf(const SlurmTable& table, std::string_view name);

/// The number in the output of `sbatch --parsable` ("570" or "570;cluster", possibly after lines printed by the site).
std::optional<std::int64_t> jobNumberIn(std::string_view printed);

/// The reason why a job is pending, in words; Slurm's own word where it is not a common one.
Message pendingText(const std::string& reason);

/// The code of a fault (fault_table.h) for a job that ended in this state; "" where the state indicates none (COMPLETED, FAILED).
std::string_view faultOf(std::string_view state);

}  // namespace slipway
