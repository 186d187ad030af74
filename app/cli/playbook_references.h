// playbook fetch, replay and explore: published data on request, what they say about experiments, and the benchmark of the
// Ultra-Scale Playbook.
#pragma once

#include "app/cli/command.h"
#include "core/playbook/replay.h"

namespace slipway {

/// Shows the document to fetch; with `isAgreed` fetches and stores it, or copies it from a local file. Without an id it
/// lists all. "usage", errors of httpGet(), "checksum_differs".
Result<int> fetchReference(CliContext& context, const Playbook& playbook, const std::string& id,
                           const std::string& fromFile, bool isAgreed);

/// The benchmark's layouts by tokens/s: from the fetched page, else the corrected list of best ones.
/// @param model "8B"; empty: all @param nodes 0: all
Result<int> exploreBenchmark(CliContext& context, const Playbook& playbook, const std::string& model,
                             std::int64_t nodes);

/// What fetched data say about an experiment. "no_replay" where none are published.
Result<int> replayExperiment(CliContext& context, const Playbook& playbook, const Experiment& experiment);

/// Null where there are no published data.
Json replayDocument(const ReplayResult& replay);
/// Nothing where there are no published data; how to fetch them where they are not here.
void printReplay(CliContext& context, const ReplayResult& replay);

}  // namespace slipway
