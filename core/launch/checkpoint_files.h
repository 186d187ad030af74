// The checkpoints of a run folder as files: which exist and which are complete. Their contents are the trainer's concern.
#pragma once

#include "core/base/result.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct CheckpointFile {
    std::string name;  ///< "rank_00000.safetensors"
    std::uint64_t bytes = 0;
    std::int64_t rank = 0;  ///< the writer
};
constexpr const char* kCheckpointManifest = "manifest.json";

/// The files listed in the manifest of a checkpoint's folder. "file_missing" without a manifest, "bad_manifest".
Result<std::vector<CheckpointFile>> checkpointFiles(const std::filesystem::path& folder);

/// The step in "step_00001000"; empty for a name of another form.
std::optional<std::int64_t> checkpointStep(const std::string& folderName);

/// The step of the newest checkpoint with a manifest, which is written last; empty when there is none.
std::optional<std::int64_t> newestCheckpoint(const RunDir& folder);

/// The same among checkpoints with all files at full length: they can be copied to a node.
std::optional<std::int64_t> newestWholeCheckpoint(const RunDir& folder);

}  // namespace slipway
