// What a run continues from or begins with reaches a node that lacks it: named by its SHA-256, resumed, checked at the end.
#pragma once

#include "core/remote/errands.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <string>

namespace slipway {

/// Errands that bring a whole checkpoint of the run folder here to the node's folder of the run: files that it has with the same
/// content are not sent, and the manifest comes last.
void addCheckpointPush(Errands& errands, const RunDir& folder, std::int64_t step, const std::string& remoteHome,
                       const std::string& run);

/// Errands that bring the folder that checkpoint.start_from names: a checkpoint, the newest whole one of a run folder, or the files of
/// Hugging Face weights. @return the folder on the node, relative to its home; empty without such a folder here: then the
/// path is one of the node. "checkpoint_missing" for a run folder without a whole checkpoint.
Result<std::string> addStartPush(Errands& errands, const std::string& startFrom, const std::string& remoteHome,
                                 const std::string& run);

}  // namespace slipway
