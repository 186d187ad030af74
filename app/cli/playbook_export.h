// Files that the playbook exports and imports: chapters as reports, records of experiments.
#pragma once

#include "app/cli/command.h"
#include "core/playbook/playbook.h"

namespace slipway {

struct ReportRequest {
    std::string output;         ///< its extension determines the format; empty: Markdown on standard output
    std::string config;         ///< file of the config for the plan's pictures; empty: the default run
    std::string title, author;  ///< empty: the chapter's; none
};
/// @param chapter null: the complete playbook
Result<int> exportReport(CliContext& context, const Playbook& playbook, const Chapter* chapter,
                         const ReportRequest& request);

/// The last local record of an experiment, as a file or on standard output. "no_record".
Result<int> writeRecord(CliContext& context, const std::string& experiment, const std::string& output);
/// Imports the record in a file from another computer into the home. "bad_record", "usage" for an unknown experiment.
Result<int> takeRecord(CliContext& context, const Playbook& playbook, const std::string& file);

/// Writes the file, or prints the text if no file is given.
Result<int> writeOrPrint(CliContext& context, const std::string& output, const std::string& text);

/// Jobs for the trials of an experiment: one Slurm array for each number of ranks, or one torchrun script for each trial. Their run
/// folders are in this home. @param folder is made
Result<int> exportJobs(CliContext& context, const Experiment& experiment, bool isShort, const std::string& kind,
                       const std::string& folder, const std::string& queue);

}  // namespace slipway
