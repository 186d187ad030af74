// The checkpoints of a run folder as files: which are there and which are whole. What is in them is the trainer's.
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
    std::int64_t rank = 0;  ///< that wrote it
};
constexpr const char* kCheckpointManifest = "manifest.json";

/// The files that the manifest in a checkpoint's folder names. "file_missing" without a manifest, "bad_manifest".
Result<std::vector<CheckpointFile>> checkpointFiles(const std::filesystem::path& folder);

/// The step in "step_00001000"; empty when the name is of another form.
std::optional<std::int64_t> checkpointStep(const std::string& folderName);

/// The step of the newest checkpoint with its manifest, which is written last; empty when there is none to resume from.
std::optional<std::int64_t> newestCheckpoint(const RunDir& folder);

/// The same among those that have all their files in their lengths: they can be copied to a node.
std::optional<std::int64_t> newestWholeCheckpoint(const RunDir& folder);

}  // namespace slipway
