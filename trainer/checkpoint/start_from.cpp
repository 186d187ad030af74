#include "trainer/checkpoint/start_from.h"

#include "trainer/checkpoint/huggingface_weights.h"

namespace slipway::trainer {
namespace {

// A complete run may be resumed, as by a late restart, and stays complete. A run that ends before its checkpoint,
// or a new run without a step of its own, is a mistake.
Result<LoadedCheckpoint> withStepsLeft(Result<LoadedCheckpoint> loaded, std::int64_t numSteps) {
    if (!loaded || !loaded->mark) return loaded;
    const std::int64_t step = loaded->mark->step;
    if (step < numSteps || (step == numSteps && !loaded->isStart)) return loaded;
    return fail("nothing_to_do",
                "There is nothing to do: the checkpoint is at step " + std::to_string(step) +
                    " and train.num_steps is " + std::to_string(numSteps) +
                    "; raise train.num_steps, or go on from an earlier checkpoint.",
                loaded->from);
}

Result<LoadedCheckpoint> load(const CheckpointContext& context, const std::string& resume,
                              std::vector<StateTensor>& state) {
    const std::string& from = context.config.checkpoint.startFrom;
    LoadedCheckpoint loaded;
    if (!resume.empty()) {
        Result<LoadedCheckpoint> found = loadCheckpoint(context, resume, state);
        if (!found || found->mark || from.empty()) return found;
        loaded = std::move(*found);
    }
    if (from.empty()) return loaded;
    if (!looksLikeHuggingFaceWeights(from)) {
        Result<LoadedCheckpoint> found = loadCheckpoint(context, from, state);
        if (found) found->isStart = true;
        return found;
    }
    auto filled = loadHuggingFaceWeights(context, from, state);
    if (!filled) return fail(filled.error());
    loaded.leftOut = std::move(*filled);
    loaded.from = from;
    loaded.isStart = true;
    return loaded;
}

}  // namespace

Result<LoadedCheckpoint> loadStart(const CheckpointContext& context, const std::string& resume,
                                   std::vector<StateTensor>& state) {
    const bool withMoments = context.config.checkpoint.restoreMoments;
    if (!withMoments)
        std::erase_if(state, [](const StateTensor& one) { return one.name.find(".exp_avg") != std::string::npos; });
    Result<LoadedCheckpoint> loaded = withStepsLeft(load(context, resume, state), context.config.train.numSteps);
    if (loaded && loaded->mark && !withMoments) loaded->mark->numUpdates = 0;
    return loaded;
}

}  // namespace slipway::trainer
