// manifest.json of a checkpoint: written last, so that a folder with a manifest is complete. Lists every file with
// length and hash, and every tensor with its ParamShard, so that any layout can read it.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/spec/param_shard.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway::trainer {

struct ManifestTensor {
    std::string name;  ///< in the file
    ParamShard shard;
    std::string state;  ///< the parameter's name and its state: "...q_proj.weight.exp_avg"
};

struct ManifestFile {
    std::int64_t rank = 0;
    std::string name;  ///< "rank_00000.safetensors"
    std::uint64_t bytes = 0;
    std::string hash;
    std::vector<ManifestTensor> tensors;
};

struct Manifest {
    std::int64_t schema = 1;
    std::int64_t step = 0;
    std::int64_t numUpdates = 0;    ///< of the optimizer; fewer than steps when updates were skipped
    std::int64_t dataPosition = 0;  ///< samples consumed
    std::int64_t tokens = 0;        ///< tokens consumed
    std::int64_t seed = 0;  ///< every random number is a function of the seed and its position: there is no other state
    std::string loopState;  ///< of the training loop (spike rule, loss scale, ...), as compact JSON text
    std::string configHash;
    std::string model, parallel;  ///< the sections of config.json, as compact JSON text
    std::string precision;
    std::string optimizer;  ///< its kind; empty in checkpoints of older versions
    /// Data of the data position: {"tokens", "seq_len", "document_end_id" and "ignore_token_id" (null: none),
    /// "held_out_tokens" if any, "token_file" with its header}, as compact JSON text; empty in checkpoints of older
    /// versions.
    std::string data;
    std::vector<ManifestFile> files;
    bool isHashed = false;  ///< read with its own, matching hash; false in checkpoints of older versions
};

Json toJson(const ManifestFile& file);
Result<ManifestFile> manifestFileFromJson(const Json& json, const std::string& where);
/// Includes the hash of all the rest, as "hash".
Json toJson(const Manifest& manifest);

/// Reads the manifest of a checkpoint folder: "file_missing" for an incomplete checkpoint, "bad_manifest", also when
/// its hash differs.
Result<Manifest> readManifest(const std::filesystem::path& folder);

/// True when the manifest is readable and every listed file has its length.
bool isComplete(const std::filesystem::path& folder);

/// Steps of the complete checkpoints under checkpoints/, newest first.
std::vector<std::int64_t> completeCheckpoints(const std::filesystem::path& checkpoints);

/// Steps of all checkpoints with a manifest, newest first: any problem of one of them is damage, since the manifest
/// came last.
std::vector<std::int64_t> sealedCheckpoints(const std::filesystem::path& checkpoints);

/// Removes checkpoints of later steps from the list by renaming their manifest: a run resumed before them, or that
/// found them damaged, diverges, and they must not count as its newest.
void retireCheckpointsAfter(const std::filesystem::path& checkpoints, std::int64_t step);

/// Removes all but the `keep` newest complete checkpoints and those whose step is a multiple of `keepEverySteps` (0:
/// none), and incomplete ones older than the newest complete one. The newest complete one always stays. Files of ranks
/// on nodes with their own homes are not here, and do not count as missing.
void pruneCheckpoints(const std::filesystem::path& checkpoints, std::int64_t keep, std::int64_t keepEverySteps = 0);

/// The same where other nodes' files and the manifest are in their own homes: every folder counts as complete.
void pruneCheckpointParts(const std::filesystem::path& checkpoints, std::int64_t keep, std::int64_t keepEverySteps);

}  // namespace slipway::trainer
