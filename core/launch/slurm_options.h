// A person's Slurm options for a run: slurm.json of the run folder. Later attempts of the run are submitted with the same ones.
#pragma once

#include "core/base/field_table.h"
#include "core/base/result.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

/// Empty values are omitted, so that the cluster's defaults apply.
struct SlurmOptions {
    std::string login;  ///< node (slipway nodes) where sbatch is run; empty: this computer
    std::string queue;  ///< partition
    std::string account;
    std::string timeLimit;              ///< 8:00:00; a checkpoint is requested before
    std::int64_t devicesPerNode = 8;    ///< maximum ranks per node
    std::int64_t warningSeconds = 300;  ///< lead of the checkpoint request before the time limit
    std::vector<std::string> sbatch;    ///< further options, "--qos=high"

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("login"), s.login);
        v(field("queue"), s.queue);
        v(field("account"), s.account);
        v(field("time_limit"), s.timeLimit);
        v(field("devices_per_node"), s.devicesPerNode);
        v(field("warning_seconds"), s.warningSeconds);
        v(field("sbatch"), s.sbatch);
    }
};

/// "bad_value" names the option: a queue, an account or a time limit with characters other than letters, digits and
/// ._-:, ; a further option without leading --, with a line break, or set by Slipway itself.
Result<void> checkSlurmOptions(const SlurmOptions& options);

/// The file and its name.
std::pair<std::string, std::string> slurmDocument(const SlurmOptions& options);
/// Empty for a run not started through Slurm; "bad_value" when the file is invalid.
Result<std::optional<SlurmOptions>> readSlurmOptions(const RunDir& folder);

}  // namespace slipway
