// Files that the playbook gives and takes: chapters as reports, records of experiments.
#pragma once

#include "app/cli/command.h"
#include "core/playbook/playbook.h"

namespace slipway {

struct ReportRequest {
    std::string output;         ///< its ending is the form; empty: Markdown on standard output
    std::string config;         ///< file of the config whose plan is drawn; empty: the default run
    std::string title, author;  ///< empty: the chapter's; none
};
/// @param chapter null: the whole playbook
Result<int> exportReport(CliContext& context, const Playbook& playbook, const Chapter* chapter,
                         const ReportRequest& request);

/// The last record of an experiment that was made here, as a file or on standard output. "no_record".
Result<int> writeRecord(CliContext& context, const std::string& experiment, const std::string& output);
/// Keeps the record of a file, which another computer wrote, in the home. "bad_record", "usage" for an unknown experiment.
Result<int> takeRecord(CliContext& context, const Playbook& playbook, const std::string& file);

/// Writes the file, or prints the text where no file is named.
Result<int> writeOrPrint(CliContext& context, const std::string& output, const std::string& text);

}  // namespace slipway
