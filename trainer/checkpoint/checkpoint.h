// Saving and loading the state of a run. Every rank writes its shard, rank 0 the manifest when all shards are on the disk.
// Folder: checkpoints/step_00001000/{rank_00000.safetensors, ..., manifest.json}. Without ZeRO the first dp replica writes for all.
#pragma once

#include "core/spec/run_config.h"
#include "core/spec/run_dir.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/comm/mesh.h"
#include "trainer/parallel/state_tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway::trainer {

/// Where a run stands.
struct CheckpointMark {
    std::int64_t step = 0;
    std::int64_t numUpdates = 0;
    std::int64_t dataPosition = 0;
    std::int64_t tokens = 0;
};

/// What save and load need to know of this rank.
struct CheckpointContext {
    const RunDir& dir;
    const RunConfig& config;
    const ProcessMesh& mesh;
    at::Device device = at::kCPU;
    bool zeroSharded = false;  ///< each dp rank owns its own part
};

/// Writes a checkpoint; all ranks return the same. On "disk_full" (or another failure of any rank) what was written of this
/// checkpoint is removed and older ones are untouched. Prunes to checkpoint.keep afterwards. A collective.
Result<void> saveCheckpoint(const CheckpointContext& context, const CheckpointMark& mark,
                            const std::vector<StateTensor>& state);

struct LoadedCheckpoint {
    std::optional<CheckpointMark> mark;  ///< empty: there was none, the run starts at step 0
    std::vector<std::string> damaged;    ///< newer checkpoints that were passed over, with the reason
};

/// Fills `state` from the newest whole checkpoint of the run ("latest") or from a folder. Every file is checked against its hash first;
/// a damaged "latest" falls back to the one before. "checkpoint_damaged", "resume_mismatch" (another model, layout or precision). A collective.
Result<LoadedCheckpoint> loadCheckpoint(const CheckpointContext& context, const std::string& which,
                                        std::vector<StateTensor>& state);

}  // namespace slipway::trainer
