#include "trainer/checkpoint/start_from.h"

#include "trainer/checkpoint/huggingface_weights.h"

namespace slipway::trainer {

Result<LoadedCheckpoint> loadStart(const CheckpointContext& context, const std::string& resume,
                                   std::vector<StateTensor>& state) {
    const std::string& from = context.config.checkpoint.startFrom;
    LoadedCheckpoint loaded;
    if (!resume.empty()) {
        Result<LoadedCheckpoint> found = loadCheckpoint(context, resume, state);
        if (!found || found->mark || from.empty()) return found;
        loaded = std::move(*found);
    }
    if (from.empty()) return loaded;
    if (!looksLikeHuggingFaceWeights(from)) return loadCheckpoint(context, from, state);
    auto filled = loadHuggingFaceWeights(context, from, state);
    if (!filled) return fail(filled.error());
    loaded.leftOut = std::move(*filled);
    loaded.from = from;
    return loaded;
}

}  // namespace slipway::trainer
