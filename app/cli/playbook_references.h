// playbook fetch and explore: published data on request, and the benchmark of the Ultra-Scale Playbook.
#pragma once

#include "app/cli/command.h"
#include "core/playbook/references.h"

namespace slipway {

/// Shows the document to fetch; with `isAgreed` fetches and stores it, or copies it from a local file. Without an id it
/// lists all. "usage", errors of httpGet(), "checksum_differs".
Result<int> fetchReference(CliContext& context, const Playbook& playbook, const std::string& id,
                           const std::string& fromFile, bool isAgreed);

/// The benchmark's layouts by tokens/s: from the fetched page, else the corrected list of best ones.
/// @param model "8B"; empty: all @param nodes 0: all
Result<int> exploreBenchmark(CliContext& context, const Playbook& playbook, const std::string& model,
                             std::int64_t nodes);

/// Adds to each claim of a verdict the figure of the fetched benchmark, as "published"; null where there is none. "bad_page".
Result<void> addPublished(const CliContext& context, const Playbook& playbook, const Experiment& experiment,
                          Json& verdict);

}  // namespace slipway
