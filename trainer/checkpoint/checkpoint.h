// Saving and loading the state of a run. Ranks share the writing (write_plan.h), rank 0 adds the manifest once all
// shards are on the disk. Folder: checkpoints/step_00001000/{rank_00000.safetensors, ..., manifest.json}. Any layout
// can read any other's checkpoints.
#pragma once

#include "core/spec/run_config.h"
#include "core/spec/run_dir.h"
#include "core/spec/token_file.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/comm/mesh.h"
#include "trainer/parallel/state_tensor.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace slipway::trainer {

/// Position of a run.
struct CheckpointMark {
    std::int64_t step = 0;
    std::int64_t numUpdates = 0;
    std::int64_t dataPosition = 0;
    std::int64_t tokens = 0;
    std::string loopState;  ///< state of the training loop to restore, as compact JSON text; may be empty
};

/// This rank's context for saving and loading.
struct CheckpointContext {
    const RunDir& dir;
    const RunConfig& config;
    const ProcessMesh& mesh;
    at::Device device = at::kCPU;
    const TokenFileHeader* tokenFile = nullptr;  ///< of the training data; null: not checked
};

/// Writes a checkpoint and waits for it (checkpoint_writer.h does it in the background); all ranks return the same. On
/// "disk_full" (or another failure of any rank) the files of this checkpoint are removed and older ones are untouched.
/// Prunes to checkpoint.keep and keep_every_steps afterwards. A collective.
Result<void> saveCheckpoint(const CheckpointContext& context, const CheckpointMark& mark,
                            const std::vector<StateTensor>& state);

struct LoadedCheckpoint {
    std::optional<CheckpointMark> mark;  ///< empty: there was none, the run starts at step 0
    std::vector<std::string> damaged;    ///< skipped newer checkpoints, with the reason
    std::string from;                    ///< the source folder
    std::vector<std::string> leftOut;    ///< tensors of Hugging Face weights without a place in this model
    bool isUnverified = false;           ///< its manifest has no hash: written by an older version
    bool isStart = false;                ///< read from checkpoint.start_from: the run is new
};

/// Fills `state` from the newest complete checkpoint of this run ("latest"), from a checkpoint folder, or from the
/// newest of another run's folder, written by any layout. Every file is checked against its hash first, each by one
/// rank; a damaged newest one falls back to the previous one. "checkpoint_damaged", "checkpoint_missing" (a folder
/// without one), "resume_mismatch" (another model, optimizer, number format of the state, seed or data). A collective.
/// @param newest of "latest": checkpoints of later steps are skipped
Result<LoadedCheckpoint> loadCheckpoint(const CheckpointContext& context, const std::string& which,
                                        std::vector<StateTensor>& state,
                                        std::int64_t newest = std::numeric_limits<std::int64_t>::max());

/// Whether a checkpoint is written after this step: at every multiple of every_steps and at the last step, and
/// immediately when a stop is requested before the last step. There is none before the first step.
bool isCheckpointDue(const CheckpointSpec& spec, std::int64_t step, std::int64_t numSteps, bool isStopAsked);

/// The manifest's description of the data, so that a position is not applied to different data.
std::string dataText(const CheckpointContext& context);

}  // namespace slipway::trainer
