// Sends a run's starting checkpoint or weights to a node that lacks them: named by SHA-256, resumed, checked at the end.
#pragma once

#include "core/remote/errands.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <string>

namespace slipway {

/// Errands that copy a complete checkpoint of the local run folder to the node's: files with the same content there are
/// not sent, and the manifest comes last.
void addCheckpointPush(Errands& errands, const RunDir& folder, std::int64_t step, const std::string& remoteHome,
                       const std::string& run);

/// Errands that copy the folder named by checkpoint.start_from: a checkpoint, the newest complete one of a run folder,
/// or the files of Hugging Face weights. @return the folder on the node, relative to its home; empty without such a
/// folder here: then the path is the node's. "checkpoint_missing" for a run folder without a complete checkpoint.
Result<std::string> addStartPush(Errands& errands, const std::string& startFrom, const std::string& remoteHome,
                                 const std::string& run);

}  // namespace slipway
