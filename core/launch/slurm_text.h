// What Slurm's programs print, read with explicit fields; any bytes are taken. No field is taken from a default column.
//   const SlurmTable table = readSqueue(output);   if (const SlurmJob* job = newestOf(table, name)) ...
#pragma once

#include "core/base/message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// What a state of Slurm means for a run.
enum class JobPhase {
    Pending,  ///< in the queue: for the first time, held, or queued again
    Running,  ///< its nodes are taken; also suspended and completing
    Ended,
    Unknown,  ///< a state that this version does not know: never taken for an end
};

struct SlurmJob {
    std::int64_t number = 0;  ///< may be given to another job later
    std::string name;         ///< the run and the attempt: the identity of a job
    std::string state;        ///< PENDING, RUNNING, CANCELLED, ...; the first word
    std::string reason;       ///< Slurm's word: Priority, Resources, ...
    [[nodiscard]] JobPhase phase() const;
};

struct SlurmTable {
    std::vector<SlurmJob> jobs;
    bool isWhole = true;  ///< every line was understood and the last one ends; else a job that is not in it may exist
};

/// The value of --format that each reader expects.
constexpr std::string_view kSqueueFormat = "%i|%T|%r|%j";
constexpr std::string_view kSacctFormat = "JobIDRaw,State,Reason,JobName";
constexpr char kSacctDelimiter = '\x1f';

SlurmTable readSqueue(std::string_view text);
SlurmTable readSacct(std::string_view text);

/// The job of this name: one that has not ended before one that has, then the one with the largest number. nullptr when there is none.
const SlurmJob* newestOf(const SlurmTable& table, std::string_view name);

/// The number in what `sbatch --parsable` prints ("570" or "570;cluster", perhaps behind lines of the site's own).
std::optional<std::int64_t> jobNumberIn(std::string_view printed);

/// Why a job waits, in words; Slurm's own word where it is not a common one.
Message pendingText(const std::string& reason);

/// The code of a fault (fault_table.h) for a job that ended in this state; "" where the state shows none (COMPLETED, FAILED).
std::string_view faultOf(std::string_view state);

}  // namespace slipway
